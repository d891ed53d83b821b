// How many values are positive?
// Weakness: every finder adds to the same counter.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void positive(const int *in, int n, int *count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0)
        atomicAdd(count, 1);
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

// contention: at line 11 about half of all threads add to one address; right but slow (report as
// advice, not as an error)
// expect: contention @11
