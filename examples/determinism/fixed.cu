// A tree of a shape that n alone decides: each addition has its two operands whatever comes first, so the bits of the
// sum are the same on every run. The second launch adds up the blocks' sums by the same tree.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(const float *in, int n, float *out)
{
    __shared__ float part[128];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half)
            part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

int main()
{
    const int N = 1024, T = 128;
    float host[N], got[2] = {0, 1}, *in, *part, *out;
    for (int i = 0; i < N; i++)
        host[i] = i % 3 ? 1.0f / (1 + i) : 1e4f / (1 + i);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&part, N / T * sizeof(float));
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    for (int again = 0; again < 2; again++) {
        sum<<<N / T, T>>>(in, N, part);
        sum<<<1, T>>>(part, N / T, out + again);
    }
    cudaError_t e = cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), got[0] != got[1]);
    return got[0] != got[1];
}

// expect: clean
// stdout: no error, 0 wrong
