// Squares computed into managed memory and checked by the host.
// Fault: the launch returns at once and the host does not wait for the kernel.
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
    for (int i = 0; i < N; i++)
        bad += x[i] != (i % 1000) * (i % 1000);
    std::printf(bad ? "FAIL: %d values not there yet\n" : "PASS\n", bad);
    return bad != 0;
}

// host-sync: the host reads managed memory at line 24 while the kernel of line 21 may still write
// it; no synchronization in between
// expect: host-race @24 @12 @21
