// Squares computed into managed memory and checked by the host.
// The host waits for the kernel.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 1 << 16;

__global__ void squares(int *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = (i % 1000) * (i % 1000);
}

int main()
{
    int *x, bad = 0;
    CK(cudaMallocManaged(&x, N * sizeof(int)));
    CK(cudaMemset(x, 0, N * sizeof(int)));
    CK(cudaDeviceSynchronize());
    squares<<<N / 256, 256>>>(x);
    CK(cudaGetLastError());
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        bad += x[i] != (i % 1000) * (i % 1000);
    std::printf(bad ? "FAIL: %d values not there yet\n" : "PASS\n", bad);
    return bad != 0;
}

// clean: line 23 waits for the kernel
// expect: clean
// stdout: PASS
