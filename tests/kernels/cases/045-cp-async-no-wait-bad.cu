// A block is reversed through shared memory, filled by asynchronous copies.
// Fault: __syncthreads() is taken to wait for the copies as well.
#include <cuda_pipeline.h>
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 256, BLOCKS = 8;

__global__ void reverse(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x, base = blockIdx.x * T;
    __pipeline_memcpy_async(&s[t], &in[base + t], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    out[base + t] = s[T - 1 - t];
}

int main()
{
    static int in[T * BLOCKS], out[T * BLOCKS];
    for (int i = 0; i < T * BLOCKS; i++) in[i] = 2 * i + 5;
    int *di, *dout, bad = 0;
    CK(cudaMalloc(&di, sizeof in)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(di, in, sizeof in, cudaMemcpyHostToDevice));
    reverse<<<BLOCKS, T>>>(di, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < T * BLOCKS; i++) bad += out[i] != in[i / T * T + T - 1 - i % T];
    std::printf(bad ? "FAIL: %d values wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (shared): the asynchronous copies of line 14 are not waited for; the barrier at line 16 does
// not wait for them, so line 17 may read before they land
// expect: race-shared @14 @17
