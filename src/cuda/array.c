// SPDX-License-Identifier: Apache-2.0
// Arrays and mipmapped arrays: made, asked, given back.
#include "rt/array.h" // wf_rt_array_create

#include "cuda/texel.h"

enum { UNSIGNED_8 = 1, UNSIGNED_16, UNSIGNED_32, SIGNED_8 = 8, SIGNED_16, SIGNED_32, HALF = 16, FLOAT = 32 };

enum wf_cu wf__cuda_texel(int format, unsigned channels, struct wf_texel_format *out)
{
    static const struct {
        int format;
        enum wf_texel_kind kind;
        uint8_t bits;
    } rows[] = {
        {UNSIGNED_8, WF_TEXEL_UNSIGNED, 8},   {UNSIGNED_16, WF_TEXEL_UNSIGNED, 16},
        {UNSIGNED_32, WF_TEXEL_UNSIGNED, 32}, {SIGNED_8, WF_TEXEL_SIGNED, 8},
        {SIGNED_16, WF_TEXEL_SIGNED, 16},     {SIGNED_32, WF_TEXEL_SIGNED, 32},
        {HALF, WF_TEXEL_FLOAT, 16},           {FLOAT, WF_TEXEL_FLOAT, 32},
    };
    if (channels != 1 && channels != 2 && channels != 4)
        return WF_CU_INVALID_VALUE;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].format == format) {
            *out = (struct wf_texel_format){rows[i].kind, rows[i].bits, (uint8_t)channels};
            return WF_CU_SUCCESS;
        }
    return wf__unsupported("a texel format that is packed, planar or compressed");
}

static int format_of(const struct wf_texel_format *f)
{
    static const int first[] = {[WF_TEXEL_SIGNED] = SIGNED_8, [WF_TEXEL_UNSIGNED] = UNSIGNED_8};
    if (f->kind == WF_TEXEL_FLOAT)
        return f->bits == 16 ? HALF : FLOAT;
    return first[f->kind] + (f->bits == 8 ? 0 : f->bits == 16 ? 1 : 2);
}

static enum wf_cu create(CUarray *out, const struct abi_array_3d *d, unsigned levels)
{
    struct wf_texel_format f;
    uint64_t handle;
    if (!out || !d)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__cuda_texel(d->format, d->channels, &f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_array_create(&handle, &f, d->width, d->height, d->depth, levels, d->flags);
    if (e == WF_CU_SUCCESS)
        *out = HANDLE(handle);
    return e;
}
static enum wf_cu create_2d(CUarray *out, const struct abi_array_2d *d)
{
    if (!d)
        return WF_CU_INVALID_VALUE;
    struct abi_array_3d wide = {d->width, d->height, 0, d->format, d->channels, 0};
    return create(out, &wide, 0);
}
API(cuArrayCreate_v2, (CUarray * out, const struct abi_array_2d *d), create_2d(out, d))
API(cuArray3DCreate_v2, (CUarray * out, const struct abi_array_3d *d), create(out, d, 0))
API(cuArrayDestroy, (CUarray a), wf_rt_array_destroy(ADDR(a), false))
API(cuMipmappedArrayCreate, (CUarray * out, const struct abi_array_3d *d, unsigned levels),
    levels ? create(out, d, levels) : WF_CU_INVALID_VALUE)
API(cuMipmappedArrayDestroy, (CUarray a), wf_rt_array_destroy(ADDR(a), true))

static enum wf_cu level(CUarray *out, CUarray a, unsigned n)
{
    uint64_t handle;
    enum wf_cu e = out ? wf_rt_array_level(ADDR(a), n, &handle) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = HANDLE(handle);
    return e;
}
API(cuMipmappedArrayGetLevel, (CUarray * out, CUarray a, unsigned n), level(out, a, n))

static enum wf_cu describe(struct abi_array_3d *out, CUarray a)
{
    struct wf_rt_array i;
    enum wf_cu e = out ? wf_rt_array_info(ADDR(a), &i) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_array_3d){i.width, i.height, i.depth, format_of(&i.image.format),
                                     i.image.format.channels, i.flags};
    return e;
}
static enum wf_cu describe_2d(struct abi_array_2d *out, CUarray a)
{
    struct abi_array_3d d;
    enum wf_cu e = out ? describe(&d, a) : WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_array_2d){d.width, d.height, d.format, d.channels};
    return e;
}
API(cuArray3DGetDescriptor_v2, (struct abi_array_3d * out, CUarray a), describe(out, a))
API(cuArrayGetDescriptor_v2, (struct abi_array_2d * out, CUarray a), describe_2d(out, a))
