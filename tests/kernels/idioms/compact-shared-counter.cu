// Stream compaction. Fault: threads use the block's place in the output before thread 0 has fetched it.
#include "../engine/host.h"
const int T = 96;
__device__ int used;

__global__ void keepOdd(const int *in, int *out)
{
    __shared__ int n, base;
    int t = threadIdx.x, v = in[blockIdx.x * T + t], at = 0;
    if (t == 0)
        n = 0;
    __syncthreads();
    if (v & 1)
        at = atomicAdd(&n, 1);
    __syncthreads();
    if (t == 0)
        base = atomicAdd(&used, n);
#ifdef FIX
    __syncthreads();
#endif
    if (v & 1)
        out[base + at] = v;
}

int main()
{
    const int N = 4 * T;
    int in[N], want = 0, got = 0;
    for (int i = 0; i < N; i++) { in[i] = i * 3 % 64; want += in[i] & 1 ? in[i] : 0; }
    Dev<int> di(N), dout(N);
    di.put(in);
    keepOdd<<<N / T, T>>>(di.p, dout.p);
    int *h = dout.get();
    for (int i = 0; i < N; i++) got += h[i];
    same("keepOdd", &got, &want, 1);
    return done();
}
// twin: -DFIX
// expect: race-shared @17 @22
// allow: mem-uninit mem-bounds
