// Tree sum in shared memory with a stride that grows. Fault: nothing stands between loading and the first step.
#include "../engine/host.h"
const int T = 128;

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * T + t];
#ifdef FIX
    __syncthreads();
#endif
    for (int d = 1; d < T; d *= 2) {
        if (t % (2 * d) == 0)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

int main()
{
    const int B = 2;
    int in[B * T], want[B] = {};
    for (int i = 0; i < B * T; i++) want[i / T] += in[i] = i % 12;
    Dev<int> di(B * T), dout(B);
    di.put(in);
    sum<<<B, T>>>(di.p, dout.p);
    same("sum", dout.get(), want, B);
    return done();
}
// twin: -DFIX
// expect: race-shared|race-warp @9 @15
// allow: mem-uninit race-shared
