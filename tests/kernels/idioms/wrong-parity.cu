// An mbarrier by hand, two rounds. Fault: the second round waits for the parity of the first, which is over already.
#include "../engine/host.h"
const int T = 64;

__device__ unsigned shared_of(void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void arrive(unsigned long long *bar)
{
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(shared_of(bar)) : "memory");
}
__device__ void wait(unsigned long long *bar, int parity)
{
    int done;
    do
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(shared_of(bar)), "r"(parity) : "memory");
    while (!done);
}

__global__ void rounds(const int *in, int *out)
{
    __shared__ unsigned long long bar;
    __shared__ int s[2][T];
    int t = threadIdx.x;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_of(&bar)), "r"(T) : "memory");
    __syncthreads();
    s[0][t] = in[t];
    arrive(&bar);
    wait(&bar, 0);
    s[1][t] = s[0][T - 1 - t];
    arrive(&bar);
#ifdef FIX
    wait(&bar, 1);
#else
    wait(&bar, 0);
#endif
    out[t] = s[1][(t + 32) % T];
}

int main()
{
    int in[T], want[T];
    for (int i = 0; i < T; i++) in[i] = i * 3;
    for (int i = 0; i < T; i++) want[i] = in[T - 1 - (i + 32) % T];
    Dev<int> di(T), dout(T);
    di.put(in);
    rounds<<<1, T>>>(di.p, dout.p);
    same("rounds", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @30 @37
// allow: mem-uninit deadlock-barrier
