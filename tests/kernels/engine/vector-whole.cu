// SPDX-License-Identifier: Apache-2.0
// Strong vectors of 8 and 16 bytes are read and written as one, by one lane, by all at one place, by all at different
// places: CUB's scans hand on a status and a value that way. Blocks that write equal halves are watched by others.
// expect: clean
// stdout: PASS
#include "host.h"

static const int rounds = 3000;

__device__ void store2(unsigned long long *p, unsigned long long v)
{
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %1};" ::"l"(p), "l"(v) : "memory");
}

__device__ bool equal2(const unsigned long long *p)
{
    unsigned long long a, b;
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(p) : "memory");
    return a == b;
}

__device__ void store4(unsigned *p, unsigned v)
{
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(v) : "memory");
}

__device__ bool equal4(const unsigned *p)
{
    unsigned a, b, c, d;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p) : "memory");
    return a == b && b == c && c == d;
}

// 33 places of 16 bytes for each kind of vector: one that all lanes name, and one for each lane.
__global__ void meet(unsigned long long *two, unsigned *four, int *torn, const int *order, int n)
{
    int lane = threadIdx.x, own = order[lane], bad = 0;
    for (int i = 0; i < n; i++) {
        if (blockIdx.x & 1) {
            store2(two, i * 0x100000001ull + blockIdx.x);
            store2(two + 2 * own, i * 0x100000001ull + blockIdx.x);
            store4(four + 4 * own, i * 77 + blockIdx.x);
            if (lane == i % 32)
                store4(four, i);
        } else {
            bad += !equal2(two) + !equal2(two + 2 * own) + !equal4(four + 4 * own);
            if (lane == i % 32)
                bad += !equal4(four);
        }
    }
    if (bad)
        atomicAdd(torn, bad);
}

int main()
{
    Dev<unsigned long long> two(66);
    Dev<unsigned> four(132);
    Dev<int> torn(1), order(32);
    int places[32], none = 0;
    for (int i = 0; i < 32; i++)
        places[i] = 1 + i * 7 % 32;
    order.put(places);
    meet<<<8, 32>>>(two.p, four.p, torn.p, order.p, rounds);
    same("torn", torn.get(), &none, 1);
    return done();
}
