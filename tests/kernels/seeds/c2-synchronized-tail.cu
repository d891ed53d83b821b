// Load, barrier, one fold, barrier, store; 850 values in blocks of 256.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void synchronizedKernel(float *output, float *input, int n)
{
    __shared__ float sharedData[256];
    int tid = threadIdx.x;
    int globalIdx = blockIdx.x * blockDim.x + threadIdx.x;
    if (globalIdx < n) {
        sharedData[tid] = input[globalIdx];
    }
    __syncthreads();
    if (tid < blockDim.x / 2) {
        sharedData[tid] += sharedData[tid + blockDim.x / 2];
    }
    __syncthreads();
    if (tid == 0) {
        output[blockIdx.x] = sharedData[0];
    }
}

int main()
{
    const int N = 850, B = (N + 255) / 256;
    static float x[N];
    float y[B];
    for (int i = 0; i < N; i++) x[i] = (float)(i % 50);
    float *dx, *dy;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    synchronizedKernel<<<B, 256>>>(dy, dx, N);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int b = 0; b < B; b++) bad += y[b] != x[b * 256] + (b * 256 + 128 < N ? x[b * 256 + 128] : 0);
    std::printf(bad ? "FAIL: %d blocks wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// read of shared cells that were never written: line 16 in the last block, where line 12 is
// skipped; no race
// expect: mem-uninit @16
