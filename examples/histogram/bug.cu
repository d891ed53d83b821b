// Each block counts in shared memory and adds its counts to the global ones. The counting is atomic; emptying the
// block's bins is not parted from it, nor counting from the merge.
#include <cstdio>
#include <cuda_runtime.h>

#define BINS 16

__global__ void histogram(const int *in, int n, int *bins)
{
    __shared__ int own[BINS];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < BINS)
        own[t] = 0;
    if (i < n)
        atomicAdd(&own[in[i] % BINS], 1);
    if (t < BINS)
        atomicAdd(&bins[t], own[t]);
}

int main()
{
    const int N = 2000, T = 128;
    int host[N], got[BINS], want[BINS] = {0}, *in, *bins, wrong = 0;
    for (int i = 0; i < N; i++)
        want[(host[i] = i * 7 % 1000) % BINS]++;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&bins, sizeof got);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, sizeof got);
    histogram<<<(N + T - 1) / T, T>>>(in, N, bins);
    cudaError_t e = cudaMemcpy(got, bins, sizeof got, cudaMemcpyDeviceToHost);
    for (int b = 0; b < BINS; b++)
        wrong += got[b] != want[b];
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return 0;
}

// expect: race-shared @13 @15
// allow: race-warp mem-uninit
