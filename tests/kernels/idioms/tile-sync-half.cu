// Half the lanes of a tile work and meet. Fault: the tile's sync() is for all of its lanes.
#include "../engine/host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void upper(int *a)
{
    __shared__ int s[64];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    s[t] = a[t];
    tile.sync();
    if (tile.thread_rank() < 16) {
        s[t] += s[t + 16];
#ifndef FIX
        tile.sync();
#endif
    }
#ifdef FIX
    tile.sync();
#endif
    __syncthreads();
    a[t] = s[t];
}

int main()
{
    int a[64], want[64];
    for (int i = 0; i < 64; i++) a[i] = i * 2;
    for (int i = 0; i < 64; i++) want[i] = i % 32 < 16 ? a[i] + a[i + 16] : a[i];
    Dev<int> da(64);
    da.put(a);
    upper<<<1, 64>>>(da.p);
    same("upper", da.get(), want, 64);
    return done();
}
// twin: -DFIX
// expect: warp-mask @16 @22
