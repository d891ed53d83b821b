// Sum in one launch. Each warp adds its cells through volatile; the last block adds the blocks' sums, puts its
// own over the first of them and resets the counter before anybody reads. Only the reading side lacks its fence:
// advice for the read and for the write alike, however much volatile traffic lies between.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 128, BLOCKS = 96;
__device__ unsigned int retired = 0;

__device__ void total(volatile int *s, int v)
{
    int t = threadIdx.x;
    s[t] = v;
    __syncwarp();
    for (int i = 16; i > 0; i /= 2) {
        if (t % 32 < i)
            s[t] = v += s[t + i];
        __syncwarp();
    }
    __syncthreads();
    if (t == 0)
        for (int i = 32; i < T; i += 32)
            s[0] = s[0] + s[i];
    __syncthreads();
}

__global__ void sum(const int *x, int *part)
{
    __shared__ int s[T];
    __shared__ bool last;
    total(s, x[blockIdx.x * T + threadIdx.x]);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicAdd(&retired, 1u) == gridDim.x - 1;
        if (last)
            retired = 0;
    }
    __syncthreads();
    if (last) {
        int v = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0;
        total(s, v);
        if (threadIdx.x == 0)
            part[0] = s[0];
    }
}

int main()
{
    static int x[T * BLOCKS];
    int want = 0, got = 0, *dx, *dp;
    for (int i = 0; i < T * BLOCKS; i++)
        want += x[i] = i % 7;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dp, BLOCKS * sizeof(int)));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    for (int k = 0; k < 2; k++)
        sum<<<BLOCKS, T>>>(dx, dp);
    CK(cudaGetLastError());
    CK(cudaMemcpy(&got, dp, sizeof got, cudaMemcpyDeviceToHost));
    std::printf(got == want ? "PASS\n" : "FAIL: %d, not %d\n", got, want);
    return got != want;
}
// stdout: PASS
// expect: fence-missing-acquire @34 @42
// expect: fence-missing-acquire @34 @45
