// Tiles of eight threads turn their values round through shared memory. Fault: the tile does not meet in between.
#include "../engine/host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int T = 64;

__global__ void turn(const int *in, int *out)
{
    __shared__ int s[T];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int t = threadIdx.x, base = t - tile.thread_rank();
    s[t] = in[t];
#ifdef FIX
    tile.sync();
#endif
    out[t] = s[base + 7 - tile.thread_rank()];
}

int main()
{
    int in[T], want[T];
    for (int i = 0; i < T; i++) in[i] = 5 * i;
    for (int i = 0; i < T; i++) want[i] = in[i / 8 * 8 + 7 - i % 8];
    Dev<int> di(T), dout(T);
    di.put(in);
    turn<<<1, T>>>(di.p, dout.p);
    same("turn", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: race-warp @12 @16
