// Sums of 40 values a block by shuffles. The mask names the lanes that exist.
#include <cstdio>
#include <cuda_runtime.h>

const int SIZE = 40;

__global__ void block_sums(const int *in, int *out)
{
    __shared__ int part[2];
    int t = threadIdx.x, v = in[blockIdx.x * SIZE + t];
    unsigned lanes = t < 32 ? 0xffffffffu : (1u << (SIZE - 32)) - 1;
    for (int d = 16; d > 0; d /= 2) {
        int other = __shfl_down_sync(lanes, v, d);
        if (t % 32 + d < 32 && t + d < SIZE)
            v += other;
    }
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = part[0] + part[1];
}

int main()
{
    const int BLOCKS = 16;
    int host[BLOCKS * SIZE], sums[BLOCKS], *in, *out, wrong = 0;
    for (int i = 0; i < BLOCKS * SIZE; i++)
        host[i] = i % 23;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof sums);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    block_sums<<<BLOCKS, SIZE>>>(in, out);
    cudaError_t e = cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    for (int b = 0; b < BLOCKS; b++) {
        int want = 0;
        for (int i = 0; i < SIZE; i++)
            want += host[b * SIZE + i];
        wrong += sums[b] != want;
    }
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return wrong != 0;
}

// expect: clean
// stdout: no error, 0 wrong
