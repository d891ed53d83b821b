// Warp 1 waits for a volatile shared flag that warp 0 sets after writing data.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void flagged(int *out)
{
    __shared__ volatile int flag;
    __shared__ int data[32];
    int t = threadIdx.x;
    if (t == 0)
        flag = 0;
    __syncthreads();
    if (t == 0) {
        for (int k = 0; k < 32; k++)
            data[k] = 3 * k;
        flag = 1;
    }
    if (t >= 32) {
        while (flag == 0) {
        }
        out[t - 32] = data[t - 32];
    }
}

int main()
{
    int y[32], *dy, bad = 0;
    CK(cudaMalloc(&dy, sizeof y));
    flagged<<<1, 64>>>(dy);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dy, sizeof y, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 32; k++) bad += y[k] != 3 * k;
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// missing fence: the volatile flag (lines 17 and 20) does not order data[] (lines 16 and 22); data
// race on data[]. The listing is one line, the declaration; the use around it is ours
// expect: fence-missing-*|race-shared|race-volatile @16-22
