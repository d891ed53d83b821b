// SPDX-License-Identifier: Apache-2.0
// The sum of up to 256 numbers in one block. With BREAK_IT the barrier inside the loop is gone.
#include "sum.h"

__global__ void sum_kernel(const int *in, int n, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x;
    part[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
#ifndef BREAK_IT
        __syncthreads();
#endif
    }
    if (t == 0)
        *out = part[0];
}

int sum_on_device(const int *in, int n)
{
    int *from, *to, sum = -1;
    cudaMalloc(&from, n * sizeof(int));
    cudaMalloc(&to, sizeof(int));
    cudaMemcpy(from, in, n * sizeof(int), cudaMemcpyHostToDevice);
    sum_kernel<<<1, 256>>>(from, n, to);
    if (cudaGetLastError() == cudaSuccess)
        cudaMemcpy(&sum, to, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(from);
    cudaFree(to);
    return sum;
}
