// SPDX-License-Identifier: Apache-2.0
// CUDA arrays and mipmapped arrays: texels in device memory, known by a handle. Rows are padded to
// WF_RT_ARRAY_PITCH bytes; nobody outside can tell.
#ifndef WF_RT_ARRAY_H
#define WF_RT_ARRAY_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "exec/texture.h" // struct wf_image
#include "rt/copy.h"      // struct wf_rt_box

enum { // CUDA's numbers
    WF_RT_ARRAY_LAYERED = 1,
    WF_RT_ARRAY_SURFACE = 2,
    WF_RT_ARRAY_CUBE = 4,
    WF_RT_ARRAY_GATHER = 8
};

struct wf_rt_array {
    struct wf_image image;
    uint64_t width, height, depth; // as asked for; depth: or layers
    unsigned flags;
    bool is_mipmapped;
    uint64_t bytes; // of the memory behind it
};

// levels 0: a plain array; else a mipmapped one of at most that many levels.
enum wf_cu wf_rt_array_create(uint64_t *out, const struct wf_texel_format *f, uint64_t width,
                              uint64_t height, uint64_t depth, unsigned levels, unsigned flags);
enum wf_cu wf_rt_array_destroy(uint64_t array, bool is_mipmapped); // waits for the device
enum wf_cu wf_rt_array_info(uint64_t array, struct wf_rt_array *out);
enum wf_cu wf_rt_array_level(uint64_t mipmapped, unsigned level, uint64_t *out); // lives as long
// The box at x (bytes), y, z (slice or layer) of an array; width in bytes. INVALID_VALUE when it is
// not inside.
enum wf_cu wf_rt_array_box(uint64_t array, uint64_t x, uint64_t y, uint64_t z, uint64_t width,
                           uint64_t height, uint64_t depth, struct wf_rt_box *out);
void wf__array_reset(void);

// What a texture or surface object may look at.
enum wf_rt_resource_kind { // CUDA's numbers
    WF_RT_RESOURCE_ARRAY,
    WF_RT_RESOURCE_MIPMAPPED,
    WF_RT_RESOURCE_LINEAR,
    WF_RT_RESOURCE_PITCH
};
struct wf_rt_resource {
    enum wf_rt_resource_kind kind;
    uint64_t array;
    uint64_t addr, bytes; // LINEAR
    uint64_t width, height, pitch; // PITCH
    struct wf_texel_format format; // LINEAR, PITCH
};
struct wf_rt_view { // the part of an array that is seen
    unsigned first_level, last_level, first_layer, last_layer;
};

// `t` gives the sampler; its image is filled from the resource.
enum wf_cu wf_rt_texture_create(uint64_t *out, const struct wf_rt_resource *r,
                                const struct wf_rt_view *view, struct wf_texture *t);
enum wf_cu wf_rt_surface_create(uint64_t *out, const struct wf_rt_resource *r);
enum wf_cu wf_rt_texture_destroy(uint64_t object); // of both; waits for the device

#endif
