// Flags of a block by __syncthreads_or, which is a barrier as well: no fault in the twin. Fault: the vote is inside a
// branch.
#include "../engine/host.h"
const int T = 96;

__global__ void anyBig(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x, v = in[blockIdx.x * T + t];
    s[t] = v;
#ifdef FIX
    int any = __syncthreads_or(v > 90);
    out[blockIdx.x * T + t] = any ? s[T - 1 - t] : 0;
#else
    if (t < 64) {
        int any = __syncthreads_or(v > 90);
        out[blockIdx.x * T + t] = any ? s[63 - t] : 0;
    }
#endif
}

int main()
{
    const int B = 2;
    int in[B * T], want[B * T];
    for (int i = 0; i < B * T; i++) in[i] = i % 100;
    for (int i = 0; i < B * T; i++) want[i] = i < T ? in[T - 1 - i] : 0;
    for (int i = T; i < 2 * T; i++) want[i] = in[3 * T - 1 - i];
    Dev<int> di(B * T), dout(B * T);
    di.put(in);
    anyBig<<<B, T>>>(di.p, dout.p);
    same("anyBig", dout.get(), want, B * T);
    return done();
}
// twin: -DFIX
// expect: barrier-divergence @16
