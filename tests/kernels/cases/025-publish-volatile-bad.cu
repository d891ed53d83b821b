// Block 0 writes a message of eight words and sets a flag, block 1 reads it.
// Fault: volatile is taken for synchronization.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void post(int *msg, int *flag, int *out)
{
    volatile int *f = flag;
    if (blockIdx.x == 0) {
        for (int k = 0; k < 8; k++)
            msg[k * 64] = 40 + k;
        *f = 1;
    } else {
        while (*f == 0)
            ;
        for (int k = 0; k < 8; k++)
            out[k] = msg[k * 64];
    }
}

int main()
{
    int *msg, *flag, *dout, out[8], bad = 0;
    CK(cudaMalloc(&msg, 512 * sizeof(int))); CK(cudaMalloc(&flag, sizeof(int))); CK(cudaMalloc(&dout, sizeof out));
    for (int round = 0; round < 20; round++) {
        CK(cudaMemset(msg, 0, 512 * sizeof(int)));
        CK(cudaMemset(flag, 0, sizeof(int)));
        post<<<2, 1>>>(msg, flag, dout);
        CK(cudaGetLastError());
        CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
        for (int k = 0; k < 8; k++) bad += out[k] != 40 + k;
    }
    std::printf(bad ? "FAIL: %d words wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// missing fence: volatile flag (lines 13 and 15) orders nothing; the reader may see the flag and
// old words of the message at line 18 (data race on msg)
// expect: fence-missing-release @12 @18
// expect: race-volatile @13 @15
