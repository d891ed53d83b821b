// Each block of a cluster puts its total into the other's shared memory. Fault: the other reads without waiting.
#include "../engine/host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int T = 64;

__global__ void __cluster_dims__(2, 1, 1) totals(const int *in, int *out)
{
    __shared__ int total, theirs;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, b = cluster.block_rank();
    if (t == 0)
        total = theirs = 0;
    cluster.sync();
    atomicAdd(&total, in[b * T + t]);
    __syncthreads();
    if (t == 0)
        *cluster.map_shared_rank(&theirs, 1 - b) = total;
#ifdef FIX
    cluster.sync();
#else
    __syncthreads();
#endif
    if (t == 0)
        out[b] = total - theirs;
    cluster.sync();
}

int main()
{
    int in[2 * T], sum[2] = {};
    for (int i = 0; i < 2 * T; i++) sum[i / T] += in[i] = i % 10 + i / T;
    int want[2] = {sum[0] - sum[1], sum[1] - sum[0]};
    Dev<int> di(2 * T), dout(2);
    di.put(in);
    totals<<<2, T>>>(di.p, dout.p);
    same("totals", dout.get(), want, 2);
    return done();
}
// twin: -DFIX
// expect: race-shared @18 @25
