// Block sum; the last 32 threads finish without block barriers.
// The tail separates every read from the next write with __syncwarp().
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int N = 256;

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int d = N / 2; d >= 32; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t < 16) {
        for (int d = 16; d > 0; d /= 2) {
            int v = s[t] + s[t + d];
            __syncwarp(0xffffu);
            s[t] = v;
            __syncwarp(0xffffu);
        }
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

// clean: __syncwarp() at lines 22,24
// expect: clean
// stdout: PASS
