// Per warp: the lowest lane with a positive value and the number of such lanes.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

__global__ void leaders(const float *x, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    unsigned m = __ballot_sync(0xffffffffu, v > 0.0f);
    int leader = __ffs(m) - 1;
    int npos = __popc(m);
    if (threadIdx.x % 32 == 0)
        out[i / 32] = leader * 100 + npos;
}

int main()
{
    const int N = 256;
    float x[N];
    int out[N / 32], bad = 0, *dout;
    for (int i = 0; i < N; i++) x[i] = (i * 7) % 11 > 5 && i < 224 ? 1.0f : -1.0f;
    float *dx;
    CK(cudaMalloc(&dx, sizeof x)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice));
    leaders<<<2, N / 2>>>(dx, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int w = 0; w < N / 32; w++) {
        int leader = -1, npos = 0;
        for (int l = 31; l >= 0; l--)
            if (x[32 * w + l] > 0) { leader = l; npos++; }
        bad += out[w] != leader * 100 + npos;
    }
    std::printf(bad ? "FAIL: %d warps wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean
// expect: clean
// stdout: PASS
