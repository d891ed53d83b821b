// A sum of floats by atomics. No update is lost and nothing races, but the order of the additions is that of arrival,
// and float addition rounds: another order, another sum.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const float *in, int n, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

int main()
{
    const int N = 1024, T = 128;
    float host[N], got = 0, *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i % 3 ? 1.0f / (1 + i) : 1e4f / (1 + i);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof(float));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(float));
    sum<<<N / T, T>>>(in, N, out);
    cudaError_t e = cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("%s\n", cudaGetErrorString(e));
    return 0;
}

// expect: order-float @10
// allow: contention
