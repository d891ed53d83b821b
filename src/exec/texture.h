// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: what the runtime (src/rt) makes and kernels read through. An object is a
// handle to a copy of the description below. Texels lie in device memory, row after row.
#ifndef WF_EXEC_TEXTURE_H
#define WF_EXEC_TEXTURE_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#define WF_TEX_MAX_LEVELS 17

enum wf_texel_kind { WF_TEXEL_SIGNED, WF_TEXEL_UNSIGNED, WF_TEXEL_FLOAT }; // CUDA's order

struct wf_texel_format {
    enum wf_texel_kind kind;
    uint8_t bits;     // of a channel: 8, 16, 32
    uint8_t channels; // 1, 2, 4
};

struct wf_tex_level {
    uint64_t addr, pitch, slice; // bytes from row to row, from depth or layer to the next
    uint32_t width, height, depth; // texels; 0: the image has no such dimension
};

struct wf_image {
    struct wf_texel_format format;
    bool is_buffer;  // linear memory, read by index only
    bool is_cube;    // six layers a cube
    uint32_t layers; // 0: not layered. A cube has 6
    uint32_t n_levels;
    struct wf_tex_level level[WF_TEX_MAX_LEVELS];
};

enum wf_tex_address { WF_TEX_WRAP, WF_TEX_CLAMP, WF_TEX_MIRROR, WF_TEX_BORDER }; // CUDA's numbers

struct wf_texture {
    bool is_surface;
    struct wf_image image;
    enum wf_tex_address address[3];
    bool is_linear, is_level_linear; // filters
    bool is_normalized;              // coordinates
    bool is_float;                   // integer texels are read as fractions
    bool is_srgb, is_seamless;
    float border[4];
    float bias, level_min, level_max;
};

uint64_t wf_texture_create(const struct wf_texture *t); // 0 when there are too many
bool wf_texture_destroy(uint64_t handle);               // false: no such object
bool wf_texture_find(uint64_t handle, struct wf_texture *out);

// Bytes of a texel.
static inline uint32_t wf_texel_bytes(const struct wf_texel_format *f)
{
    return (uint32_t)f->bits / 8 * f->channels;
}

#endif
