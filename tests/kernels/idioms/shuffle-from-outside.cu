// A group of eight lanes takes its leader's value. Fault: the leader's number is one of the whole warp.
#include "../engine/host.h"

__global__ void lead(const int *in, int *out)
{
    int t = threadIdx.x, v = in[t], got = -1;
    if (t < 8) {
#ifdef FIX
        got = __shfl_sync(0xffu, v, 7);
#else
        got = __shfl_sync(0xffu, v, 15);
#endif
    }
    out[t] = got;
}

int main()
{
    int in[32], want[32];
    for (int i = 0; i < 32; i++) { in[i] = 1000 + i; want[i] = i < 8 ? 1007 : -1; }
    Dev<int> di(32), dout(32);
    di.put(in);
    lead<<<1, 32>>>(di.p, dout.p);
    same("lead", dout.get(), want, 32);
    return done();
}
// twin: -DFIX
// expect: warp-mask @11
