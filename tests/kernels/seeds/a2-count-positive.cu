// Counts the positive values, one atomic per value.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void count_positive(const float *x, int n, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > 0.0f)
        atomicAdd(counter, 1);
}

int main()
{
    const int N = 50000;
    static float x[N];
    int want = 0, got = 0, *dc;
    for (int i = 0; i < N; i++) { x[i] = (float)(i % 5 - 2); want += x[i] > 0; }
    float *dx;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dc, sizeof(int)));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    CK(cudaMemset(dc, 0, sizeof(int)));
    count_positive<<<(N + 255) / 256, 256>>>(dx, N, dc);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, dc, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}

// no fault; contention at line 10 (all finders add to one address), report as advice
// expect: contention @10
// stdout: PASS
