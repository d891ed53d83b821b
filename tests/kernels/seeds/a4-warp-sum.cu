// Warp sums of blocks of 128 threads.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__inline__ __device__ float warpSum(float v)
{
#pragma unroll
    for (int off = 16; off > 0; off >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, off);
    return v;
}

__global__ void warpSums(const float *x, float *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = warpSum(x[i]);
    if (threadIdx.x % 32 == 0)
        sums[blockIdx.x * ((blockDim.x + 31) / 32) + threadIdx.x / 32] = v;
}

int main()
{
    const int T = 128, B = 4, W = (T + 31) / 32;
    float x[T * B], sums[W * B];
    for (int i = 0; i < T * B; i++) x[i] = (float)(i % 13);
    float *dx, *ds;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&ds, sizeof sums));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    warpSums<<<B, T>>>(dx, ds);
    CK(cudaGetLastError());
    CK(cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int b = 0; b < B; b++)
        for (int w = 0; w < W; w++) {
            float want = 0;
            for (int t = 32 * w; t < T && t < 32 * w + 32; t++) want += x[b * T + t];
            bad += sums[b * W + w] != want;
        }
    std::printf(bad ? "FAIL: %d warps wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean
// expect: clean
// stdout: PASS
