// One thread of each block adds to a record under a ticket lock. Fault: the lock's atomics order nothing.
#include "../engine/host.h"
struct Lock { unsigned next, serving; };
__device__ Lock lock;
__device__ int n_seen, sum_seen;

__device__ void take(Lock *l)
{
    unsigned mine = atomicAdd(&l->next, 1u);
    while (atomicAdd(&l->serving, 0u) != mine)
        ;
#ifdef FIX
    __threadfence();
#endif
}

__device__ void leave(Lock *l)
{
#ifdef FIX
    __threadfence();
#endif
    atomicAdd(&l->serving, 1u);
}

__global__ void record(const int *in)
{
    if (threadIdx.x == 0) {
        take(&lock);
        n_seen += 1;
        sum_seen += in[blockIdx.x];
        leave(&lock);
    }
}

__global__ void show(int *out) { out[0] = n_seen; out[1] = sum_seen; }

int main()
{
    const int B = 24;
    int in[B], want[2] = {B, 0};
    for (int i = 0; i < B; i++) want[1] += in[i] = i * i;
    Dev<int> di(B), dout(2);
    di.put(in);
    record<<<B, 64>>>(di.p);
    show<<<1, 1>>>(dout.p);
    same("record", dout.get(), want, 2);
    return done();
}
// twin: -DFIX
// expect: fence-missing-release @29 @22 @10
// expect: fence-missing-release @30 @22 @10
