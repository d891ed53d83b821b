// The two halves of a block wait at two different barriers.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void badConditionalSync(float *data)
{
    __shared__ float temp[256];
    if (threadIdx.x < 128) {
        temp[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
    } else {
        __syncthreads();
    }
    data[threadIdx.x] = temp[threadIdx.x % 128] + 1.0f;
}

int main()
{
    const int N = 256;
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    float *dx;
    CK(cudaMalloc(&dx, sizeof x));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    badConditionalSync<<<1, N>>>(dx);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dx, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != x[i % 128] + 1.0f;
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// barrier divergence: warps 0 to 3 meet line 11, warps 4 to 7 meet line 13 (the text expects a
// deadlock; on sm_70 and later the two barriers usually pair up and the kernel ends)
// expect: barrier-divergence @11 @13
