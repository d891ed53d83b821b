// Inclusive scan by Hillis and Steele: in each step a thread adds what stands `step` places before it. One barrier a
// step parts the steps, but not the reads of a step from its writes.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void scan(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t >= step)
            s[t] += s[t - step];
        __syncthreads();
    }
    out[t] = s[t];
}

int main()
{
    const int T = 256;
    int host[T], *in, *out, want = 0, wrong = 0;
    for (int i = 0; i < T; i++)
        host[i] = i % 5;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    scan<<<1, T>>>(in, out);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < T; i++)
        wrong += host[i] != (want += i % 5);
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return 0;
}

// expect: race-shared|race-warp @14
