// Two phases with grid.sync(). Fault: the kernel is launched like any other.
#include "../engine/host.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void phases(int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = i;
    cg::this_grid().sync();
    b[i] = a[n - 1 - i];
}

int main()
{
    const int N = 128;
    int want[N], n = N;
    for (int i = 0; i < N; i++) want[i] = N - 1 - i;
    Dev<int> da(N), db(N);
#ifdef FIX
    void *args[] = {&da.p, &db.p, &n};
    CK(cudaLaunchCooperativeKernel((void *)phases, dim3(4), dim3(32), args, 0, 0));
#else
    phases<<<4, 32>>>(da.p, db.p, n);
#endif
    same("phases", db.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: launch-config
