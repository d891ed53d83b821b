// SPDX-License-Identifier: Apache-2.0
// A counter in shared memory is set by an atomic store of one thread, and no barrier comes before the others count.
// expect: lost-addition=warning @19 @24
// stdout: PASS
// twin: -DFIX
#include <cstdio>
#include <cuda/atomic>

#define N 256

__global__ void count(const int *x, int *out)
{
    __shared__ int here;
    cuda::atomic_ref<int, cuda::thread_scope_block> all(here);
    if (threadIdx.x == 0)
        here = 7; // of what was counted before
    __syncthreads();
    if (threadIdx.x == 0)
        all.store(0, cuda::memory_order_relaxed);
#ifdef FIX
    __syncthreads();
#endif
    if (x[threadIdx.x] > 0)
        atomicAdd(&here, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = here;
}

int main()
{
    int *x, *out, got;
    cudaMalloc(&x, N * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    cudaMemset(x, 1, N * sizeof(int));
    count<<<1, N>>>(x, out);
    cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost);
    printf("%s\n", got <= N ? "PASS" : "FAIL"); // at most so many, as written
    return 0;
}
