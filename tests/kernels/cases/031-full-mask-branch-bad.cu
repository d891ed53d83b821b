// Sum of an array; every warp adds its part by shuffles.
// Fault: the shuffles stand in a branch which part of the last warp does not take.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void sum(const int *in, int n, int *warpSums)
{
    __shared__ int part[8];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (t < 8)
        part[t] = 0;
    __syncthreads();
    if (i < n) {
        int v = in[i];
        for (int o = 16; o > 0; o /= 2)
            v += __shfl_down_sync(0xffffffffu, v, o);
        if (t % 32 == 0)
            part[t / 32] = v;
    }
    __syncthreads();
    if (t < 8)
        warpSums[blockIdx.x * 8 + t] = part[t];
}

int main()
{
    const int N = 1000, B = 4;
    static int in[N];
    int sums[B * 8], want = 0, got = 0;
    for (int i = 0; i < N; i++) { in[i] = i % 17 + 1; want += in[i]; }
    int *di, *ds;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&ds, sizeof sums));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    sum<<<B, 256>>>(di, N, ds);
    CK(cudaGetLastError());
    CK(cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost));
    for (int k = 0; k < B * 8; k++) got += sums[k];
    std::printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}

// wrong mask: the shuffle at line 17 names all 32 lanes, but in the last warp only lanes 0 to 7
// reach it; the others wait at the barrier of line 21 (undefined: hang or garbage)
// expect: warp-mask @17 @21
