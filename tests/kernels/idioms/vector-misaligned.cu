// Four floats at a time, starting behind a header. Fault: the header is one float long.
#include "../engine/host.h"
#ifdef FIX
const int HEAD = 4;
#else
const int HEAD = 1;
#endif
const int T = 32;

__global__ void quads(const float *in, float *out)
{
    const float4 *v = (const float4 *)(in + HEAD);
    float4 x = v[threadIdx.x];
    out[threadIdx.x] = x.x + x.y + x.z + x.w;
}

int main()
{
    float in[4 * T + 4], want[T] = {};
    for (int i = 0; i < 4 * T + 4; i++) in[i] = i;
    for (int i = 0; i < 4 * T; i++) want[i / 4] += in[HEAD + i];
    Dev<float> di(4 * T + 4), dout(T);
    di.put(in);
    quads<<<1, T>>>(di.p, dout.p);
    same("quads", dout.get(), want, T);
    return done();
}
// twin: -DFIX
// expect: mem-misaligned @13
