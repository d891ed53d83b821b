// Each block adds up its part; the last one to finish adds up the parts. The counter tells who is last, but
// not that the parts of the others can be read.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const int *in, int n, int *part, unsigned *done, int *out)
{
    __shared__ int total;
    __shared__ bool last;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    if (i < n)
        atomicAdd(&total, in[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        part[blockIdx.x] = total;
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        total = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            total += part[b];
        *out = total;
    }
}

int main()
{
    const int N = 1000, T = 128, BLOCKS = (N + T - 1) / T;
    int host[N], got = 0, want = 0, *in, *part, *out;
    unsigned *done;
    for (int i = 0; i < N; i++)
        want += host[i] = i % 7;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&part, BLOCKS * sizeof(int));
    cudaMalloc(&done, sizeof(unsigned));
    cudaMalloc(&out, sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(done, 0, sizeof(unsigned));
    sum<<<BLOCKS, T>>>(in, N, part, done, out);
    cudaError_t e = cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), got != want);
    return got != want;
}

// expect: fence-missing-release @18
