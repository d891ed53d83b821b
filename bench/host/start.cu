// SPDX-License-Identifier: Apache-2.0
// The smallest whole program: what is measured is starting it.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void fill(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x;
}

int main()
{
    int *device, host[32];
    cudaMalloc((void **)&device, sizeof host);
    fill<<<1, 32>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        if (host[i] != i) {
            printf("FAILED\n");
            return 1;
        }
    return 0;
}
