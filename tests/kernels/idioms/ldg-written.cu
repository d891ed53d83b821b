// A step of a wave. Fault: the array is read through the read-only cache and written by the same launch.
#include "../engine/host.h"

__global__ void step(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n)
        out[i] = __ldg(&in[i - 1]) + 1;
}

int main()
{
    const int N = 200;
    int in[N], want[N];
    for (int i = 0; i < N; i++) in[i] = i * 2;
    for (int i = 0; i < N; i++) want[i] = i ? in[i - 1] + 1 : 0;
    Dev<int> da(N), db(N);
    da.put(in);
#ifdef FIX
    step<<<2, 128>>>(da.p, db.p, N);
#else
    step<<<2, 128>>>(da.p, da.p, N);
#endif
    same("step", db.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: race-global @8
// allow: race-warp
