// SPDX-License-Identifier: Apache-2.0
// CUDA arrays: made, asked, given back.
#include "rt/array.h" // wf_rt_array_create

#include "cudart/texel.h"

WF_EXPORT struct abi_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
WF_EXPORT struct abi_channel cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (struct abi_channel){x, y, z, w, kind};
}

// Channels are all as wide as the first, and none stands behind one that is missing. Kinds above
// FLOAT say how the texels are meant; their sizes stand in the description all the same.
enum wf_cu wf__texel_format(const struct abi_channel *c, struct wf_texel_format *out)
{
    const int bits[4] = {c->x, c->y, c->z, c->w};
    unsigned n = 0;
    while (n < 4 && bits[n])
        n++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < n ? c->x : 0))
            return WF_CU_INVALID_CHANNEL_DESCRIPTOR;
    if ((n != 1 && n != 2 && n != 4) || (c->x != 8 && c->x != 16 && c->x != 32))
        return WF_CU_INVALID_CHANNEL_DESCRIPTOR;
    if (c->kind < 0 || c->kind > 2)
        return c->kind == 3 ? WF_CU_INVALID_CHANNEL_DESCRIPTOR
                            : wf__unsupported("a texel format that is packed, planar or compressed");
    *out = (struct wf_texel_format){(enum wf_texel_kind)c->kind, (uint8_t)c->x, (uint8_t)n};
    return WF_CU_SUCCESS;
}

struct abi_channel wf__texel_channel(const struct wf_texel_format *f)
{
    int bits[4] = {0};
    for (unsigned i = 0; i < f->channels; i++)
        bits[i] = f->bits;
    return (struct abi_channel){bits[0], bits[1], bits[2], bits[3], (int)f->kind};
}

static enum wf_cu create(cudaArray_t *out, const struct abi_channel *c, struct abi_extent x,
                         unsigned levels, unsigned flags)
{
    struct wf_texel_format f;
    uint64_t handle;
    if (!out || !c)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__texel_format(c, &f);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_array_create(&handle, &f, x.width, x.height, x.depth, levels, flags);
    if (e == WF_CU_SUCCESS)
        *out = (cudaArray_t)(uintptr_t)handle;
    return e;
}
API(cudaMallocArray,
    (cudaArray_t * out, const struct abi_channel *c, size_t width, size_t height, unsigned flags),
    create(out, c, (struct abi_extent){width, height, 0}, 0, flags))
API(cudaMalloc3DArray,
    (cudaArray_t * out, const struct abi_channel *c, struct abi_extent x, unsigned flags),
    create(out, c, x, 0, flags))
API(cudaMallocMipmappedArray,
    (cudaArray_t * out, const struct abi_channel *c, struct abi_extent x, unsigned levels,
     unsigned flags),
    levels ? create(out, c, x, levels, flags) : WF_CU_INVALID_VALUE)
API(cudaFreeArray, (cudaArray_t array), wf_rt_array_destroy(ADDR(array), false))
API(cudaFreeMipmappedArray, (cudaArray_t array), wf_rt_array_destroy(ADDR(array), true))

static enum wf_cu level_of(cudaArray_t *out, cudaArray_t array, unsigned level)
{
    uint64_t handle;
    enum wf_cu e = wf_rt_array_level(ADDR(array), level, out ? &handle : NULL);
    if (e == WF_CU_SUCCESS)
        *out = (cudaArray_t)(uintptr_t)handle;
    return e;
}
API(cudaGetMipmappedArrayLevel, (cudaArray_t * out, cudaArray_t array, unsigned level),
    level_of(out, array, level))

static enum wf_cu info(struct abi_channel *c, struct abi_extent *x, unsigned *flags,
                       cudaArray_t array)
{
    struct wf_rt_array a;
    enum wf_cu e = wf_rt_array_info(ADDR(array), &a);
    if (e != WF_CU_SUCCESS)
        return e;
    if (c)
        *c = wf__texel_channel(&a.image.format);
    if (x)
        *x = (struct abi_extent){a.width, a.height, a.depth};
    if (flags)
        *flags = a.flags;
    return WF_CU_SUCCESS;
}
API(cudaArrayGetInfo,
    (struct abi_channel * c, struct abi_extent *x, unsigned *flags, cudaArray_t array),
    info(c, x, flags, array))
API(cudaGetChannelDesc, (struct abi_channel * c, cudaArray_t array),
    c ? info(c, NULL, NULL, array) : WF_CU_INVALID_VALUE)

static enum wf_cu memory(struct abi_array_memory *out, cudaArray_t array, int device)
{
    struct wf_rt_array a;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_array_info(ADDR(array), &a);
    if (e == WF_CU_SUCCESS)
        *out = (struct abi_array_memory){.bytes = a.bytes, .align = 512};
    return e;
}
API(cudaArrayGetMemoryRequirements, (struct abi_array_memory * out, cudaArray_t array, int device),
    memory(out, array, device))
API(cudaMipmappedArrayGetMemoryRequirements,
    (struct abi_array_memory * out, cudaArray_t array, int device), memory(out, array, device))
