// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects, and tensor maps. What a program asked for is not kept for being asked back.
#include "core/trouble.h" // wf_trouble_add
#include "cuda/texel.h"
#include "rt/tensormap.h" // wf_tensormap_tiled

static enum wf_cu resource_of(const struct abi_resource *r, struct wf_rt_resource *out)
{
    *out = (struct wf_rt_resource){.kind = (enum wf_rt_resource_kind)r->type};
    switch (r->type) {
    case WF_RT_RESOURCE_ARRAY:
    case WF_RT_RESOURCE_MIPMAPPED:
        out->array = r->of.array;
        return WF_CU_SUCCESS;
    case WF_RT_RESOURCE_LINEAR:
        out->addr = r->of.linear.ptr;
        out->bytes = r->of.linear.bytes;
        return wf__cuda_texel(r->of.linear.format, r->of.linear.channels, &out->format);
    case WF_RT_RESOURCE_PITCH:
        out->addr = r->of.pitch.ptr;
        out->width = r->of.pitch.width;
        out->height = r->of.pitch.height;
        out->pitch = r->of.pitch.pitch;
        return wf__cuda_texel(r->of.pitch.format, r->of.pitch.channels, &out->format);
    default:
        return WF_CU_INVALID_VALUE;
    }
}

// Integer texels of up to 16 bits are read as fractions unless the flag says otherwise.
static bool is_fraction(const struct wf_rt_resource *r, unsigned flags)
{
    struct wf_texel_format f = r->format;
    struct wf_rt_array a;
    if (r->array && wf_rt_array_info(r->array, &a) == WF_CU_SUCCESS)
        f = a.image.format;
    return !(flags & ABI_TEXTURE_AS_INTEGER) && f.kind != WF_TEXEL_FLOAT && f.bits < 32;
}

static enum wf_cu sampler_of(const struct abi_texture *d, const struct wf_rt_resource *r,
                             struct wf_texture *out)
{
    *out = (struct wf_texture){.is_surface = false};
    for (unsigned i = 0; i < 3; i++) {
        if (d->address[i] < 0 || d->address[i] > 3)
            return WF_CU_INVALID_VALUE;
        out->address[i] = (enum wf_tex_address)d->address[i];
    }
    if (d->filter < 0 || d->filter > 1 || d->level_filter < 0 || d->level_filter > 1)
        return WF_CU_INVALID_VALUE;
    if (d->max_anisotropy > 1)
        return wf__unsupported("anisotropic texture filtering");
    if (d->flags & ABI_TEXTURE_SEAMLESS)
        return wf__unsupported("seamless filtering of cube maps");
    out->is_linear = d->filter == 1;
    out->is_float = is_fraction(r, d->flags);
    out->is_srgb = (d->flags & ABI_TEXTURE_SRGB) != 0;
    out->is_normalized = (d->flags & ABI_TEXTURE_NORMALIZED) != 0;
    out->is_level_linear = d->level_filter == 1;
    out->bias = d->level_bias;
    out->level_min = d->level_min;
    out->level_max = d->level_max;
    for (unsigned i = 0; i < 4; i++)
        out->border[i] = d->border[i];
    return WF_CU_SUCCESS;
}

static enum wf_cu create(uint64_t *out, const struct abi_resource *r, const struct abi_texture *d,
                         const struct abi_view *v)
{
    struct wf_rt_resource from;
    struct wf_texture t;
    struct wf_rt_view view = {0};
    if (!out || !r || !d)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = resource_of(r, &from);
    if (e == WF_CU_SUCCESS)
        e = sampler_of(d, &from, &t);
    if (e != WF_CU_SUCCESS)
        return e;
    if (v)
        view = (struct wf_rt_view){v->first_level, v->last_level, v->first_layer, v->last_layer};
    return wf_rt_texture_create(out, &from, v ? &view : NULL, &t);
}
API(cuTexObjectCreate,
    (uint64_t * out, const struct abi_resource *r, const struct abi_texture *d,
     const struct abi_view *v),
    create(out, r, d, v))
API(cuTexObjectDestroy, (uint64_t object), wf_rt_texture_destroy(object))

static enum wf_cu create_surface(uint64_t *out, const struct abi_resource *r)
{
    struct wf_rt_resource from;
    if (!out || !r)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = resource_of(r, &from);
    return e == WF_CU_SUCCESS ? wf_rt_surface_create(out, &from) : e;
}
API(cuSurfObjectCreate, (uint64_t * out, const struct abi_resource *r), create_surface(out, r))
API(cuSurfObjectDestroy, (uint64_t object), wf_rt_texture_destroy(object))

// --- tensor maps

static enum wf_cu told(enum wf_status rc, const struct wf_err *err)
{
    if (rc == WF_E_UNSUPPORTED)
        wf_trouble_add(err, NULL);
    return rc == WF_OK ? WF_CU_SUCCESS
                       : rc == WF_E_UNSUPPORTED ? WF_CU_NOT_SUPPORTED : WF_CU_INVALID_VALUE;
}

static enum wf_cu encode(void *map, int type, uint32_t rank, const void *address,
                         const uint64_t *size, const uint64_t *stride, const uint32_t *box,
                         const uint32_t *step, const int modes[4])
{
    struct wf_err err;
    return told(wf_tensormap_tiled(map, type, rank, ADDR(address), size, stride, box, step, modes[0],
                                   modes[1], modes[2], modes[3], &err),
                &err);
}
FREE(cuTensorMapEncodeTiled,
     (void *map, int type, uint32_t rank, const void *address, const uint64_t *size,
      const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave, int swizzle,
      int l2_promotion, int fill),
     encode(map, type, rank, address, size, stride, box, step,
            (const int[4]){interleave, swizzle, l2_promotion, fill}))
static enum wf_cu replace(void *map, const void *address)
{
    struct wf_err err;
    return told(wf_tensormap_move(map, ADDR(address), &err), &err);
}
FREE(cuTensorMapReplaceAddress, (void *map, const void *address), replace(map, address))
