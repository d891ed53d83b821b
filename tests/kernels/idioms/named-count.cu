// Two warps produce, two consume, over named barriers. Fault: the producers wait for more threads than ever come.
#include "../engine/host.h"
const int N = 64;

__device__ void arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void meet(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }

__global__ void hand(const int *in, int *out)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    if (t < N) {
        s[t] = 2 * in[t];
        arrive(1, 2 * N);
    } else {
#ifdef FIX
        meet(1, 2 * N);
#else
        meet(1, 3 * N);
#endif
        out[t - N] = s[2 * N - 1 - t];
    }
}

int main()
{
    int in[N], want[N];
    for (int i = 0; i < N; i++) in[i] = i + 4;
    for (int i = 0; i < N; i++) want[i] = 2 * in[N - 1 - i];
    Dev<int> di(N), dout(N);
    di.put(in);
    hand<<<1, 2 * N>>>(di.p, dout.p);
    same("hand", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: barrier-count @19
// allow: deadlock-barrier
