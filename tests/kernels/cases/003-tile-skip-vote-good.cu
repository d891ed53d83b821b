// Masked sum over tiles; a tile whose mask is all zero is skipped.
// The decision is taken by a block-wide vote, which is also the barrier.
#include <cstdio>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { std::printf("FAIL: %s (line %d)\n", cudaGetErrorString(e_), __LINE__); return 2; } } while (0)

const int T = 128, TILES = 16;

__global__ void maskedSum(const int *mask, int *out)
{
    __shared__ int m[T];
    int t = threadIdx.x, sum = 0;
    for (int k = 0; k < TILES; k++) {
        m[t] = mask[k * T + t];
        if (!__syncthreads_or(m[t]))
            continue;
        for (int j = 0; j < T; j++)
            sum += m[j] * (j + 1);
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    static int mask[TILES * T], out[T];
    int want = 0;
    for (int i = 0; i < TILES * T; i++) {
        mask[i] = (i / T) % 3 == 1 ? i % 4 : 0;
        want += mask[i] * (i % T + 1);
    }
    int *dm, *dout;
    CK(cudaMalloc(&dm, sizeof mask)); CK(cudaMalloc(&dout, sizeof out));
    CK(cudaMemcpy(dm, mask, sizeof mask, cudaMemcpyHostToDevice));
    maskedSum<<<1, T>>>(dm, dout);
    CK(cudaGetLastError());
    CK(cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int t = 0; t < T; t++) bad += out[t] != want;
    std::printf(bad ? "FAIL: %d threads wrong\n" : "PASS\n", bad);
    return bad != 0;
}

// clean: the vote at line 15 gives all threads one answer and the skipped path reads nothing
// expect: clean
// stdout: PASS
