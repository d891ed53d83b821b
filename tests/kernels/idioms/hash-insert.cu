// A hash table: the key is put by CAS, the value plainly. Fault: another thread with the same key writes and reads it
// too.
#include "../engine/host.h"
const int SLOTS = 64, N = 256;

__global__ void insert(const int *key, int *keys, int *values, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = key[i];
    unsigned at = (unsigned)k * 2654435761u % SLOTS;
    for (;;) {
        int was = atomicCAS(&keys[at], -1, k);
        if (was == -1 || was == k)
            break;
        at = (at + 1) % SLOTS;
    }
#ifdef FIX
    atomicAdd(&values[at], 1);
#else
    values[at] += 1;
#endif
    out[i] = at;
}

int main()
{
    int key[N], minus[SLOTS], want = N, got = 0;
    for (int i = 0; i < N; i++) key[i] = i % 40;
    for (int i = 0; i < SLOTS; i++) minus[i] = -1;
    Dev<int> dk(N), dkeys(SLOTS), dv(SLOTS), dout(N);
    dk.put(key); dkeys.put(minus);
    insert<<<4, N / 4>>>(dk.p, dkeys.p, dv.p, dout.p);
    int *h = dv.get();
    for (int i = 0; i < SLOTS; i++) got += h[i];
    same("insert", &got, &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-global @19
// allow: race-warp
