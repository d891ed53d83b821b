// Scan with two buffers in turn. Fault: no barrier between a step and the next.
#include "../engine/host.h"
const int T = 128;

__global__ void scan(const int *in, int *out)
{
    __shared__ int s[2][T];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[t];
    __syncthreads();
    for (int d = 1; d < T; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
#ifdef FIX
        __syncthreads();
#endif
    }
    out[t] = s[from][t];
}

int main()
{
    int in[T], want[T];
    for (int i = 0, sum = 0; i < T; i++) want[i] = sum += in[i] = i % 4;
    Dev<int> di(T), dout(T);
    di.put(in);
    scan<<<1, T>>>(di.p, dout.p);
    same("scan", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-shared @12
// allow: mem-uninit race-warp
