// SPDX-License-Identifier: Apache-2.0
// From what the program names to the image that a texture or surface object looks at.
#include "rt/array.h"
#include "rt/ctx.h"    // wf_rt_enter
#include "rt/memory.h" // wf_rt_pointer
#include "rt/queue.h"  // wf__queue_drain

#define LINEAR_TEXELS (UINT64_C(1) << 28)
#define BASE_ALIGN 512u // of linear memory that a texture looks at
#define PITCH_ALIGN 32u

static bool lies_on_device(uint64_t addr, uint64_t bytes)
{
    struct wf_rt_pointer p;
    wf_rt_pointer(addr, &p);
    return p.type != WF_RT_MEMORY_UNREGISTERED && bytes <= p.bytes - (addr - p.base);
}

static enum wf_cu linear(const struct wf_rt_resource *r, struct wf_image *out)
{
    uint64_t texels = r->bytes / wf_texel_bytes(&r->format);
    if (!texels || texels > LINEAR_TEXELS || r->addr % BASE_ALIGN || !lies_on_device(r->addr, r->bytes))
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_image){.format = r->format, .is_buffer = true, .n_levels = 1};
    out->level[0] = (struct wf_tex_level){.addr = r->addr, .width = (uint32_t)texels};
    return WF_CU_SUCCESS;
}

static enum wf_cu pitched(const struct wf_rt_resource *r, struct wf_image *out)
{
    uint64_t row = r->width * wf_texel_bytes(&r->format);
    if (!r->width || !r->height || r->width > LINEAR_TEXELS || r->height > LINEAR_TEXELS || r->pitch < row ||
        r->pitch % PITCH_ALIGN || r->addr % BASE_ALIGN || !lies_on_device(r->addr, r->pitch * (r->height - 1) + row))
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_image){.format = r->format, .n_levels = 1};
    out->level[0] = (struct wf_tex_level){.addr = r->addr,
                                          .pitch = r->pitch,
                                          .slice = r->pitch * r->height,
                                          .width = (uint32_t)r->width,
                                          .height = (uint32_t)r->height};
    return WF_CU_SUCCESS;
}

static bool is_linear_format(const struct wf_texel_format *f)
{
    return (f->bits == 8 || f->bits == 16 || f->bits == 32) &&
           (f->channels == 1 || f->channels == 2 || f->channels == 4);
}

static enum wf_cu image_of(const struct wf_rt_resource *r, struct wf_image *out, unsigned *flags)
{
    struct wf_rt_array a;
    enum wf_cu e;
    *flags = 0;
    switch (r->kind) {
    case WF_RT_RESOURCE_ARRAY:
    case WF_RT_RESOURCE_MIPMAPPED:
        e = wf_rt_array_info(r->array, &a);
        if (e == WF_CU_SUCCESS && a.is_mipmapped != (r->kind == WF_RT_RESOURCE_MIPMAPPED))
            e = WF_CU_INVALID_VALUE;
        if (e != WF_CU_SUCCESS)
            return e;
        *out = a.image;
        *flags = a.flags;
        return WF_CU_SUCCESS;
    case WF_RT_RESOURCE_LINEAR:
        return is_linear_format(&r->format) ? linear(r, out) : WF_CU_INVALID_VALUE;
    case WF_RT_RESOURCE_PITCH:
        return is_linear_format(&r->format) ? pitched(r, out) : WF_CU_INVALID_VALUE;
    }
    return WF_CU_INVALID_VALUE;
}

static enum wf_cu narrow(struct wf_image *m, const struct wf_rt_view *v)
{
    unsigned levels = v->last_level - v->first_level + 1, layers = v->last_layer - v->first_layer + 1;
    if (v->last_level < v->first_level || v->last_level >= m->n_levels || v->last_layer < v->first_layer ||
        (v->last_layer != 0 && v->last_layer >= m->layers))
        return WF_CU_INVALID_VALUE;
    for (unsigned i = 0; i < levels; i++) {
        m->level[i] = m->level[i + v->first_level];
        m->level[i].addr += v->first_layer * m->level[i].slice;
    }
    m->n_levels = levels;
    if (m->layers && v->last_layer)
        m->layers = layers;
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_texture_create(uint64_t *out, const struct wf_rt_resource *r,
                                const struct wf_rt_view *view, struct wf_texture *t)
{
    unsigned flags;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS)
        e = image_of(r, &t->image, &flags);
    if (e == WF_CU_SUCCESS && view)
        e = narrow(&t->image, view);
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_texel_format *f = &t->image.format;
    bool is_integer = f->kind != WF_TEXEL_FLOAT;
    if (!is_integer)
        t->is_float = false;
    // Fractions of 32-bit integers are not made, and integers are not interpolated.
    if ((t->is_float && f->bits == 32) || (t->is_linear && is_integer && !t->is_float))
        return WF_CU_INVALID_VALUE;
    t->is_surface = false;
    *out = wf_texture_create(t);
    return *out ? WF_CU_SUCCESS : WF_CU_MEMORY_ALLOCATION;
}

enum wf_cu wf_rt_surface_create(uint64_t *out, const struct wf_rt_resource *r)
{
    struct wf_texture t = {.is_surface = true};
    unsigned flags;
    enum wf_cu e = wf_rt_enter();
    if (e == WF_CU_SUCCESS && r->kind != WF_RT_RESOURCE_ARRAY)
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        e = image_of(r, &t.image, &flags);
    if (e != WF_CU_SUCCESS)
        return e;
    if (!(flags & WF_RT_ARRAY_SURFACE))
        return WF_CU_INVALID_VALUE;
    *out = wf_texture_create(&t);
    return *out ? WF_CU_SUCCESS : WF_CU_MEMORY_ALLOCATION;
}

enum wf_cu wf_rt_texture_destroy(uint64_t object)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__queue_drain(); // kernels that read through it
    return wf_texture_destroy(object) ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}
