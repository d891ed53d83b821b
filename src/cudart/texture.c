// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects. What a program asked for is kept, since it may ask for it back.
#include <pthread.h> // pthread_mutex_t
#include <stdlib.h>  // free

#include "base/arena.h" // wf_xcalloc
#include "base/map.h"   // struct wf_map
#include "cudart/texel.h"

struct asked {
    struct abi_resource resource;
    struct abi_texture texture;
    struct abi_view view;
    bool has_view, is_surface;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_map objects; // handle -> struct asked

static enum wf_cu resource_of(const struct abi_resource *r, struct wf_rt_resource *out)
{
    *out = (struct wf_rt_resource){.kind = (enum wf_rt_resource_kind)r->type};
    switch (r->type) {
    case WF_RT_RESOURCE_ARRAY:
    case WF_RT_RESOURCE_MIPMAPPED:
        out->array = r->of.array;
        return WF_CU_SUCCESS;
    case WF_RT_RESOURCE_LINEAR:
        out->addr = ADDR(r->of.linear.ptr);
        out->bytes = r->of.linear.bytes;
        return wf__texel_format(&r->of.linear.format, &out->format);
    case WF_RT_RESOURCE_PITCH:
        out->addr = ADDR(r->of.pitch.ptr);
        out->width = r->of.pitch.width;
        out->height = r->of.pitch.height;
        out->pitch = r->of.pitch.pitch;
        return wf__texel_format(&r->of.pitch.format, &out->format);
    default:
        return WF_CU_INVALID_VALUE;
    }
}

static enum wf_cu sampler_of(const struct abi_texture *d, struct wf_texture *out)
{
    for (unsigned i = 0; i < 3; i++) {
        if (d->address[i] < 0 || d->address[i] > 3)
            return WF_CU_INVALID_VALUE;
        out->address[i] = (enum wf_tex_address)d->address[i];
    }
    if (d->filter < 0 || d->filter > 1 || d->read_mode < 0 || d->read_mode > 1 || d->level_filter < 0 ||
        d->level_filter > 1)
        return WF_CU_INVALID_VALUE;
    if (d->max_anisotropy > 1)
        return wf__unsupported("anisotropic texture filtering");
    if (d->is_seamless)
        return wf__unsupported("seamless filtering of cube maps");
    out->is_linear = d->filter == 1;
    out->is_float = d->read_mode == 1;
    out->is_srgb = d->srgb != 0;
    out->is_normalized = d->is_normalized != 0;
    out->is_level_linear = d->level_filter == 1;
    out->bias = d->level_bias;
    out->level_min = d->level_min;
    out->level_max = d->level_max;
    for (unsigned i = 0; i < 4; i++)
        out->border[i] = d->border[i];
    return WF_CU_SUCCESS;
}

// A view of the array's own format and extent, maybe of fewer levels or layers.
static enum wf_cu view_of(const struct abi_view *v, struct wf_rt_view *out)
{
    if (v->format < 0 || v->format > 34)
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_rt_view){v->first_level, v->last_level, v->first_layer, v->last_layer};
    return WF_CU_SUCCESS;
}

static void keep(uint64_t handle, const struct asked *a)
{
    struct asked *own = wf_xcalloc(1, sizeof *own);
    *own = *a;
    pthread_mutex_lock(&lock);
    free(wf_map_del(&objects, handle));
    wf_map_put(&objects, handle, own);
    pthread_mutex_unlock(&lock);
}

static enum wf_cu create(uint64_t *out, const struct abi_resource *r, const struct abi_texture *d,
                         const struct abi_view *v)
{
    struct wf_rt_resource from;
    struct wf_texture t = {.is_surface = false};
    struct wf_rt_view view;
    if (!out || !r || !d)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = resource_of(r, &from);
    if (e == WF_CU_SUCCESS)
        e = sampler_of(d, &t);
    if (e == WF_CU_SUCCESS && v)
        e = view_of(v, &view);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_texture_create(out, &from, v ? &view : NULL, &t);
    if (e == WF_CU_SUCCESS) {
        struct asked a = {.resource = *r, .texture = *d, .has_view = v != NULL};
        if (v)
            a.view = *v;
        keep(*out, &a);
    }
    return e;
}
API(cudaCreateTextureObject,
    (uint64_t * out, const struct abi_resource *r, const struct abi_texture *d,
     const struct abi_view *v),
    create(out, r, d, v))

static enum wf_cu create_surface(uint64_t *out, const struct abi_resource *r)
{
    struct wf_rt_resource from;
    if (!out || !r)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = resource_of(r, &from);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_surface_create(out, &from);
    if (e == WF_CU_SUCCESS)
        keep(*out, &(struct asked){.resource = *r, .is_surface = true});
    return e;
}
API(cudaCreateSurfaceObject, (uint64_t * out, const struct abi_resource *r),
    create_surface(out, r))

static bool look(uint64_t handle, bool is_surface, struct asked *out)
{
    pthread_mutex_lock(&lock);
    const struct asked *a = wf_map_get(&objects, handle);
    bool is_one = a && a->is_surface == is_surface;
    if (is_one)
        *out = *a;
    pthread_mutex_unlock(&lock);
    return is_one;
}

static enum wf_cu destroy(uint64_t handle, bool is_surface)
{
    struct asked a;
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !handle)
        return e;
    if (!look(handle, is_surface, &a))
        return WF_CU_INVALID_VALUE;
    e = wf_rt_texture_destroy(handle);
    pthread_mutex_lock(&lock);
    free(wf_map_del(&objects, handle));
    pthread_mutex_unlock(&lock);
    return e;
}
API(cudaDestroyTextureObject, (uint64_t object), destroy(object, false))
API(cudaDestroySurfaceObject, (uint64_t object), destroy(object, true))

static enum wf_cu get_resource(struct abi_resource *out, uint64_t object, bool is_surface)
{
    struct asked a;
    if (!out || !look(object, is_surface, &a))
        return WF_CU_INVALID_VALUE;
    *out = a.resource;
    return WF_CU_SUCCESS;
}
API(cudaGetTextureObjectResourceDesc, (struct abi_resource * out, uint64_t object),
    get_resource(out, object, false))
API(cudaGetSurfaceObjectResourceDesc, (struct abi_resource * out, uint64_t object),
    get_resource(out, object, true))

static enum wf_cu get_texture(struct abi_texture *out, uint64_t object)
{
    struct asked a;
    if (!out || !look(object, false, &a))
        return WF_CU_INVALID_VALUE;
    *out = a.texture;
    return WF_CU_SUCCESS;
}
API(cudaGetTextureObjectTextureDesc, (struct abi_texture * out, uint64_t object),
    get_texture(out, object))

static enum wf_cu get_view(struct abi_view *out, uint64_t object)
{
    struct asked a;
    if (!out || !look(object, false, &a) || !a.has_view)
        return WF_CU_INVALID_VALUE;
    *out = a.view;
    return WF_CU_SUCCESS;
}
API(cudaGetTextureObjectResourceViewDesc, (struct abi_view * out, uint64_t object),
    get_view(out, object))
