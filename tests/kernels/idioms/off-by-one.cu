// Differences of neighbours. Fault: the last thread looks one behind the end.
#include "../engine/host.h"

__global__ void differences(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIX
    if (i < n - 1)
#else
    if (i < n)
#endif
        out[i] = in[i + 1] - in[i];
}

int main()
{
    const int N = 128;
    int in[N], want[N] = {};
    for (int i = 0; i < N; i++) in[i] = i * i;
    for (int i = 0; i < N - 1; i++) want[i] = in[i + 1] - in[i];
    Dev<int> di(N), dout(N);
    di.put(in);
    differences<<<2, 64>>>(di.p, dout.p, N);
    same("differences", dout.get(), want, N);
    return done();
}
// twin: -DFIX
// expect: mem-bounds @12
