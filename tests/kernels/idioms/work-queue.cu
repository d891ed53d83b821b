// Blocks fetch jobs from a counter. Fault: the next job's number is stored while slow threads still read the last one.
#include "../engine/host.h"
const int T = 96, JOBS = 20;
__device__ int next_job;

__global__ void work(const int *in, int *out)
{
    __shared__ int job;
    for (;;) {
        if (threadIdx.x == 0)
            job = atomicAdd(&next_job, 1);
        __syncthreads();
        int j = job;
#ifdef FIX
        __syncthreads();
#endif
        if (j >= JOBS)
            return;
        out[j * T + threadIdx.x] = in[j * T + threadIdx.x] + j;
    }
}

int main()
{
    const int N = JOBS * T;
    int in[N], want[N];
    for (int i = 0; i < N; i++) { in[i] = i % 41; want[i] = in[i] + i / T; }
    Dev<int> di(N), dout(N);
    di.put(in);
    work<<<3, T>>>(di.p, dout.p);
    same("work", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: race-shared @11 @13
// allow: mem-bounds barrier-divergence
// errors: 1
