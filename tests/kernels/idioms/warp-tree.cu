// Maximum of each warp's values by a tree in shared memory. Fault: lanes read before their neighbours have stored.
#include "../engine/host.h"
const int T = 128;

__global__ void warpMax(const int *in, int *out)
{
    __shared__ int s[T];
    int t = threadIdx.x, lane = t & 31;
    s[t] = in[blockIdx.x * T + t];
#ifdef FIX
    __syncwarp();
#endif
    for (int d = 16; d > 0; d >>= 1) {
        int v = lane < d ? s[t + d] : 0;
#ifdef FIX
        __syncwarp();
#endif
        if (lane < d && v > s[t])
            s[t] = v;
#ifdef FIX
        __syncwarp();
#endif
    }
    if (lane == 0)
        out[(blockIdx.x * T + t) / 32] = s[t];
}

int main()
{
    const int N = 4 * T;
    int in[N], want[N / 32] = {};
    for (int i = 0; i < N; i++) {
        in[i] = i * 37 % 101;
        if (in[i] > want[i / 32]) want[i / 32] = in[i];
    }
    Dev<int> di(N), dout(N / 32);
    di.put(in);
    warpMax<<<N / T, T>>>(di.p, dout.p);
    same("warpMax", dout.get(), want, N / 32);
    return done();
}
// twin: -DFIX
// expect: race-warp @9 @14
// expect: race-warp @19 @14
