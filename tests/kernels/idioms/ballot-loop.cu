// Lanes leave a loop at different times. Fault: the vote inside still names all of them.
#include "../engine/host.h"

__global__ void rounds(const int *in, int *out)
{
    int t = threadIdx.x, left = in[t], votes = 0;
#ifdef FIX
    unsigned mask = __ballot_sync(0xffffffffu, left > 0);
    while (left > 0) {
        votes += __popc(__ballot_sync(mask, left > 1));
        left--;
        mask = __ballot_sync(mask, left > 0);
    }
#else
    while (left > 0) {
        votes += __popc(__ballot_sync(0xffffffffu, left > 1));
        left--;
    }
#endif
    out[t] = votes;
}

int main()
{
    const int N = 64;
    int in[N], want[N];
    for (int i = 0; i < N; i++) in[i] = i % 5;
    for (int i = 0; i < N; i++) {
        want[i] = 0;
        for (int left = in[i]; left > 0; left--)
            for (int j = i / 32 * 32; j < i / 32 * 32 + 32; j++)
                want[i] += in[j] - (in[i] - left) > 1;
    }
    Dev<int> di(N), dout(N);
    di.put(in);
    rounds<<<1, N>>>(di.p, dout.p);
    same("rounds", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: warp-mask @16
