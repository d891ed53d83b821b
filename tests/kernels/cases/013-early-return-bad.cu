// Sum per tile of an array whose length is not a multiple of the tile; two tiles per block.
// Fault: threads beyond the end return before the barriers and leave their cells unset.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 256, PER = 2;

__global__ void tileSums(const int *in, int n, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x;
    for (int tile = blockIdx.x * PER; tile < (blockIdx.x + 1) * PER; tile++) {
        int i = tile * T + t;
        if (i >= n)
            return;
        s[t] = in[i];
        __syncthreads();
        for (int d = T / 2; d > 0; d /= 2) {
            if (t < d)
                s[t] += s[t + d];
            __syncthreads();
        }
        if (t == 0)
            out[tile] = s[0];
    }
}

int main()
{
    const int N = 2000, B = (N + T - 1) / T;
    static int in[N];
    int out[B], bad = 0;
    for (int i = 0; i < N; i++) in[i] = i % 19 + 1;
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    tileSums<<<B / PER, T>>>(di, N, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int b = 0; b < B; b++) {
        int want = 0;
        for (int i = b * T; i < N && i < (b + 1) * T; i++) want += in[i];
        bad += out[b] != want;
    }
    std::printf(bad ? "FAIL: %d tiles wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// barrier divergence: threads return at line 16, one warp only in part, and the rest meet the
// barriers at lines 18,22 (exited threads are not waited for on sm_70 and later, so no hang); and
// line 21 adds cells left from the tile before, which the threads that returned should have set
// expect: barrier-divergence @16 @18
