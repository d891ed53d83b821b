// Counts per class over several blocks.
// Fault: the atomic is atomic only within a block, the counters belong to all blocks.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int CLASSES = 10;

__global__ void perClass(const int *in, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd_block(&count[in[i] % CLASSES], 1);
}

int main()
{
    const int N = 8192;
    static int in[N];
    int want[CLASSES] = {0}, got[CLASSES], bad = 0;
    for (int i = 0; i < N; i++) {
        in[i] = i * i + 3;
        want[in[i] % CLASSES]++;
    }
    int *di, *dc;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dc, sizeof got));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    CK(cudaMemset(dc, 0, sizeof got));
    perClass<<<N / 256, 256>>>(di, N, dc);
    CK(cudaGetLastError());
    CK(cudaMemcpy(got, dc, sizeof got, cudaMemcpyDeviceToHost));
    for (int k = 0; k < CLASSES; k++) bad += got[k] != want[k];
    std::printf(bad ? "FAIL: %d counts wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// wrong scope: the block-scope atomics of line 13 hit counters that several blocks update (race-
// global: not atomic between blocks; usually the right count on today's hardware)
// expect: race-scope @13
