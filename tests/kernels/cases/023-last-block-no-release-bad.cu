// Sum in one launch: every thread leaves a partial sum, the last block adds them all.
// Fault: a block barrier is taken to be enough before the block is counted as done.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 128, BLOCKS = 16;
__device__ unsigned done = 0;

__global__ void total(const int *in, int n, int *part, int *out)
{
    __shared__ bool last;
    int i = blockIdx.x * T + threadIdx.x, v = 0;
    for (int k = i; k < n; k += T * BLOCKS)
        v += in[k];
    part[i] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&done, 1u) == BLOCKS - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last || threadIdx.x != 0)
        return;
    int sum = 0;
    for (int k = 0; k < T * BLOCKS; k++)
        sum += part[k];
    *out = sum;
}

int main()
{
    const int N = 50000;
    static int in[N];
    int want = 0, got = 0;
    for (int i = 0; i < N; i++) { in[i] = i % 31; want += in[i]; }
    int *di, *part, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&part, T * BLOCKS * sizeof(int))); CK(cudaMalloc(&dout, sizeof(int)));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    total<<<BLOCKS, T>>>(di, N, part, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, dout, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}

// missing fence: the partial results of line 16 are not released before the counter of line 19, so
// the last block may read old ones at line 27 (data race; weak-memory witness needed)
// expect: fence-missing-release @16 @27
