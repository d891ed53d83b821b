// SPDX-License-Identifier: Apache-2.0
// What a texture gives at coordinates (CUDA Programming Guide, "Texture Fetching"). Private to src/exec.
#ifndef WF_EXEC_SAMPLE_H
#define WF_EXEC_SAMPLE_H

#include "exec/texture.h"
#include "jit/texcode.h"

union wf__channel {
    float f;
    int32_t i;
    uint32_t u;
};
struct wf__texel {
    union wf__channel c[4];
};

#define WF__MAX_TAPS 16
struct wf__taps { // the texels that were read, for checkers; each once
    uint32_t n;
    uint64_t addr[WF__MAX_TAPS];
};

struct wf__where { // one lane's coordinates
    int32_t layer;
    float f[3];
    int32_t i[3];
    float level;        // WF_TEX_LOD_LEVEL
    float grad[2][3];   // WF_TEX_LOD_GRAD
};

void wf__sample(const struct wf_texture *t, const struct wf_tex_code *c, const struct wf__where *at, int64_t delta,
                struct wf__texel *out, struct wf__taps *taps);

struct wf__warp_taps { // of a warp, for checkers: texels of lanes, n of each lane at most
    uint32_t n, have[4]; // have: lanes that read the i-th one
    uint64_t addr[4][32];
};

// For a warp at once: coord[0] and coord[1] of 32 lanes as bits; four results a lane, channel by channel, those of
// lanes outside the mask undefined. taps: NULL when nobody asks. False: not one of the common cases.
bool wf__sample_fast(const struct wf_texture *t, const struct wf_tex_code *c, const uint32_t *const coord[], uint32_t mask,
                     int64_t delta, uint32_t *out, struct wf__warp_taps *taps);

#endif
