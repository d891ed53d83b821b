// Block 0 of a cluster reads what the others have gathered. Fault: the others return at once.
#include "../engine/host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int T = 64;

__global__ void __cluster_dims__(4, 1, 1) gather(const int *in, int *out)
{
    __shared__ int s[T];
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x, b = cluster.block_rank(), sum = 0;
    s[t] = in[b * T + t];
    cluster.sync();
    if (b != 0) {
#ifdef FIX
        cluster.sync();
#endif
        return;
    }
    for (int k = 0; k < 4; k++)
        sum += cluster.map_shared_rank(s, k)[t];
    out[t] = sum;
#ifdef FIX
    cluster.sync();
#endif
}

int main()
{
    int in[4 * T], want[T] = {};
    for (int i = 0; i < 4 * T; i++) want[i % T] += in[i] = i % 27;
    Dev<int> di(4 * T), dout(T);
    di.put(in);
    gather<<<4, T>>>(di.p, dout.p);
    same("gather", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: mem-freed @21 @18
