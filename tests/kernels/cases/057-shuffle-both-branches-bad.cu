// The two halves of a warp exchange their values.
// Fault: only one half calls the exchange.
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
        v = 20 * v;
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
        bad += out[i] != (low ? 10 * (in[i + 16] + 2) : 20 * (in[i] + 2));
    }
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// wrong mask: the shuffle at line 12 names 32 lanes, but only the lower 16 lanes call it while the
// others wait at line 17 (undefined: hang or garbage)
// expect: warp-mask @12 @17
