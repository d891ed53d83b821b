// Two phases with a barrier over all blocks made of a counter. Fault: it lets blocks wait, but orders nothing.
#include "../engine/host.h"
const int B = 8, T = 32;
__device__ unsigned arrived;

__device__ void meet()
{
    __syncthreads();
    if (threadIdx.x == 0) {
#ifdef FIX
        __threadfence();
#endif
        atomicAdd(&arrived, 1u);
        while (atomicAdd(&arrived, 0u) < gridDim.x)
            ;
#ifdef FIX
        __threadfence();
#endif
    }
    __syncthreads();
}

__global__ void shift(int *a, int *b)
{
    int i = blockIdx.x * T + threadIdx.x, n = gridDim.x * T;
    a[i] = i * 3;
    meet();
    b[i] = a[(i + T) % n];
}

int main()
{
    const int N = B * T;
    int want[N];
    for (int i = 0; i < N; i++) want[i] = (i + T) % N * 3;
    Dev<int> da(N), db(N);
    shift<<<B, T>>>(da.p, db.p);
    same("shift", db.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @26 @28 @13 @14
// allow: contention
