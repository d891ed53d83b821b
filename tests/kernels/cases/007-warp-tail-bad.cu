// Block sum; the last 32 threads finish without block barriers.
// Fault: the tail relies on the lanes of a warp running in step, which ended with Volta.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 256;

__global__ void sum(const int *in, int *out)
{
    __shared__ volatile int s[N];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int d = N / 2; d >= 32; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 16) {
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main()
{
    const int B = 4;
    static int in[B * N];
    int out[B], bad = 0;
    for (int i = 0; i < B * N; i++) in[i] = i % 23;
    int *di, *dout;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    sum<<<B, N>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int b = 0; b < B; b++) {
        int want = 0;
        for (int i = 0; i < N; i++) want += in[b * N + i];
        bad += out[b] != want;
    }
    std::printf(bad ? "FAIL: %d blocks wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// unsynchronized exchange between lanes of one warp: lines 20,21,22,23,24 read a neighbour lane's
// cell without __syncwarp() between its store and the load (volatile makes them relaxed accesses in
// PTX, so not a data race there, but unordered: a lane may read the old or a too new value)
// expect: race-warp @20 @21
// expect: race-warp @22 @23
// expect: race-warp @23 @24
