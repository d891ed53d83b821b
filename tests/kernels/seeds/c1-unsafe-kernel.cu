// Every thread adds its left neighbour's value, without any synchronization.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void unsafeKernel(float *sharedData, float *input)
{
    __shared__ float temp[256];
    int tid = threadIdx.x;
    temp[tid] = input[tid];
    if (tid > 0) {
        temp[tid] += temp[tid - 1];
    }
    sharedData[tid] = temp[tid];
}

int main()
{
    const int N = 256;
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)(i + 1);
    float *dx, *dy;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dy, sizeof y));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    unsafeKernel<<<1, N>>>(dy, dx);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != x[i] + (i > 0 ? x[i - 1] : 0);
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (shared): the store of line 10 against the load of line 12 by the next thread, and line 12
// against itself between neighbours
// expect: race-shared @12
// allow: race-warp
