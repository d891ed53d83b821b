// Values travel round a ring of threads, one place per round.
// Fault: one barrier per round, one buffer.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 192, ROUNDS = 40;

__global__ void ring(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x, v = in[t];
    for (int r = 0; r < ROUNDS; r++) {
        s[t] = v;
        __syncthreads();
        v = s[(t + 1) % T];
    }
    out[t] = v;
}

int main()
{
    int in[T], out[T], bad = 0, *di, *dout;
    for (int i = 0; i < T; i++) in[i] = 7 * i;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    ring<<<1, T>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < T; i++) bad += out[i] != in[(i + ROUNDS) % T];
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (write after read, shared): with one buffer the store at line 14 of a round races with the
// load at line 16 of the round before
// expect: race-shared @14 @16
