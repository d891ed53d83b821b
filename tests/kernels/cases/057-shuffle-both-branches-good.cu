// The two halves of a warp exchange their values.
// Each half calls the exchange in its own branch.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void exchange(const int *in, int *out)
{
    int t = threadIdx.x, v;
    if (t % 32 < 16) {
        v = in[t] + 1;
        v = 10 * __shfl_xor_sync(0xffffffffu, v, 16);
    } else {
        v = in[t] + 2;
        v = 20 * __shfl_xor_sync(0xffffffffu, v, 16);
    }
    __syncwarp();
    out[t] = v;
}

int main()
{
    const int N = 64;
    int in[N], out[N], bad = 0, *di, *dout;
    for (int i = 0; i < N; i++) in[i] = 5 * i;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    exchange<<<1, N>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        bool low = i % 32 < 16;
        bad += out[i] != (low ? 10 * (in[i + 16] + 2) : 20 * (in[i - 16] + 1));
    }
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean: both sides of the branch call the shuffle with the same mask (lines 12 and 15), which is
// allowed from Volta on (a false-alarm trap)
// expect: clean
// stdout: PASS
