// Lanes with equal keys add up through their leader. Fault: the mask of the match is used after some have gone on.
#include "../engine/host.h"
const int T = 64;

__global__ void counts(const int *key, int *out)
{
    int t = threadIdx.x, k = key[t];
    unsigned same = __match_any_sync(0xffffffffu, k);
    int leader = __ffs(same) - 1;
#ifdef FIX
    int base = __shfl_sync(same, t * 2, leader);
#else
    int base = 0;
    if (t % 32 == leader)
        base = __shfl_sync(same, t * 2, leader);
#endif
    out[t] = base;
    __syncthreads();
    out[t] += 1;
}

int main()
{
    int key[T], want[T];
    for (int i = 0; i < T; i++) key[i] = i % 3;
    for (int i = 0; i < T; i++) {
        int lead = i / 32 * 32;
        while (key[lead] != key[i]) lead++;
        want[i] = lead * 2 + 1;
    }
    Dev<int> dk(T), dout(T);
    dk.put(key);
    counts<<<1, T>>>(dk.p, dout.p);
    same("counts", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: warp-mask @15 @18
