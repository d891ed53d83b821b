// Sum of floats of very different size, computed again and again.
// Fault: blocks add to one float as they come, so the rounding changes from run to run.
#include <cstring>
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 128, BLOCKS = 128;

__global__ void sum(const float *in, float *part, float *out)
{
    __shared__ float s[T];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * T + t];
    __syncthreads();
    for (int d = T / 2; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        atomicAdd(out, s[0]);
}


int main()
{
    static float in[T * BLOCKS];
    float *di, *part, *dout, first = 0, v;
    for (int i = 0; i < T * BLOCKS; i++) in[i] = (i % 7 == 0 ? 1e5f : 1e-3f) * (i % 113 + 1);
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&part, BLOCKS * sizeof(float))); CK(cudaMalloc(&dout, sizeof(float)));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    int differ = 0;
    for (int k = 0; k < 30; k++) {
        CK(cudaMemset(dout, 0, sizeof(float)));
        sum<<<BLOCKS, T>>>(di, part, dout);
        CK(cudaGetLastError());
        CK(cudaMemcpy(&v, dout, sizeof v, cudaMemcpyDeviceToHost));
        if (k == 0) first = v;
        differ += std::memcmp(&v, &first, sizeof v) != 0;
    }
    std::printf(differ ? "FAIL: %d of 30 runs differ\n" : "PASS\n", differ);
    return differ != 0;
}

// nondeterministic result: the float atomicAdd at line 22 adds in the order of arrival; no data
// race
// expect: order-float @22
