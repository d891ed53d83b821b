// Masked sum over tiles; a tile whose mask is all zero is skipped.
// Fault: a fast warp skips, loads the next mask and changes what a slow warp is testing.
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
        __syncthreads();
        int any = 0;
        for (int j = 0; j < T; j++)
            any |= m[j];
        if (!any)
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

// race (write after read, shared): the store at line 14 of the next tile against the loads at line
// 18 by warps which have not yet decided; the warps may then disagree about the skip at line 20 and
// meet different barriers (lines 15 and 23)
// expect: race-shared @14 @18
// expect: barrier-divergence @15 @23
// errors: 1
