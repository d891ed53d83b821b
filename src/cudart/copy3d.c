// SPDX-License-Identifier: Apache-2.0
// Copies and fills in three dimensions, symbols, batches.
#include "cudart/graph.h" // wf__copy_3d_read
#include "cudart/priv.h"
#include "rt/array.h"  // wf_rt_array_box
#include "rt/copy.h"   // wf_rt_copy
#include "rt/module.h" // wf_rt_symbol

#define DEFAULT_STREAM NULL

// A box inside pitched memory. False when the position or the extent is outside what the pitch
// says.
static bool box_at(const struct abi_pitched *p, const struct abi_pos *pos, struct wf_rt_box *out)
{
    uint64_t rows = p->ysize, slice, skip;
    if (__builtin_mul_overflow(p->pitch, rows, &slice) ||
        __builtin_mul_overflow(slice, pos->z, &skip))
        return false;
    *out = (struct wf_rt_box){ADDR(p->ptr) + skip + pos->y * p->pitch + pos->x, p->pitch, slice};
    return true;
}

// One side of a copy. With an array in it, positions of that side count texels.
static enum wf_cu side_of(uint64_t array, const struct abi_pitched *p, const struct abi_pos *pos,
                          const struct wf_rt_copy *r, struct wf_rt_box *out)
{
    struct wf_rt_array a;
    if (array) {
        enum wf_cu e = wf_rt_array_info(array, &a);
        if (e != WF_CU_SUCCESS)
            return e;
        return wf_rt_array_box(array, pos->x * wf_texel_bytes(&a.image.format), pos->y, pos->z,
                               r->width, r->height, r->depth, out);
    }
    if (pos->x + r->width > p->pitch)
        return WF_CU_INVALID_PITCH_VALUE;
    if (r->depth > 1 && r->height > p->ysize)
        return WF_CU_INVALID_VALUE;
    return box_at(p, pos, out) ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

// Bytes of the unit of a copy's width: a texel when an array takes part. 0: no such array, or two
// of different texels.
static uint64_t unit_of(const struct abi_copy_3d *c)
{
    struct wf_rt_array a, b;
    if (c->src_array && wf_rt_array_info(ADDR(c->src_array), &a) != WF_CU_SUCCESS)
        return 0;
    if (c->dst_array && wf_rt_array_info(ADDR(c->dst_array), &b) != WF_CU_SUCCESS)
        return 0;
    uint64_t from = c->src_array ? wf_texel_bytes(&a.image.format) : 0;
    uint64_t to = c->dst_array ? wf_texel_bytes(&b.image.format) : 0;
    if (from && to)
        return from == to ? from : 0;
    return from ? from : to ? to : 1;
}

enum wf_cu wf__copy_3d_read(const struct abi_copy_3d *c, struct wf_rt_copy *out)
{
    if (!c)
        return WF_CU_INVALID_VALUE;
    uint64_t unit = unit_of(c);
    if (!unit)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    *out = (struct wf_rt_copy){.width = c->extent.width * unit,
                               .height = c->extent.height,
                               .depth = c->extent.depth,
                               .kind = c->kind,
                               .is_async = true};
    if (!out->width || !out->height || !out->depth)
        return WF_CU_SUCCESS;
    enum wf_cu e = side_of(ADDR(c->src_array), &c->src_ptr, &c->src_pos, out, &out->src);
    if (e == WF_CU_SUCCESS)
        e = side_of(ADDR(c->dst_array), &c->dst_ptr, &c->dst_pos, out, &out->dst);
    return e;
}

static enum wf_cu copy_3d(const struct abi_copy_3d *c, bool is_async, uint64_t stream)
{
    struct wf_rt_copy r;
    enum wf_cu e = wf__copy_3d_read(c, &r);
    r.is_async = is_async;
    return e == WF_CU_SUCCESS ? wf_rt_copy(&r, stream) : e;
}
BOTH(cudaMemcpy3D, _ptds, (const struct abi_copy_3d *c), copy_3d(c, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpy3DAsync, _ptsz, (const struct abi_copy_3d *c, cudaStream_t stream),
     copy_3d(c, true, S(stream)))

static enum wf_cu copy_3d_peer(const struct abi_copy_3d_peer *p, bool is_async, uint64_t stream)
{
    if (!p)
        return WF_CU_INVALID_VALUE;
    if (p->src_device != 0 || p->dst_device != 0)
        return WF_CU_INVALID_DEVICE;
    struct abi_copy_3d c = {p->src_array, p->src_pos, p->src_ptr, p->dst_array,
                            p->dst_pos,   p->dst_ptr, p->extent,  WF_RT_DEVICE_TO_DEVICE};
    return copy_3d(&c, is_async, stream);
}
BOTH(cudaMemcpy3DPeer, _ptds, (const struct abi_copy_3d_peer *p),
     copy_3d_peer(p, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpy3DPeerAsync, _ptsz, (const struct abi_copy_3d_peer *p, cudaStream_t stream),
     copy_3d_peer(p, true, S(stream)))

static enum wf_cu fill_3d(struct abi_pitched p, int value, struct abi_extent x, bool is_async,
                          uint64_t stream)
{
    struct wf_rt_box box;
    static const struct abi_pos origin;
    if (x.depth > 1 && x.height > p.ysize)
        return WF_CU_INVALID_VALUE;
    if (!box_at(&p, &origin, &box) || (x.height && x.depth && x.width > p.pitch))
        return WF_CU_INVALID_VALUE;
    return wf_rt_fill(&box, x.width, x.height, x.depth, (uint32_t)value, 1, is_async, stream);
}
BOTH(cudaMemset3D, _ptds, (struct abi_pitched p, int value, struct abi_extent x),
     fill_3d(p, value, x, false, S(DEFAULT_STREAM)))
BOTH(cudaMemset3DAsync, _ptsz,
     (struct abi_pitched p, int value, struct abi_extent x, cudaStream_t stream),
     fill_3d(p, value, x, true, S(stream)))

enum wf_cu wf__symbol_range(const void *symbol, size_t n, size_t offset, uint64_t *addr)
{
    uint64_t start, bytes;
    enum wf_cu e = wf_rt_symbol(symbol, &start, &bytes);
    if (e != WF_CU_SUCCESS)
        return e;
    if (offset > bytes || n > bytes - offset)
        return WF_CU_INVALID_VALUE;
    *addr = start + offset;
    return WF_CU_SUCCESS;
}

static enum wf_cu to_symbol(const void *symbol, const void *src, size_t n, size_t offset, int kind,
                            bool is_async, uint64_t stream)
{
    uint64_t dst;
    if (kind != WF_RT_HOST_TO_DEVICE && kind != WF_RT_DEVICE_TO_DEVICE &&
        kind != WF_RT_COPY_DEFAULT)
        return WF_CU_INVALID_MEMCPY_DIRECTION;
    enum wf_cu e = wf__symbol_range(symbol, n, offset, &dst);
    if (e != WF_CU_SUCCESS)
        return e;
    return wf_rt_copy_linear(dst, ADDR(src), n, kind, is_async, stream);
}
BOTH(cudaMemcpyToSymbol, _ptds,
     (const void *symbol, const void *src, size_t n, size_t offset, int kind),
     to_symbol(symbol, src, n, offset, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpyToSymbolAsync, _ptsz,
     (const void *symbol, const void *src, size_t n, size_t offset, int kind, cudaStream_t stream),
     to_symbol(symbol, src, n, offset, kind, true, S(stream)))

static enum wf_cu from_symbol(void *dst, const void *symbol, size_t n, size_t offset, int kind,
                              bool is_async, uint64_t stream)
{
    uint64_t src;
    if (kind != WF_RT_DEVICE_TO_HOST && kind != WF_RT_DEVICE_TO_DEVICE &&
        kind != WF_RT_COPY_DEFAULT)
        return WF_CU_INVALID_MEMCPY_DIRECTION;
    enum wf_cu e = wf__symbol_range(symbol, n, offset, &src);
    if (e != WF_CU_SUCCESS)
        return e;
    return wf_rt_copy_linear(ADDR(dst), src, n, kind, is_async, stream);
}
BOTH(cudaMemcpyFromSymbol, _ptds,
     (void *dst, const void *symbol, size_t n, size_t offset, int kind),
     from_symbol(dst, symbol, n, offset, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpyFromSymbolAsync, _ptsz,
     (void *dst, const void *symbol, size_t n, size_t offset, int kind, cudaStream_t stream),
     from_symbol(dst, symbol, n, offset, kind, true, S(stream)))
