// SPDX-License-Identifier: Apache-2.0
// Three barriers: line 14 hands values over, either of lines 17 and 19 keeps the next round's stores off the
// reads: one of the two is not needed.
// expect: barrier-redundant @17
#include <cstdio>
#include <cuda_runtime.h>

__global__ void turn(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
    for (int r = 0; r < 3; r++) {
        s[t] = v;
        __syncthreads();
        v = s[(t + 1) % 64];
        int mine = v * 2 + r;
        __syncthreads();
        v = mine % 1000;
        __syncthreads();
    }
    out[t] = v;
}

int main()
{
    int *d, h[64] = {0};
    cudaMalloc(&d, 128 * sizeof(int));
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    turn<<<1, 64>>>(d, d + 64);
    cudaMemcpy(h, d + 64, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h[0]);
    return 0;
}
