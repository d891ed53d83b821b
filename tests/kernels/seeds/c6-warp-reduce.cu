// Block sums by warp shuffles, blocks of 256 threads.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__device__ float warpReduce(float val)
{
    for (int offset = 16; offset > 0; offset /= 2) {
        val += __shfl_down_sync(0xFFFFFFFF, val, offset);
    }
    return val;
}

__global__ void warpBasedReduce(float *input, float *output, int n)
{
    __shared__ float sharedData[32];
    int tid = threadIdx.x;
    int globalIdx = blockIdx.x * blockDim.x + threadIdx.x;
    int warpId = tid / 32;
    int laneId = tid % 32;
    float val = (globalIdx < n) ? input[globalIdx] : 0.0f;
    val = warpReduce(val);
    if (laneId == 0) {
        sharedData[warpId] = val;
    }
    __syncthreads();
    if (warpId == 0) {
        val = (tid < blockDim.x / 32) ? sharedData[laneId] : 0.0f;
        val = warpReduce(val);
        if (tid == 0) {
            output[blockIdx.x] = val;
        }
    }
}

int main()
{
    const int T = 256, N = 1000, B = (N + T - 1) / T;
    static float x[N];
    float y[B], *dx, *dy;
    int bad = 0;
    for (int i = 0; i < N; i++) x[i] = (float)(i % 21);
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    warpBasedReduce<<<B, T>>>(dx, dy, N);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int b = 0; b < B; b++) {
        float want = 0;
        for (int i = b * T; i < N && i < (b + 1) * T; i++) want += x[i];
        bad += y[b] != want;
    }
    std::printf(bad ? "FAIL: %d blocks wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean
// expect: clean
// stdout: PASS
