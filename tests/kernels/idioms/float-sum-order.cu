// Sum of floats by atomics in order of arrival: the result depends on it. No fault of synchronization: advice.
#include "../engine/host.h"
const int T = 64, B = 6;

__global__ void sum(const float *in, float *out)
{
    float v = in[blockIdx.x * T + threadIdx.x];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
#ifdef FIX
    if (threadIdx.x % 32 == 0)
        out[(blockIdx.x * T + threadIdx.x) / 32] = v;
#else
    if (threadIdx.x % 32 == 0)
        atomicAdd(out, v);
#endif
}

int main()
{
    static float in[B * T];
    float got = 0;
    double want = 0;
    for (int i = 0; i < B * T; i++) want += in[i] = 1.0f / (i + 1);
    Dev<float> di(B * T), dout(B * T / 32);
    di.put(in);
    sum<<<B, T>>>(di.p, dout.p);
    float *h = dout.get();
    for (int i = 0; i < B * T / 32; i++) got += h[i];
    int near = fabs(got - want) < 1e-4, yes = 1;
    same("sum", &near, &yes, 1);
    return done();
}
// twin: -DFIX
// expect: order-float @15
