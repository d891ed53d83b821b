// Block sum in two steps: warps, then the warp sums.
// Fault: the second step takes one warp sum per lane, but there are only eight.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 256, WARPS = T / 32;

__device__ int warpSum(int v)
{
    for (int o = 16; o > 0; o /= 2)
        v += __shfl_down_sync(0xffffffffu, v, o);
    return v;
}

__global__ void sum(const int *in, int *out)
{
    __shared__ int part[WARPS];
    int t = threadIdx.x, v = warpSum(in[blockIdx.x * T + t]);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = warpSum(part[t]);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

int main()
{
    const int B = 6;
    static int in[B * T];
    int out[B], bad = 0, *di, *dout;
    for (int i = 0; i < B * T; i++) in[i] = i % 41;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    sum<<<B, T>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int b = 0; b < B; b++) {
        int want = 0;
        for (int i = 0; i < T; i++) want += in[b * T + i];
        bad += out[b] != want;
    }
    std::printf(bad ? "FAIL: %d blocks wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// memcheck: line 24 reads 32 cells of an array of 8 in shared memory (out of bounds for lanes 8 to
// 31); no race
// expect: mem-bounds @24
