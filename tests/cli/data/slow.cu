// SPDX-License-Identifier: Apache-2.0
// Takes three seconds.
#include <time.h>

__global__ void fill(int *p)
{
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main()
{
    int *p;
    cudaMalloc(&p, 4 * 32 * sizeof(int));
    fill<<<4, 32>>>(p);
    struct timespec t = {3, 200000000};
    nanosleep(&t, NULL);
    return cudaFree(p);
}
