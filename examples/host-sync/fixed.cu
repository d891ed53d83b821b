// A kernel launch returns at once; cudaDeviceSynchronize() waits for all that was put on the device, and tells whether
// it went well. (cudaStreamSynchronize waits for one stream, cudaEventSynchronize for a point in one.)
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
    cudaError_t e = cudaDeviceSynchronize();
    for (int i = 0; i < N; i++)
        wrong += v[i] != i * i;
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    cudaFree(v);
    return wrong != 0;
}

// expect: clean
// stdout: no error, 0 wrong
