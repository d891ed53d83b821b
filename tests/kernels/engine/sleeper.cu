// SPDX-License-Identifier: Apache-2.0
// A loop that sleeps and counts is at work, however long it takes; so is one that waits by sleeping for a block that
// is. Neither is a hang, even when hardly any time without progress is allowed.
// expect: clean
// stdout: PASS
// options: --hang-ms 10
#include "host.h"

__global__ void doze(int *out)
{
    for (int k = 0; k < 20000; k++)
        __nanosleep(1000);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void relay(int *flag)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 20000; k++)
            __nanosleep(100);
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            __nanosleep(100);
    }
}

int main()
{
    int *d, h = 0;
    cudaMalloc(&d, 512 * sizeof(int));
    cudaMemset(d, 0, 512 * sizeof(int));
    doze<<<8, 32>>>(d);
    cudaDeviceSynchronize();
    relay<<<2, 32>>>(d + 256);
    cudaError_t e = cudaMemcpy(&h, d + 256, sizeof h, cudaMemcpyDeviceToHost);
    std::printf(e == cudaSuccess && h == 1 ? "PASS\n" : "FAIL\n");
    return h != 1;
}
