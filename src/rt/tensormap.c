// SPDX-License-Identifier: Apache-2.0
// Tensor maps for tiled copies: the checks that the driver API documents, then our own descriptor (exec/tmap.h).

#include "rt/tensormap.h"

#include <string.h> // memcpy

#include "exec/tmap.h" // struct wf_tmap

#define TOP_TYPE 15 // the driver API's last data type

static enum wf_status check_kind(int type, uint32_t rank, int interleave, int swizzle, int l2, int fill, struct wf_err *err)
{
    if (type < 0 || type > TOP_TYPE)
        return wf_err_set(err, WF_E_USAGE, "tensorDataType %d does not exist", type);
    if (type >= WF_TMAP_TYPES)
        return wf_err_set(err, WF_E_UNSUPPORTED, "tensor maps of packed 4 and 6 bit elements are not supported");
    if (rank < 1 || rank > WF_TMAP_DIMS)
        return wf_err_set(err, WF_E_USAGE, "tensorRank is %u, not 1 to 5", rank);
    if (interleave < 0 || interleave > 2 || swizzle < 0 || swizzle > 6 || l2 < 0 || l2 > 3 || fill < 0 || fill > 1)
        return wf_err_set(err, WF_E_USAGE, "interleave, swizzle, l2Promotion or oobFill does not exist");
    if (interleave)
        return wf_err_set(err, WF_E_UNSUPPORTED, "interleaved tensor maps are not supported");
    if (swizzle >= WF_TMAP_SWIZZLES)
        return wf_err_set(err, WF_E_UNSUPPORTED, "tensor maps swizzled by 32 or 64 byte atoms are not supported");
    bool is_float = type >= WF_TMAP_F16;
    return fill && !is_float ? wf_err_set(err, WF_E_USAGE, "a fill of NaN is for floating-point elements") : WF_OK;
}

static enum wf_status check_shape(const struct wf_tmap *t, const uint64_t *size, const uint64_t *stride, const uint32_t *box,
                                  const uint32_t *step, struct wf_err *err)
{
    uint64_t below = (uint64_t)t->elem_bytes;
    for (unsigned d = 0; d < t->rank; d++) {
        if (!size[d] || size[d] > UINT64_C(1) << 32)
            return wf_err_set(err, WF_E_USAGE, "globalDim[%u] is not 1 to 2^32", d);
        if (!box[d] || box[d] > 256)
            return wf_err_set(err, WF_E_USAGE, "boxDim[%u] is not 1 to 256", d);
        if (!step[d] || step[d] > 8)
            return wf_err_set(err, WF_E_USAGE, "elementStrides[%u] is not 1 to 8", d);
        if (d && (stride[d - 1] % 16 || stride[d - 1] >= UINT64_C(1) << 40))
            return wf_err_set(err, WF_E_USAGE, "globalStrides[%u] is no multiple of 16 below 2^40", d - 1);
        if (d && stride[d - 1] < below)
            return wf_err_set(err, WF_E_USAGE, "globalStrides[%u] is less than what lies inside it", d - 1);
        below = d ? stride[d - 1] : below;
    }
    uint64_t inner = (uint64_t)box[0] * t->elem_bytes;
    if (inner % 16)
        return wf_err_set(err, WF_E_USAGE, "boxDim[0] makes rows of %u bytes, no multiple of 16", (unsigned)inner);
    static const uint32_t span[WF_TMAP_SWIZZLES] = {UINT32_MAX, 32, 64, 128};
    if (inner > span[t->swizzle])
        return wf_err_set(err, WF_E_USAGE, "boxDim[0] makes rows of %u bytes, more than the %u of the swizzle", (unsigned)inner,
                          span[t->swizzle]);
    return WF_OK;
}

enum wf_status wf_tensormap_tiled(void *map, int type, uint32_t rank, uint64_t address, const uint64_t *size,
                                  const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                  int swizzle, int l2_promotion, int fill, struct wf_err *err)
{
    enum wf_status st = check_kind(type, rank, interleave, swizzle, l2_promotion, fill, err);
    if (st)
        return st;
    if (!map || (uintptr_t)map % 64)
        return wf_err_set(err, WF_E_USAGE, "the tensor map does not lie on 64 bytes");
    if (!size || (rank > 1 && !stride) || !box || !step)
        return wf_err_set(err, WF_E_USAGE, "an array of the tensor's shape is missing");
    if (!address || address % 16)
        return wf_err_set(err, WF_E_USAGE, "globalAddress is no multiple of 16");
    struct wf_tmap t = {.magic = WF_TMAP_MAGIC, .type = (uint8_t)type, .elem_bytes = (uint8_t)wf_tmap_type_bytes((unsigned)type),
                        .rank = (uint8_t)rank, .swizzle = (uint8_t)swizzle, .fills_nan = (uint8_t)fill, .base = address};
    st = check_shape(&t, size, stride, box, step, err);
    if (st)
        return st;
    t.stride[0] = t.elem_bytes;
    for (unsigned d = 0; d < rank; d++) {
        t.last[d] = (uint32_t)(size[d] - 1);
        t.box[d] = (uint16_t)box[d];
        t.step[d] = (uint8_t)step[d];
        if (d)
            t.stride[d] = stride[d - 1];
    }
    memcpy(map, &t, sizeof t);
    return WF_OK;
}

enum wf_status wf_tensormap_move(void *map, uint64_t address, struct wf_err *err)
{
    struct wf_tmap t;
    if (!map || (uintptr_t)map % 64 || !address || address % 16)
        return wf_err_set(err, WF_E_USAGE, "the tensor map or globalAddress is misaligned");
    memcpy(&t, map, sizeof t);
    if (t.magic != WF_TMAP_MAGIC)
        return wf_err_set(err, WF_E_USAGE, "this is no tensor map");
    t.base = address;
    memcpy(map, &t, sizeof t);
    return WF_OK;
}
