// Warps take numbers of a shared counter and leave values; one warp reads them. Fault: the count is awaited by a
// plain loop.
#include "../engine/host.h"
const int T = 128;

__global__ void gather(const int *in, int *out)
{
    __shared__ int s[T / 32];
#ifdef FIX
    __shared__ int n;
#else
    __shared__ int n;
#endif
    int t = threadIdx.x, w = t / 32;
    if (t == 0)
        n = 0;
    __syncthreads();
    if (w > 0) {
        if (t % 32 == 0) {
            s[w] = in[w];
            __threadfence_block();
            atomicAdd(&n, 1);
        }
    } else if (t == 0) {
#ifdef FIX
        while (atomicAdd(&n, 0) < T / 32 - 1)
            ;
#else
        while (n < T / 32 - 1)
            ;
#endif
        __threadfence_block();
        int sum = 0;
        for (int i = 1; i < T / 32; i++)
            sum += s[i];
        *out = sum;
    }
}

int main()
{
    int in[T / 32], want = 0;
    for (int i = 0; i < T / 32; i++) { in[i] = 11 * i; want += i ? in[i] : 0; }
    Dev<int> di(T / 32), dout(1);
    di.put(in);
    gather<<<1, T>>>(di.p, dout.p);
    same("gather", dout.get(), &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-shared @22 @29
// allow: spin-hoisted race-shared fence-*
