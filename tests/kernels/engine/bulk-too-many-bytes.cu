// SPDX-License-Identifier: Apache-2.0
// More bytes are expected at the mbarrier than the copy brings: nobody can go on.
// expect: deadlock-barrier
// compiler: -arch=sm_90
#include "host.h"
#include "bulk.h"

#define N 256
__global__ void twice(const int *in, int *out, int rounds)
{
    __shared__ __align__(128) int box[N];
    __shared__ unsigned long long bar;
    int t = threadIdx.x;
    if (t == 0)
        mbar_init(&bar, 1);
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        if (t == 0) {
            mbar_expect(&bar, sizeof box + 16);
            bulk_in(box, in + r * N, sizeof box, &bar);
        }
        mbar_wait(&bar, r & 1);
        int v = box[t];
        box[t] = 2 * v;
        proxy_fence();
        __syncthreads();
        if (t == 0) {
            bulk_out(out + r * N, box, sizeof box);
            bulk_read_done();
        }
        __syncthreads();
    }
    if (t == 0)
        bulk_done();
}

int main()
{
    int *in, *out, bad = 0, n = 4 * N;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    for (int i = 0; i < n; i++)
        in[i] = i;
    twice<<<1, N>>>(in, out, 4);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
        bad += out[i] != 2 * i;
    puts(bad ? "FAIL" : "PASS");
    return 0;
}
