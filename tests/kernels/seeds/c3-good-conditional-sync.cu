// The barrier stands outside the condition; the result is written back to be checked.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void goodConditionalSync(float *data)
{
    __shared__ float temp[256];
    if (threadIdx.x < 128) {
        temp[threadIdx.x] = data[threadIdx.x];
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        temp[threadIdx.x] *= 2.0f;
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        data[threadIdx.x] = temp[threadIdx.x];
    }
}

int main()
{
    const int N = 256;
    float x[N], y[N];
    for (int i = 0; i < N; i++) x[i] = (float)i;
    float *dx;
    CK(cudaMalloc(&dx, sizeof x));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    goodConditionalSync<<<1, N>>>(dx);
    CK(cudaGetLastError());
    CK(cudaMemcpy(y, dx, sizeof y, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++) bad += y[i] != (i < 128 ? 2 * x[i] : x[i]);
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean (the barrier at line 16 is not needed: every thread goes on with its own cell; advice at
// most)
// expect: clean
// stdout: PASS
