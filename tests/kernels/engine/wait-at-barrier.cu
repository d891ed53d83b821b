// SPDX-License-Identifier: Apache-2.0
// A block waits for another one's flag with a barrier in each turn: no hang, however long the other one works.
// expect: clean
// allow: race-volatile
// stdout: PASS
#include <cstdio>

__global__ void wait_or_work(int *flag, unsigned *out)
{
    if (blockIdx.x == 0) {
        int seen = 0;
        while (!seen) {
            if (threadIdx.x % 32 == 0)
                seen = *(volatile int *)flag;
            seen = __shfl_sync(0xffffffffu, seen, 0);
            seen = __syncthreads_or(seen);
        }
        __threadfence();
        out[threadIdx.x] = out[1000] + 1;
    } else if (threadIdx.x == 0) {
        unsigned x = 1;
        for (int i = 0; i < 20000000; i++)
            x = x * 1664525u + 1013904223u;
        out[1000] = x | 1;
        __threadfence();
        *(volatile int *)flag = 1;
    }
}

int main()
{
    unsigned *p, got[64], x = 1;
    cudaMalloc(&p, 8192);
    cudaMemset(p, 0, 8192);
    wait_or_work<<<2, 64>>>((int *)p, p + 64);
    cudaMemcpy(got, p + 64, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 20000000; i++)
        x = x * 1664525u + 1013904223u;
    puts(got[63] == (x | 1) + 1 ? "PASS" : "FAIL");
    cudaFree(p);
}
