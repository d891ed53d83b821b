// Three-point sum over several blocks, each with its tile in shared memory.
// Fault: the result goes back into the array that the neighbour blocks still read.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 128, BLOCKS = 16, N = T * BLOCKS;

__global__ void smooth(int *x)
{
    __shared__ int tile[T + 2];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    tile[t + 1] = x[i];
    if (t == 0) tile[0] = i > 0 ? x[i - 1] : 0;
    if (t == T - 1) tile[T + 1] = i < N - 1 ? x[i + 1] : 0;
    __syncthreads();
    x[i] = tile[t] + tile[t + 1] + tile[t + 2];
}

int main()
{
    static int in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i % 11;
    int *dx, *dy;
    CK(cudaMalloc(&dx, sizeof in)); CK(cudaMalloc(&dy, sizeof in));
    CK(cudaMemcpy(dx, in, sizeof in, cudaMemcpyHostToDevice));
    smooth<<<BLOCKS, T>>>(dx);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dx, sizeof out, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += out[i] != in[i] + (i > 0 ? in[i - 1] : 0) + (i < N - 1 ? in[i + 1] : 0);
    std::printf(bad ? "FAIL: %d cells wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// race (global, between blocks): the halo loads at lines 14,15 read cells which the neighbour block
// overwrites at line 17 in the same launch
// expect: race-global @17 @14
// expect: race-global @17 @15
