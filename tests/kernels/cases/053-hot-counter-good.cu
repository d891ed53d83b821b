// How many values are positive?
// The block counts by votes and adds once.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void positive(const int *in, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int found = __syncthreads_count(i < n && in[i] > 0);
    if (threadIdx.x == 0 && found)
        atomicAdd(count, found);
}

int main()
{
    const int N = 100000;
    static int in[N];
    int want = 0, got = 0, *di, *dc;
    for (int i = 0; i < N; i++) {
        in[i] = i % 4 - 1;
        want += in[i] > 0;
    }
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dc, sizeof(int)));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    CK(cudaMemset(dc, 0, sizeof(int)));
    positive<<<(N + 255) / 256, 256>>>(di, N, dc);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, dc, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}

// clean: one atomic per block
// expect: clean
// stdout: PASS
