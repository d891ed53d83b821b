// Counts how often each digit occurs. Threads that meet the same digit read the same old count.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count_digits(const int *in, int *counts, int n)
{
    __shared__ int local[10];
    if (threadIdx.x < 10)
        local[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        local[in[i]] += 1; // read, add, write: three steps that others come between
    __syncthreads();
    if (threadIdx.x < 10)
        atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int N = 1000;
    int host[N], counts[10] = {0}, *in, *out, wrong = 0;
    for (int i = 0; i < N; i++)
        host[i] = i % 10;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof counts);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(out, counts, sizeof counts, cudaMemcpyHostToDevice);
    count_digits<<<(N + 127) / 128, 128>>>(in, out, N);
    cudaError_t e = cudaMemcpy(counts, out, sizeof counts, cudaMemcpyDeviceToHost);
    for (int d = 0; d < 10; d++)
        wrong += counts[d] != N / 10;
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return wrong != 0;
}

// expect: race-shared|race-warp @13
