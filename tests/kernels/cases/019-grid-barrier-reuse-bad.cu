// A grid barrier used fifty times in one cooperative launch of eight blocks.
// Fault: arrival and release of the barrier use the same counter.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int BLOCKS = 8, ROUNDS = 50;
__device__ unsigned arrived = 0;

__device__ void meet()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
            atomicExch(&arrived, 0u);
        } else {
            while (atomicAdd(&arrived, 0u) != 0)
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void turns(int *cell, int *out)
{
    int b = blockIdx.x, sum = 0;
    for (int r = 0; r < ROUNDS; r++) {
        if (threadIdx.x == 0)
            cell[r * BLOCKS + b] = r * 10 + b;
        meet();
        sum += cell[r * BLOCKS + (b + 1) % BLOCKS];
    }
    if (threadIdx.x == 0)
        out[b] = sum;
}

int main()
{
    int *cell, *dout, out[BLOCKS], bad = 0;
    CK(cudaMalloc(&cell, ROUNDS * BLOCKS * sizeof(int))); CK(cudaMalloc(&dout, sizeof out));
    void *args[] = {&cell, &dout};
    CK(cudaLaunchCooperativeKernel((void *)turns, dim3(BLOCKS), dim3(32), args, 0, 0));
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++)
        bad += out[b] != 10 * ROUNDS * (ROUNDS - 1) / 2 + ROUNDS * ((b + 1) % BLOCKS);
    std::printf(bad ? "FAIL: %d blocks wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// deadlock on repeated use: the last block resets the counter at line 16 and a fast block arrives
// for the next round (line 15) before a slow one has seen the zero at line 18; that one then waits
// for ever
// expect: deadlock-spin @15 @16 @18
