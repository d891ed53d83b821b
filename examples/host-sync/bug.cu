// A kernel launch returns at once. The host reads what the kernel writes without having waited for it: managed memory
// needs no copy, so nothing waits by itself.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void squares(int *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] = i * i;
}

int main()
{
    const int N = 256;
    int *v, wrong = 0;
    cudaMallocManaged(&v, N * sizeof(int));
    squares<<<2, 128>>>(v, N);
    for (int i = 0; i < N; i++)
        wrong += v[i] != i * i;
    cudaError_t e = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    cudaFree(v);
    return 0;
}

// expect: host-unsynced|host-race @20
