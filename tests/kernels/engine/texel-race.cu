// SPDX-License-Identifier: Apache-2.0
// A texture read is one of the whole texel, whatever its size, and of each texel that a filter weighs: a store to the
// last bytes of one races with it, one to the texel beside it does not. What nobody filled of a texel is not told.
// only: nvcc
// twin: -DFIX
// expect: race-global @19 @20
// expect: race-global @23 @24
// expect: race-global @27 @28
// stdout: PASS
#include "host.h"
#ifdef FIX
#define OFF 1 // the texel beside those that are read
#else
#define OFF 0
#endif
#define PITCH 512
__global__ void points(cudaTextureObject_t t, unsigned char *a, float *out) { // texel 3 of row 2
    if (blockIdx.x == 0)
        out[0] = tex2D<uchar4>(t, 3.5f, 2.5f).x;
    else a[2 * PITCH + 4 * (3 + OFF) + 3] = 1;
}
__global__ void filtered(cudaTextureObject_t t, unsigned char *a, float *out) { // texels 3 and 4 of row 3
    if (blockIdx.x == 0) out[1] = tex2D<float4>(t, 4.25f, 3.5f).y;
    else *(float *)(a + (3 + OFF) * PITCH + 16 * 4 + 12) = 1;
}
__global__ void indexed(cudaTextureObject_t t, unsigned char *a, float *out) { // texels 0 to 31
    if (blockIdx.x == 0) out[2 + threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x).y;
    else if (threadIdx.x == 0) *(float *)(a + 16 * (31 + OFF) + 12) = 1;
}
__global__ void fill(float *a, int k) { a[4 * threadIdx.x] = k + threadIdx.x; }
__global__ void sparse(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float4>(t, threadIdx.x).x; }
static cudaTextureObject_t texture(const void *p, cudaChannelFormatDesc c, bool is_line, bool is_linear)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    r.resType = is_line ? cudaResourceTypeLinear : cudaResourceTypePitch2D;
    if (is_line) {
        r.res.linear.devPtr = (void *)p;
        r.res.linear.desc = c;
        r.res.linear.sizeInBytes = 64 * 16;
    } else {
        r.res.pitch2D.devPtr = (void *)p;
        r.res.pitch2D.desc = c;
        r.res.pitch2D.width = 16;
        r.res.pitch2D.height = 8;
        r.res.pitch2D.pitchInBytes = PITCH;
    }
    d.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    CK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}
int main()
{
    Dev<unsigned char> a(8 * PITCH), b(8 * PITCH), c(64 * 16);
    Dev<float> out(64);
    points<<<2, 1>>>(texture(a.p, cudaCreateChannelDesc<uchar4>(), false, false), a.p, out.p);
    filtered<<<2, 1>>>(texture(b.p, cudaCreateChannelDesc<float4>(), false, true), b.p, out.p);
    indexed<<<2, 32>>>(texture(c.p, cudaCreateChannelDesc<float4>(), true, false), c.p, out.p);
    float *raw, want[32];
    CK(cudaMalloc(&raw, 64 * 16));
    fill<<<1, 32>>>((float *)raw, 5);
    sparse<<<1, 32>>>(texture(raw, cudaCreateChannelDesc<float4>(), true, false), out.p);
    for (int i = 0; i < 32; i++)
        want[i] = 5 + i;
    same("sparse", out.get(), want, 32);
    return done();
}
