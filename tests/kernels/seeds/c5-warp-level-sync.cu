// Each thread stores a value and takes its right neighbour's by a shuffle.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void warpLevelSync(float *data, float *out)
{
    int tid = threadIdx.x;
    int laneId = tid % 32;
    data[tid] = tid * 0.5f;
    __syncwarp();
    float neighbor = __shfl_down_sync(0xFFFFFFFF, data[tid], 1);
    out[tid] = laneId < 31 ? neighbor : 0.0f;
}

int main()
{
    const int N = 128;
    float y[N], *dx, *dy;
    int bad = 0;
    CK(cudaMalloc(&dx, sizeof y)); CK(cudaMalloc(&dy, sizeof y));
    warpLevelSync<<<1, N>>>(dx, dy);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) bad += y[i] != (i % 32 < 31 ? (i + 1) * 0.5f : 0.0f);
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean (the __syncwarp() at line 11 is not needed for the shuffle: every lane passes its own cell)
// expect: clean
// stdout: PASS
