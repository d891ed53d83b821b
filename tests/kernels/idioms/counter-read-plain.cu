// Threads count matches in shared memory; the count is read plainly. Fault: before all have counted.
#include "../engine/host.h"
const int T = 128;

__global__ void matches(const int *in, int key, int *out)
{
    __shared__ int n;
    if (threadIdx.x == 0)
        n = 0;
    __syncthreads();
    if (in[blockIdx.x * T + threadIdx.x] == key)
        atomicAdd(&n, 1);
#ifdef FIX
    __syncthreads();
#endif
    if (threadIdx.x == T - 1)
        out[blockIdx.x] = n;
}

int main()
{
    const int B = 2;
    int in[B * T], want[B] = {};
    for (int i = 0; i < B * T; i++) want[i / T] += (in[i] = i % 9) == 4;
    Dev<int> di(B * T), dout(B);
    di.put(in);
    matches<<<B, T>>>(di.p, 4, dout.p);
    same("matches", dout.get(), want, B);
    return done();
}
// twin: -DFIX
// expect: race-shared @12 @17
