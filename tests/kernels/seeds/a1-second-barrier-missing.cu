// exchange.cu done twice in a row, with the second barrier left out.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void exchangeTwice(const float *x, float *y)
{
    __shared__ float s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float v = x[i];
    for (int round = 0; round < 2; round++) {
        s[t] = v;
        __syncthreads();
        v = s[(t + 255) & 255];
    }
    y[i] = v;
}

int main()
{
    const int N = 2048;
    static float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    float *dx, *dy;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    exchangeTwice<<<N / 256, 256>>>(dx, dy);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != x[i / 256 * 256 + (i + 254) % 256];
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (write after read, shared): line 12 of the second round against line 14 of the first round
// expect: race-shared @12 @14
// allow: race-warp
