// Each block reverses its tile. All threads meet at the barrier, those beyond the end with nothing to do.
#include <cstdio>
#include <cuda_runtime.h>

const int TILE = 128;

__global__ void reverse_tiles(const int *in, int *out, int n)
{
    __shared__ int tile[TILE];
    int t = threadIdx.x, i = blockIdx.x * TILE + t;
    int length = min(TILE, n - (int)blockIdx.x * TILE);
    if (i < n)
        tile[t] = in[i];
    __syncthreads();
    if (i < n)
        out[i] = tile[length - 1 - t];
}

int main()
{
    const int N = 1000;
    int host[N], *in, *out;
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    reverse_tiles<<<(N + TILE - 1) / TILE, TILE>>>(in, out, N);
    cudaError_t e = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        int start = i / TILE * TILE, length = N - start < TILE ? N - start : TILE;
        wrong += host[i] != start + length - 1 - (i - start);
    }
    std::printf("%s, %d wrong\n", cudaGetErrorString(e), wrong);
    return wrong != 0;
}

// expect: clean
// stdout: no error, 0 wrong
