// Breadth-first search. Fault: a level is looked at by an atomic and stored plainly.
#include "../engine/host.h"
const int V = 64;

__global__ void expand(const int *from, const int *to, int n, int *level, int now)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n || atomicAdd(&level[from[e]], 0) != now)
        return;
#ifdef FIX
    atomicMin(&level[to[e]], now + 1);
#else
    if (atomicAdd(&level[to[e]], 0) > now + 1)
        level[to[e]] = now + 1;
#endif
}

int main()
{
    const int N = 128;
    int from[N], to[N], level[V], want[V];
    for (int i = 0; i < N; i++) { from[i] = i % 8; to[i] = 8 + i / 8 % 16; }
    for (int i = 0; i < V; i++) { level[i] = i < 8 ? 0 : 1000; want[i] = i < 8 ? 0 : i < 24 ? 1 : 1000; }
    Dev<int> df(N), dt(N), dl(V);
    df.put(from); dt.put(to); dl.put(level);
    expand<<<2, N / 2>>>(df.p, dt.p, N, dl.p, 0);
    same("expand", dl.get(), want, V);
    return done();
}
// twin: -DFIX
// expect: race-global|race-warp @14
