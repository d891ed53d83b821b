// SPDX-License-Identifier: Apache-2.0
// Arrays and texture objects: values by the CUDA Programming Guide's formulas ("Texture Fetching"), worked out
// again on the host.
// only: nvcc
// expect: clean
// stdout: PASS
#include "api.h"

#include <math.h>
#include <stdint.h>

#define N 40 // coordinates of a test
static const float at[N] = {-9.0f,  -2.5f, -1.0f, -0.75f, -0.5f, -0.25f, -0.01f, 0.0f,  0.1f,   0.25f,
                            0.375f, 0.5f,  0.6f,  0.75f,  0.9f,  0.99f,  1.0f,   1.1f,  1.5f,   1.75f,
                            2.0f,   2.3f,  2.5f,  2.51f,  3.0f,  3.49f,  3.5f,   3.51f, 3.75f,  4.0f,
                            4.2f,   4.5f,  4.99f, 5.0f,   5.5f,  6.25f,  7.0f,   8.1f,  100.0f, 0.503f};

static cudaTextureDesc sampler(int filter, int address, int normalized, int read_mode)
{
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (cudaTextureAddressMode)address;
    d.filterMode = (cudaTextureFilterMode)filter;
    d.readMode = (cudaTextureReadMode)read_mode;
    d.normalizedCoords = normalized;
    d.borderColor[0] = 77.0f;
    return d;
}

static cudaTextureObject_t of_array(cudaArray_t a, cudaTextureDesc d)
{
    cudaResourceDesc r;
    cudaTextureObject_t t = 0;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

// ---- the host's idea of it ----

static float texel(const float *p, int n, int i, int address, int normalized)
{
    if (!normalized && (address == cudaAddressModeWrap || address == cudaAddressModeMirror))
        address = cudaAddressModeClamp;
    if (address == cudaAddressModeBorder)
        return i < 0 || i >= n ? 77.0f : p[i];
    if (address == cudaAddressModeWrap)
        return p[((i % n) + n) % n];
    if (address == cudaAddressModeMirror) {
        int k = ((i % (2 * n)) + 2 * n) % (2 * n);
        return p[k < n ? k : 2 * n - 1 - k];
    }
    return p[i < 0 ? 0 : i >= n ? n - 1 : i];
}

static float want_1d(const float *p, int n, float x, int filter, int address, int normalized)
{
    float u = normalized ? x * (float)n : x;
    if (filter == cudaFilterModePoint)
        return texel(p, n, (int)floorf(u), address, normalized);
    double fixed = floor((double)u * 256 + 0.5) / 256 - 0.5, low = floor(fixed), a = fixed - low;
    double r = 0;
    if (a < 1)
        r += (1 - a) * texel(p, n, (int)low, address, normalized);
    if (a > 0)
        r += a * texel(p, n, (int)low + 1, address, normalized);
    return (float)r;
}

// ---- one dimension, every mode ----

__global__ void read_1d(cudaTextureObject_t t, const float *x, float *out)
{
    if (threadIdx.x < N)
        out[threadIdx.x] = tex1D<float>(t, x[threadIdx.x]);
}

static void one_dimension(const float *dx, float *dout)
{
    float h[5] = {1.0f, -3.0f, 10.0f, 0.25f, 8.0f}, got[N];
    cudaArray_t a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&a, &c, 5));
    OK(cudaMemcpy2DToArray(a, 0, 0, h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice));
    for (int mode = 0; mode < 16; mode++) {
        int filter = mode & 1, normalized = mode >> 1 & 1, address = mode >> 2;
        cudaTextureObject_t t = of_array(a, sampler(filter, address, normalized, cudaReadModeElementType));
        read_1d<<<1, 64>>>(t, dx, dout);
        OK(cudaMemcpy(got, dout, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < N; i++) {
            float w = want_1d(h, 5, at[i], filter, address, normalized);
            if (fabsf(got[i] - w) > 1e-6f * fabsf(w))
                failures++, printf("mode %d at %g: %g, not %g\n", mode, at[i], got[i], w);
        }
        OK(cudaDestroyTextureObject(t));
    }
    OK(cudaFreeArray(a));
}

// ---- formats and read modes ----

__global__ void read_formats(cudaTextureObject_t uc, cudaTextureObject_t sc, cudaTextureObject_t raw,
                             cudaTextureObject_t half, float4 *f, int4 *i)
{
    f[0] = tex2D<float4>(uc, 1.5f, 0.5f);
    f[1] = tex2D<float4>(sc, 1.5f, 0.5f);
    uchar4 u = tex2D<uchar4>(raw, 1.5f, 0.5f);
    i[0] = make_int4(u.x, u.y, u.z, u.w);
    float2 h = tex2D<float2>(half, 0.5f, 0.5f);
    f[2] = make_float4(h.x, h.y, 0, 0);
}

static void formats()
{
    unsigned char bytes[8] = {0, 0, 0, 0, 255, 128, 0x80, 0x7f};
    unsigned short halves[2] = {0x3c00, 0xc100}; // 1, -2.5
    cudaChannelFormatDesc u8 = cudaCreateChannelDesc<uchar4>(), s8 = cudaCreateChannelDesc<char4>(), u16;
    u16 = cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
    cudaArray_t a, b, h;
    OK(cudaMallocArray(&a, &u8, 2, 1));
    OK(cudaMallocArray(&b, &s8, 2, 1));
    OK(cudaMallocArray(&h, &u16, 1, 1));
    OK(cudaMemcpy2DToArray(a, 0, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DToArray(b, 0, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2DToArray(h, 0, 0, halves, 4, 4, 1, cudaMemcpyHostToDevice));
    float4 *f, hf[3];
    int4 *i, hi[1];
    OK(cudaMalloc(&f, sizeof hf));
    OK(cudaMalloc(&i, sizeof hi));
    cudaTextureDesc fraction = sampler(0, cudaAddressModeClamp, 0, cudaReadModeNormalizedFloat);
    cudaTextureDesc whole = sampler(0, cudaAddressModeClamp, 0, cudaReadModeElementType);
    read_formats<<<1, 1>>>(of_array(a, fraction), of_array(b, fraction), of_array(a, whole), of_array(h, whole), f, i);
    OK(cudaMemcpy(hf, f, sizeof hf, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(hi, i, sizeof hi, cudaMemcpyDeviceToHost));
    CHECK(hf[0].x == 1.0f && fabsf(hf[0].y - 128 / 255.0f) < 1e-6f && fabsf(hf[0].z - 128 / 255.0f) < 1e-6f);
    CHECK(fabsf(hf[1].x + 1 / 127.0f) < 1e-6f && hf[1].y == -1.0f && hf[1].z == -1.0f && hf[1].w == 1.0f);
    CHECK(hi[0].x == 255 && hi[0].y == 128 && hi[0].z == 0x80 && hi[0].w == 0x7f);
    CHECK(hf[2].x == 1.0f && hf[2].y == -2.5f);
    cudaTextureObject_t t;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaTextureDesc bad = sampler(cudaFilterModeLinear, cudaAddressModeClamp, 0, cudaReadModeElementType);
    IS(cudaCreateTextureObject(&t, &r, &bad, NULL), cudaErrorInvalidValue); // integers are not interpolated
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    OK(cudaFreeArray(h));
}

// ---- two and three dimensions, layers, cubes, gather, linear memory ----

__global__ void read_shapes(cudaTextureObject_t t2, cudaTextureObject_t t3, cudaTextureObject_t layers,
                            cudaTextureObject_t cube, cudaTextureObject_t buffer, cudaTextureObject_t pitch, float *o)
{
    o[0] = tex2D<float>(t2, 1.25f, 1.75f);
    o[1] = tex3D<float>(t3, 1.0f, 1.0f, 1.5f);
    o[2] = tex2DLayered<float>(layers, 0.5f, 1.5f, 1);
    o[3] = tex2DLayered<float>(layers, 0.5f, 1.5f, 9);
    o[4] = texCubemap<float>(cube, 1.0f, 0.1f, 0.2f);
    o[5] = texCubemap<float>(cube, -1.0f, 0.1f, 0.2f);
    o[6] = texCubemap<float>(cube, 0.1f, 1.0f, 0.2f);
    o[7] = texCubemap<float>(cube, 0.1f, -1.0f, 0.2f);
    o[8] = texCubemap<float>(cube, 0.1f, 0.2f, 1.0f);
    o[9] = texCubemap<float>(cube, 0.1f, 0.2f, -1.0f);
    o[10] = tex1Dfetch<float>(buffer, 3);
    o[11] = tex1Dfetch<float>(buffer, -1);
    o[12] = tex1Dfetch<float>(buffer, 1 << 20);
    o[13] = tex2D<float>(pitch, 2.5f, 1.5f);
    float4 g = tex2Dgather<float4>(t2, 1.0f, 1.0f, 0);
    o[14] = g.x;
    o[15] = g.y;
    o[16] = g.z;
    o[17] = g.w;
}

static void fill(cudaArray_t a, float *h, int w, int rows, int slices)
{
    cudaMemcpy3DParms c;
    memset(&c, 0, sizeof c);
    c.srcPtr = make_cudaPitchedPtr(h, w * sizeof *h, w, rows);
    c.dstArray = a;
    c.extent = make_cudaExtent(w, rows, slices);
    c.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&c));
}

static void shapes()
{
    float h[48], *d, *p, o[18], *dout;
    for (int i = 0; i < 48; i++)
        h[i] = (float)(i * i);
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaArray_t a2, a3, al, ac;
    OK(cudaMallocArray(&a2, &c, 4, 3, cudaArrayTextureGather));
    OK(cudaMalloc3DArray(&a3, &c, make_cudaExtent(2, 2, 3)));
    OK(cudaMalloc3DArray(&al, &c, make_cudaExtent(2, 2, 3), cudaArrayLayered));
    OK(cudaMalloc3DArray(&ac, &c, make_cudaExtent(2, 2, 6), cudaArrayCubemap));
    IS(cudaMalloc3DArray(&ac, &c, make_cudaExtent(2, 3, 6), cudaArrayCubemap), cudaErrorInvalidValue);
    fill(a2, h, 4, 3, 1);
    fill(a3, h, 2, 2, 3);
    fill(al, h, 2, 2, 3);
    fill(ac, h, 2, 2, 6);
    OK(cudaMalloc(&d, 16 * sizeof *d));
    OK(cudaMemcpy(d, h, 16 * sizeof *d, cudaMemcpyHostToDevice));
    size_t pitch;
    OK(cudaMallocPitch(&p, &pitch, 3 * sizeof *p, 2));
    OK(cudaMemcpy2D(p, pitch, h, 12, 12, 2, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&dout, sizeof o));
    cudaTextureDesc linear = sampler(cudaFilterModeLinear, cudaAddressModeClamp, 0, cudaReadModeElementType);
    cudaTextureDesc point = sampler(cudaFilterModePoint, cudaAddressModeClamp, 0, cudaReadModeElementType);
    cudaTextureDesc unit = sampler(cudaFilterModePoint, cudaAddressModeWrap, 1, cudaReadModeElementType);
    cudaTextureObject_t buffer = 0, pitched = 0;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = c;
    r.res.linear.sizeInBytes = 16 * sizeof *d;
    OK(cudaCreateTextureObject(&buffer, &r, &point, NULL));
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = p;
    r.res.pitch2D.desc = c;
    r.res.pitch2D.width = 3;
    r.res.pitch2D.height = 2;
    r.res.pitch2D.pitchInBytes = pitch;
    OK(cudaCreateTextureObject(&pitched, &r, &point, NULL));
    read_shapes<<<1, 1>>>(of_array(a2, linear), of_array(a3, linear), of_array(al, point), of_array(ac, unit), buffer,
                          pitched, dout);
    OK(cudaMemcpy(o, dout, sizeof o, cudaMemcpyDeviceToHost));
    // x = 1.25: between texels 0 and 1, three quarters; y = 1.75: rows 1 and 2, one quarter
    float top = 0.25f * h[4] + 0.75f * h[5], low = 0.25f * h[8] + 0.75f * h[9];
    CHECK(fabsf(o[0] - (0.75f * top + 0.25f * low)) < 1e-4f);
    CHECK(fabsf(o[1] - 0.25f * (h[4] + h[5] + h[6] + h[7])) < 1e-4f);
    EQ(o[2], h[4 + 2]);
    EQ(o[3], h[8 + 2]); // the layer is clamped
    // +x: s = -z, t = -y; both 0.4 and 0.45 of the face: texel (0, 0)
    EQ(o[4], h[0]);
    EQ(o[5], h[4 + 1]);  // -x: s = z, t = -y
    EQ(o[6], h[8 + 3]);  // +y: s = x, t = z
    EQ(o[7], h[12 + 1]); // -y: s = x, t = -z
    EQ(o[8], h[16 + 1]); // +z: s = x, t = -y
    EQ(o[9], h[20 + 0]); // -z: s = -x, t = -y
    EQ(o[10], 9);
    EQ(o[11], 0);
    EQ(o[12], 0);
    EQ(o[13], h[5]);
    EQ(o[14], h[4]);
    EQ(o[15], h[5]);
    EQ(o[16], h[1]);
    EQ(o[17], h[0]);
    cudaResourceDesc back;
    OK(cudaGetTextureObjectResourceDesc(&back, pitched));
    CHECK(back.res.pitch2D.pitchInBytes == pitch);
    OK(cudaDestroyTextureObject(pitched));
    IS(cudaDestroyTextureObject(pitched), cudaErrorInvalidValue);
    cudaExtent x;
    unsigned flags;
    OK(cudaArrayGetInfo(&c, &x, &flags, al));
    EQ(x.depth, 3);
    EQ(flags, cudaArrayLayered);
    EQ(c.x, 32);
}

// ---- mipmaps ----

__global__ void read_levels(cudaTextureObject_t t, float *o)
{
    o[0] = tex2DLod<float>(t, 0.1f, 0.1f, 0.0f);
    o[1] = tex2DLod<float>(t, 0.1f, 0.1f, 1.0f);
    o[2] = tex2DLod<float>(t, 0.1f, 0.1f, 1.5f);
    o[3] = tex2DLod<float>(t, 0.1f, 0.1f, 9.0f);
    o[4] = tex2DGrad<float>(t, 0.1f, 0.1f, make_float2(0.5f, 0), make_float2(0, 0.25f)); // 2 texels: level 1
}

static void levels()
{
    float h[16], o[5], *dout;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    OK(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(4, 4, 0), 3));
    for (int l = 0; l < 3; l++) {
        cudaArray_t a;
        for (int i = 0; i < 16; i++)
            h[i] = 100.0f * (l + 1);
        OK(cudaGetMipmappedArrayLevel(&a, m, l));
        OK(cudaMemcpy2DToArray(a, 0, 0, h, (4 >> l) * sizeof *h, (4 >> l) * sizeof *h, 4 >> l, cudaMemcpyHostToDevice));
    }
    cudaArray_t none;
    IS(cudaGetMipmappedArrayLevel(&none, m, 3), cudaErrorInvalidValue);
    cudaTextureDesc d = sampler(cudaFilterModeLinear, cudaAddressModeWrap, 1, cudaReadModeElementType);
    d.mipmapFilterMode = cudaFilterModeLinear;
    d.maxMipmapLevelClamp = 2;
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &r, &d, NULL));
    OK(cudaMalloc(&dout, sizeof o));
    read_levels<<<1, 1>>>(t, dout);
    OK(cudaMemcpy(o, dout, sizeof o, cudaMemcpyDeviceToHost));
    EQ(o[0], 100);
    EQ(o[1], 200);
    EQ(o[2], 250);
    EQ(o[3], 300);
    EQ(o[4], 200);
    OK(cudaFreeMipmappedArray(m));
}

int main()
{
    float *dx, *dout;
    OK(cudaMalloc(&dx, sizeof at));
    OK(cudaMalloc(&dout, sizeof at));
    OK(cudaMemcpy(dx, at, sizeof at, cudaMemcpyHostToDevice));
    one_dimension(dx, dout);
    formats();
    shapes();
    levels();
    return finish();
}
