// A barrier inside if (threadIdx.x < 16), as the text describes it.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void onlySixteen(const float *x, float *y)
{
    __shared__ float s[16];
    int t = threadIdx.x;
    if (threadIdx.x < 16) {
        s[t] = x[t];
        __syncthreads();
        y[t] = s[15 - t];
    } else {
        y[t] = x[t];
    }
}

int main()
{
    const int N = 64;
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    float *dx, *dy;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    onlySixteen<<<1, N>>>(dx, dy);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != (i < 16 ? x[15 - i] : x[i]);
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// barrier divergence at line 12: 16 lanes of warp 0 meet the barrier, the others do not (undefined;
// may hang)
// expect: barrier-divergence @12
