// The fence reaches as far as the readers are: __threadfence() orders for the whole device. One thread fences behind the
// barrier, which has brought it what the others wrote.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void hand_over(int *buffer, int *flag, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        buffer[t] = 10 + t;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicExch(flag, 1);
        }
        return;
    }
    if (t == 0) {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
    }
    __syncthreads();
    out[(blockIdx.x - 1) * blockDim.x + t] = buffer[t];
}

int main()
{
    const int T = 64, READERS = 3;
    int host[T * READERS], *buffer, *flag, *out, wrong = 0;
    cudaMalloc(&buffer, T * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMalloc(&out, sizeof host);
    cudaMemset(flag, 0, sizeof(int));
    hand_over<<<1 + READERS, T>>>(buffer, flag, out);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < T * READERS; i++)
        wrong += host[i] != 10 + i % T;
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return wrong != 0;
}

// expect: clean
// stdout: no error, 0 wrong
