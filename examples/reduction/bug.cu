// A tree in shared memory whose last steps go without barriers, since "a warp runs in lockstep". It does not: since
// Volta each thread has its own program counter, and the compiler may keep or reorder what no barrier holds.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const int *in, int n, int *out)
{
    __shared__ int part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 32; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t < 32)
        for (int half = 32; half > 0; half /= 2)
            part[t] += part[t + half];
    if (t == 0)
        out[blockIdx.x] = part[0];
}

int main()
{
    const int N = 1000, T = 256, BLOCKS = (N + T - 1) / T;
    int host[N], part[BLOCKS], got = 0, want = 0, *in, *out;
    for (int i = 0; i < N; i++)
        want += host[i] = i % 10;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof part);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, T>>>(in, N, out);
    cudaError_t e = cudaMemcpy(part, out, sizeof part, cudaMemcpyDeviceToHost);
    for (int b = 0; b < BLOCKS; b++)
        got += part[b];
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), got != want);
    return 0;
}

// expect: race-warp|race-shared @19
