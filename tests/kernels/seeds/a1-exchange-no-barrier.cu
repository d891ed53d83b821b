// Left neighbour within a block, with wrap-around; the barrier of the listing is left out.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void exchange(const float *x, float *y)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = x[i];
    float left = s[(t + 255) & 255];
    y[i] = left;
}

int main()
{
    const int N = 2048;
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    float *dx, *dy;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    exchange<<<N / 256, 256>>>(dx, dy);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != x[i / 256 * 256 + (i + 255) % 256];
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (shared): line 10 against line 11; the listing says that without its barrier old values may
// be read
// expect: race-shared @10 @11
// allow: race-warp mem-uninit
