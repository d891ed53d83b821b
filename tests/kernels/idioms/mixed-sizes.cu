// A 64-bit counter and a carry kept in its upper half. Fault: atomics of four and of eight bytes on the same bytes.
#include "../engine/host.h"

__global__ void count(unsigned long long *n)
{
#ifdef FIX
    atomicAdd(n, 1ull << 32 | 1u);
#else
    if (threadIdx.x < 32)
        atomicAdd(n, 1ull << 32 | 1u);
    else
        atomicAdd((unsigned *)n, 1u);
#endif
}

int main()
{
    unsigned long long want = 0;
    for (int i = 0; i < 64; i++)
#ifdef FIX
        want += 1ull << 32 | 1u;
#else
        want += i < 32 ? 1ull << 32 | 1u : 1u;
#endif
    Dev<unsigned long long> dn(1);
    count<<<1, 64>>>(dn.p);
    same("count", dn.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-mixed-size @10 @12
