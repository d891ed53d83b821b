// Block 0 makes a table, the others wait for its flag and use the table. A fence on both sides: who sees the
// flag sees the table.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void squares(int *table, int *flag, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        table[t] = t * t;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
    } else {
        if (t == 0) {
            while (atomicAdd(flag, 0) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
        out[(blockIdx.x - 1) * blockDim.x + t] = table[blockDim.x - 1 - t];
    }
}

int main()
{
    const int T = 64, BLOCKS = 4;
    int host[T * (BLOCKS - 1)], *table, *flag, *out, wrong = 0;
    cudaMalloc(&table, T * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, sizeof host);
    cudaMemset(flag, 0, sizeof(int));
    squares<<<BLOCKS, T>>>(table, flag, out);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < T * (BLOCKS - 1); i++)
        wrong += host[i] != (T - 1 - i % T) * (T - 1 - i % T);
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return wrong != 0;
}

// expect: clean
// stdout: no error, 0 wrong
