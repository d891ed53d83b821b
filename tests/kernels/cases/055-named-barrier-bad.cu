// The upper half of a block produces a table, the lower half reads it.
// Fault: the readers wait at a barrier which the writers never reach.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int H = 128;

__global__ void halves(const int *in, int *out)
{
    __shared__ int table[H];
    int t = threadIdx.x;
    if (t >= H) {
        table[t - H] = in[t - H] * in[t - H];
    } else {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        out[t] = table[H - 1 - t];
    }
}

int main()
{
    int in[H], out[H], bad = 0, *di, *dout;
    for (int i = 0; i < H; i++) in[i] = i + 3;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    halves<<<1, 2 * H>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < H; i++) bad += out[i] != in[H - 1 - i] * in[H - 1 - i];
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// deadlock: the named barrier at line 16 waits for 256 threads, but only the 128 threads of this
// branch ever come to it; hangs on a GPU
// expect: deadlock-barrier @16
