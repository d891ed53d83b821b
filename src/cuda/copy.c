// SPDX-License-Identifier: Apache-2.0
// Copies and fills. The direction is in the name or in the addresses.
#include "rt/copy.h" // wf_rt_copy

#include "cuda/graph.h" // wf__cuda_copy
#include "cuda/priv.h"
#include "rt/array.h" // wf_rt_array_box

#define DEFAULT_STREAM NULL

static enum wf_cu linear(uint64_t dst, uint64_t src, size_t n, int kind, bool is_async,
                         uint64_t stream)
{
    if (!n)
        return WF_CU_SUCCESS;
    return wf_rt_copy_linear(dst, src, n, kind, is_async, stream);
}
BOTH(cuMemcpy, _ptds, (CUdeviceptr dst, CUdeviceptr src, size_t n),
     linear(dst, src, n, WF_RT_COPY_DEFAULT, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyAsync, _ptsz, (CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream),
     linear(dst, src, n, WF_RT_COPY_DEFAULT, true, S(stream)))
BOTH(cuMemcpyHtoD_v2, _ptds, (CUdeviceptr dst, const void *src, size_t n),
     linear(dst, ADDR(src), n, WF_RT_HOST_TO_DEVICE, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyHtoDAsync_v2, _ptsz, (CUdeviceptr dst, const void *src, size_t n, CUstream stream),
     linear(dst, ADDR(src), n, WF_RT_HOST_TO_DEVICE, true, S(stream)))
BOTH(cuMemcpyDtoH_v2, _ptds, (void *dst, CUdeviceptr src, size_t n),
     linear(ADDR(dst), src, n, WF_RT_DEVICE_TO_HOST, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyDtoHAsync_v2, _ptsz, (void *dst, CUdeviceptr src, size_t n, CUstream stream),
     linear(ADDR(dst), src, n, WF_RT_DEVICE_TO_HOST, true, S(stream)))
BOTH(cuMemcpyDtoD_v2, _ptds, (CUdeviceptr dst, CUdeviceptr src, size_t n),
     linear(dst, src, n, WF_RT_DEVICE_TO_DEVICE, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyDtoDAsync_v2, _ptsz, (CUdeviceptr dst, CUdeviceptr src, size_t n, CUstream stream),
     linear(dst, src, n, WF_RT_DEVICE_TO_DEVICE, true, S(stream)))
BOTH(cuMemcpyPeer, _ptds,
     (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n),
     ((void)to, (void)from,
      linear(dst, src, n, WF_RT_DEVICE_TO_DEVICE, false, S(DEFAULT_STREAM))))
BOTH(cuMemcpyPeerAsync, _ptsz,
     (CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t n, CUstream stream),
     ((void)to, (void)from, linear(dst, src, n, WF_RT_DEVICE_TO_DEVICE, true, S(stream))))

// One side of a box: its first byte, and rows and slices apart.
struct side {
    int type;
    const void *host;
    CUdeviceptr device;
    size_t x, y, z, pitch, height;
    CUarray array;
};

static enum wf_cu place(const struct side *s, const struct wf_rt_copy *c, struct wf_rt_box *out,
                        bool *is_host)
{
    size_t width = c->width, height = c->height;
    if (s->type == ABI_MEMORY_ARRAY)
        return wf_rt_array_box(ADDR(s->array), s->x, s->y, s->z, width, height, c->depth, out);
    if (s->type < ABI_MEMORY_HOST || s->type > ABI_MEMORY_UNIFIED)
        return WF_CU_INVALID_VALUE;
    size_t pitch = s->pitch ? s->pitch : width, rows = s->height ? s->height : height;
    if (pitch < width)
        return WF_CU_INVALID_VALUE;
    *is_host = s->type == ABI_MEMORY_HOST;
    *out = (struct wf_rt_box){.pitch = pitch, .slice = pitch * rows};
    out->addr = (*is_host ? ADDR(s->host) : s->device) + s->x + s->y * pitch + s->z * out->slice;
    return WF_CU_SUCCESS;
}

// c has the extent.
static enum wf_cu make(const struct side *dst, const struct side *src, struct wf_rt_copy *c)
{
    bool to_host = false, from_host = false;
    enum wf_cu e = place(dst, c, &c->dst, &to_host);
    if (e == WF_CU_SUCCESS)
        e = place(src, c, &c->src, &from_host);
    bool is_unified = dst->type == ABI_MEMORY_UNIFIED || src->type == ABI_MEMORY_UNIFIED;
    c->kind = is_unified             ? WF_RT_COPY_DEFAULT
              : to_host && from_host ? WF_RT_HOST_TO_HOST
              : to_host              ? WF_RT_DEVICE_TO_HOST
              : from_host            ? WF_RT_HOST_TO_DEVICE
                                     : WF_RT_DEVICE_TO_DEVICE;
    return e;
}

static enum wf_cu box(const struct side *dst, const struct side *src, size_t width, size_t height,
                      size_t depth, bool is_async, uint64_t stream)
{
    struct wf_rt_copy c = {.width = width, .height = height, .depth = depth, .is_async = is_async};
    if (!width || !height || !depth)
        return WF_CU_SUCCESS;
    enum wf_cu e = make(dst, src, &c);
    return e == WF_CU_SUCCESS ? wf_rt_copy(&c, stream) : e;
}

static enum wf_cu copy_2d(const struct abi_copy_2d *c, bool is_async, uint64_t stream)
{
    if (!c)
        return WF_CU_INVALID_VALUE;
    struct side dst = {c->dst_type, c->dst_host, c->dst_device, c->dst_x, c->dst_y, 0,
                       c->dst_pitch, 0, c->dst_array};
    struct side src = {c->src_type, c->src_host, c->src_device, c->src_x, c->src_y, 0,
                       c->src_pitch, 0, c->src_array};
    return box(&dst, &src, c->width, c->height, 1, is_async, stream);
}
BOTH(cuMemcpy2D_v2, _ptds, (const struct abi_copy_2d *c), copy_2d(c, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpy2DUnaligned_v2, _ptds, (const struct abi_copy_2d *c),
     copy_2d(c, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpy2DAsync_v2, _ptsz, (const struct abi_copy_2d *c, CUstream stream),
     copy_2d(c, true, S(stream)))

// A piece of an array's first row.
static struct side in_row(CUarray array, size_t x)
{
    return (struct side){.type = ABI_MEMORY_ARRAY, .array = array, .x = x};
}
static struct side on_host(const void *p)
{
    return (struct side){.type = ABI_MEMORY_HOST, .host = p};
}
static struct side on_device(CUdeviceptr p)
{
    return (struct side){.type = ABI_MEMORY_DEVICE, .device = p};
}
static enum wf_cu row(struct side dst, struct side src, size_t n, bool is_async, uint64_t stream)
{
    return box(&dst, &src, n, 1, 1, is_async, stream);
}
BOTH(cuMemcpyHtoA_v2, _ptds, (CUarray dst, size_t x, const void *src, size_t n),
     row(in_row(dst, x), on_host(src), n, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyHtoAAsync_v2, _ptsz,
     (CUarray dst, size_t x, const void *src, size_t n, CUstream stream),
     row(in_row(dst, x), on_host(src), n, true, S(stream)))
BOTH(cuMemcpyAtoH_v2, _ptds, (void *dst, CUarray src, size_t x, size_t n),
     row(on_host(dst), in_row(src, x), n, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyAtoHAsync_v2, _ptsz, (void *dst, CUarray src, size_t x, size_t n, CUstream stream),
     row(on_host(dst), in_row(src, x), n, true, S(stream)))
BOTH(cuMemcpyDtoA_v2, _ptds, (CUarray dst, size_t x, CUdeviceptr src, size_t n),
     row(in_row(dst, x), on_device(src), n, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyAtoD_v2, _ptds, (CUdeviceptr dst, CUarray src, size_t x, size_t n),
     row(on_device(dst), in_row(src, x), n, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpyAtoA_v2, _ptds, (CUarray dst, size_t dst_x, CUarray src, size_t src_x, size_t n),
     row(in_row(dst, dst_x), in_row(src, src_x), n, false, S(DEFAULT_STREAM)))

static void sides(const struct abi_copy_3d *c, struct side *dst, struct side *src)
{
    *dst = (struct side){c->dst_type, c->dst_host,  c->dst_device, c->dst_x,    c->dst_y,
                         c->dst_z,    c->dst_pitch, c->dst_height, c->dst_array};
    *src = (struct side){c->src_type, c->src_host,  c->src_device, c->src_x,    c->src_y,
                         c->src_z,    c->src_pitch, c->src_height, c->src_array};
}

enum wf_cu wf__cuda_copy(const struct abi_copy_3d *c, struct wf_rt_copy *out)
{
    struct side dst, src;
    if (!c || c->src_lod || c->dst_lod)
        return WF_CU_INVALID_VALUE;
    sides(c, &dst, &src);
    *out = (struct wf_rt_copy){.width = c->width, .height = c->height, .depth = c->depth};
    return make(&dst, &src, out);
}

static enum wf_cu copy_3d(const struct abi_copy_3d *c, bool is_async, uint64_t stream)
{
    struct side dst, src;
    if (!c || c->src_lod || c->dst_lod)
        return WF_CU_INVALID_VALUE;
    sides(c, &dst, &src);
    return box(&dst, &src, c->width, c->height, c->depth, is_async, stream);
}
BOTH(cuMemcpy3D_v2, _ptds, (const struct abi_copy_3d *c), copy_3d(c, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpy3DAsync_v2, _ptsz, (const struct abi_copy_3d *c, CUstream stream),
     copy_3d(c, true, S(stream)))
BOTH(cuMemcpy3DPeer, _ptds, (const struct abi_copy_3d *c), copy_3d(c, false, S(DEFAULT_STREAM)))
BOTH(cuMemcpy3DPeerAsync, _ptsz, (const struct abi_copy_3d *c, CUstream stream),
     copy_3d(c, true, S(stream)))

static enum wf_cu fill(CUdeviceptr dst, size_t pitch, uint32_t value, uint32_t value_bytes,
                       size_t width, size_t height, bool is_async, uint64_t stream)
{
    uint64_t row;
    if (dst % value_bytes || pitch % value_bytes || __builtin_mul_overflow(width, value_bytes, &row))
        return WF_CU_INVALID_VALUE;
    if (!width || !height)
        return WF_CU_SUCCESS;
    struct wf_rt_box b = {dst, pitch ? pitch : row, 0};
    return wf_rt_fill(&b, row, height, 1, value, value_bytes, is_async, stream);
}
#define FILL(bits, type)                                                                           \
    BOTH(cuMemsetD##bits##_v2, _ptds, (CUdeviceptr dst, type v, size_t n),                         \
         fill(dst, 0, v, bits / 8, n, 1, false, S(DEFAULT_STREAM)))                                \
    BOTH(cuMemsetD##bits##Async, _ptsz, (CUdeviceptr dst, type v, size_t n, CUstream stream),      \
         fill(dst, 0, v, bits / 8, n, 1, true, S(stream)))                                         \
    BOTH(cuMemsetD2D##bits##_v2, _ptds,                                                            \
         (CUdeviceptr dst, size_t pitch, type v, size_t width, size_t height),                     \
         fill(dst, pitch, v, bits / 8, width, height, false, S(DEFAULT_STREAM)))                   \
    BOTH(cuMemsetD2D##bits##Async, _ptsz,                                                          \
         (CUdeviceptr dst, size_t pitch, type v, size_t width, size_t height, CUstream stream),    \
         fill(dst, pitch, v, bits / 8, width, height, true, S(stream)))
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
