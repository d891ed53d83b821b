// 128 values are folded to 32 and handed to all threads.
// Fault: the barrier that was added between the folds is met by half of the warps only.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 128;

__global__ void fold(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) {
        s[t] += s[t + 64];
        __syncthreads();
    }
    if (t < 32)
        s[t] += s[t + 32];
    __syncthreads();
    out[t] = s[t % 32];
}

int main()
{
    int in[T], out[T], bad = 0;
    for (int i = 0; i < T; i++) in[i] = i * i % 29;
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    fold<<<1, T>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < T; i++) {
        int k = i % 32;
        bad += out[i] != in[k] + in[k + 32] + in[k + 64] + in[k + 96];
    }
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// barrier divergence: only warps 0 and 1 meet the barrier at line 17; it pairs with the barrier at
// line 21 of warps 2 and 3, which then read the cells of line 22 while warp 0 still updates them at
// line 20 (race)
// expect: barrier-divergence @17 @21
// allow: race-shared
