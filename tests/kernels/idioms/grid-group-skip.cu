// Iterations over a cooperative grid. Fault: blocks without work leave, the others wait for them.
#include "../engine/host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
const int T = 32;

__global__ void steps(int *a, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
#ifndef FIX
    if (i >= n)
        return;
#endif
    for (int k = 0; k < 3; k++) {
        int v = i < n ? a[(i + 1) % n] : 0;
        grid.sync();
        if (i < n)
            a[i] = v + 1;
        grid.sync();
    }
}

int main()
{
    const int N = 64;
    int a[N], want[N], n = N;
    for (int i = 0; i < N; i++) a[i] = i;
    for (int i = 0; i < N; i++) want[i] = (i + 3) % N + 3;
    Dev<int> da(N);
    da.put(a);
    void *args[] = {&da.p, &n};
    CK(cudaLaunchCooperativeKernel((void *)steps, dim3(4), dim3(T), args, 0, 0));
    same("steps", da.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: deadlock-* @17
// says: *barrier of the grid*
