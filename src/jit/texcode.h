// SPDX-License-Identifier: Apache-2.0
// What compiled code tells wf_x_texture (exec/texture.c) of a texture or surface instruction: eight bytes,
// passed as one number.
#ifndef WF_JIT_TEXCODE_H
#define WF_JIT_TEXCODE_H

#include <stdint.h> // uint8_t

enum wf_tex_op { WF_TEX_FETCH, WF_TEX_GATHER, WF_TEX_QUERY, WF_SURF_LOAD, WF_SURF_STORE };
enum wf_tex_geometry { WF_TEX_1D, WF_TEX_2D, WF_TEX_3D, WF_TEX_A1D, WF_TEX_A2D, WF_TEX_CUBE, WF_TEX_ACUBE };
enum wf_tex_lod { WF_TEX_LOD_NONE, WF_TEX_LOD_LEVEL, WF_TEX_LOD_GRAD };
enum wf_tex_outside { WF_SURF_TRAP, WF_SURF_CLAMP, WF_SURF_ZERO };
enum wf_tex_query { WF_TEX_WIDTH, WF_TEX_HEIGHT, WF_TEX_DEPTH, WF_TEX_LAYERS, WF_TEX_LEVELS, WF_TEX_NORMALIZED };

enum { WF_TEX_INT = 1, WF_TEX_ONE = 2 }; // coordinates are integers; the object is the same for all lanes

struct wf_tex_code {
    uint8_t op, geometry, lod;
    uint8_t flags;      // WF_TEX_INT, WF_TEX_ONE
    uint8_t vec, bytes; // surfaces: elements, and bytes of one
    uint8_t outside;    // surfaces
    uint8_t which;      // gather: component; query: enum wf_tex_query
};
_Static_assert(sizeof(struct wf_tex_code) == 8, "passed as a number");

// Operands lie in lanes of 32 bits, the object and data of 8 bytes in lanes of 64; so do the results.
// Coordinates, the layer (first) among them; and elements of one gradient.
static inline unsigned wf_tex_coordinates(enum wf_tex_geometry g)
{
    static const uint8_t n[] = {1, 2, 3, 2, 3, 3, 4};
    return n[g];
}
static inline unsigned wf_tex_dimensions(enum wf_tex_geometry g)
{
    static const uint8_t n[] = {1, 2, 3, 1, 2, 3, 3};
    return n[g];
}

#endif
