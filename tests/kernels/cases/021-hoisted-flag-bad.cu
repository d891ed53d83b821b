// Block 1 computes a value, block 0 waits for it and passes it on.
// Fault: the waiting loop reads the flag by a plain load.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void hand(int *flag, int *value, int *out, int *tries)
{
    int spins = 0;
    if (blockIdx.x == 1) {
        int v = 1;
        for (int k = 0; k < 1000; k++)
            v = v * 5 + 3;
        *value = v;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            spins++;
        __threadfence();
        *out = *value;
        *tries = spins;
    }
}

int main()
{
    int *d, got[4];
    CK(cudaMalloc(&d, sizeof got));
    CK(cudaMemset(d, 0, sizeof got));
    hand<<<2, 1>>>(d, d + 1, d + 2, d + 3);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    unsigned want = 1;
    for (int k = 0; k < 1000; k++) want = want * 5 + 3;
    bool ok = (unsigned)got[2] == want;
    std::printf(ok ? "PASS\n" : "FAIL: %d\n", got[2]);
    return !ok;
}

// race (global) on the flag, lines 18 and 16; nvcc moves the plain load of line 18 out of the loop
// and leaves an empty endless loop, so the program hangs when block 0 looks first
// expect: race-global @16 @18
// expect: spin-hoisted @16 @18
