// SPDX-License-Identifier: Apache-2.0
// The common texture reads for a whole warp: one object, one level, one or two dimensions. The same
// results as sample.c, which does everything else. Loops run over all 32 lanes, whether they take part
// or not, so that compilers make vector code of them; coordinates are clamped before they become
// addresses, so no lane can stray.
#include <string.h> // memcpy

#include "exec/sample.h"

#define LANES 32
#define LARGEST (1 << 22) // texels whose number a float holds with a fraction of 1/256 or so

struct axis { // one dimension of all lanes
    int32_t i[LANES];      // texel (the lower one of two)
    int32_t up[LANES];     // the upper one
    float w[LANES];        // its weight
    uint32_t is_in[LANES];   // inside, before it was folded
    uint32_t is_near[LANES]; // not so far outside that folding once is too little
};

// A coordinate in texels, kept within a texture before and one behind; those outside of that are noted.
static inline float in_reach(float x, float scale, float n, uint32_t *is_near)
{
    float v = x * scale, low = -n, high = 2.0f * n - 1.0f;
    v = v == v ? v : 0.0f; // not a number reads as 0
    *is_near = v >= low && v <= high;
    v = v > low ? v : low;
    return v < high ? v : high;
}

static inline int32_t fold(int32_t i, int32_t n, bool is_wrapped)
{
    if (is_wrapped) {
        i = i < 0 ? i + n : i;
        return i < n ? i : i - n;
    }
    i = i < 0 ? 0 : i;
    return i < n ? i : n - 1;
}

static void point_axis(const uint32_t *raw, float scale, int32_t n, bool is_wrapped, struct axis *a)
{
    float x[LANES];
    memcpy(x, raw, sizeof x);
    for (int k = 0; k < LANES; k++) {
        float v = in_reach(x[k], scale, (float)n, &a->is_near[k]);
        int32_t i = (int32_t)v;
        i -= (float)i > v;
        a->is_in[k] = i >= 0 && i < n;
        a->i[k] = fold(i, n, is_wrapped);
    }
}

static void linear_axis(const uint32_t *raw, float scale, int32_t n, bool is_wrapped, struct axis *a)
{
    float x[LANES];
    memcpy(x, raw, sizeof x);
    for (int k = 0; k < LANES; k++) {
        // Times 256 is exact; so is the fraction, by which it is rounded to the nearest.
        float p = in_reach(x[k], scale, (float)n, &a->is_near[k]) * 256.0f;
        int32_t q = (int32_t)p;
        q -= (float)q > p;
        q += p - (float)q >= 0.5f;
        q -= 128;
        int32_t low = (q - (q & 255)) / 256;
        a->w[k] = (float)(q & 255) / 256.0f;
        a->i[k] = fold(low, n, is_wrapped);
        a->up[k] = fold(low + 1, n, is_wrapped);
    }
}

static float fraction(const struct wf_texel_format *f, uint32_t raw)
{
    if (f->kind == WF_TEXEL_UNSIGNED)
        return (float)raw / (f->bits == 8 ? 255.0f : 65535.0f);
    float v = f->bits == 8 ? (float)(int8_t)raw / 127.0f : (float)(int16_t)raw / 32767.0f;
    return v < -1.0f ? -1.0f : v;
}

static inline uint32_t channel(const struct wf_texture *t, const uint8_t *p, unsigned bits)
{
    const struct wf_texel_format *f = &t->image.format;
    uint32_t raw = 0;
    memcpy(&raw, p, bits / 8);
    if (bits == 32)
        return raw;
    if (t->is_float) {
        float v = fraction(f, raw);
        memcpy(&raw, &v, 4);
    } else if (f->kind == WF_TEXEL_SIGNED) {
        raw = bits == 8 ? (uint32_t)(int32_t)(int8_t)raw : (uint32_t)(int32_t)(int16_t)raw;
    }
    return raw;
}

static void constant(uint32_t *out, uint32_t v)
{
    for (int k = 0; k < LANES; k++)
        out[k] = v;
}

// Where texels lie for the device, and which lanes read theirs.
static void note(struct wf__warp_taps *taps, const uint8_t *const at[LANES], const struct wf_texture *t, const uint8_t *base, uint32_t have)
{
    for (int k = 0; k < LANES; k++)
        taps->addr[taps->n][k] = t->image.level[0].addr + (uint64_t)(at[k] - base);
    taps->have[taps->n++] = have;
}

static void point(const struct wf_texture *t, const uint8_t *base, const struct axis *x, const struct axis *y, uint32_t *out,
                  struct wf__warp_taps *taps)
{
    const struct wf_texel_format *f = &t->image.format;
    uint64_t pitch = t->image.level[0].pitch;
    unsigned step = f->bits / 8u, texel = step * f->channels;
    const uint8_t *at[LANES];
    for (int k = 0; k < LANES; k++)
        at[k] = base + (uint64_t)(uint32_t)y->i[k] * pitch + (uint64_t)(uint32_t)x->i[k] * texel;
    if (taps)
        note(taps, at, t, base, UINT32_MAX);
    for (unsigned c = 0; c < f->channels; c++)
        for (int k = 0; k < LANES; k++) {
            const uint8_t *p = at[k] + c * step;
            out[c * LANES + (unsigned)k] = f->bits == 32  ? channel(t, p, 32)
                                           : f->bits == 8 ? channel(t, p, 8)
                                                          : channel(t, p, 16);
        }
}

static inline double value(const struct wf_texture *t, const uint8_t *p)
{
    const struct wf_texel_format *f = &t->image.format;
    uint32_t u = f->bits == 32 ? channel(t, p, 32) : f->bits == 8 ? channel(t, p, 8) : channel(t, p, 16);
    float v;
    memcpy(&v, &u, 4);
    return (double)v;
}

// The four texels of each lane, those with a weight.
static void note_four(struct wf__warp_taps *taps, const struct wf_texture *t, const uint8_t *base, const struct axis *x,
                      const struct axis *y)
{
    uint64_t pitch = t->image.level[0].pitch;
    unsigned texel = t->image.format.bits / 8u * t->image.format.channels;
    for (unsigned i = 0; i < 4; i++) {
        const uint8_t *at[LANES];
        uint32_t have = 0;
        for (int k = 0; k < LANES; k++) {
            at[k] = base + (uint64_t)(uint32_t)(i & 2 ? y->up : y->i)[k] * pitch + (uint64_t)(uint32_t)(i & 1 ? x->up : x->i)[k] * texel;
            bool none = (i & 1 && x->w[k] == 0.0f) || (i & 2 && y->w[k] == 0.0f); // a weight is below 1
            have |= (uint32_t)!none << k;
        }
        if (have)
            note(taps, at, t, base, have);
    }
}

static void bilinear(const struct wf_texture *t, const uint8_t *base, const struct axis *x, const struct axis *y, uint32_t *out)
{
    const struct wf_texel_format *f = &t->image.format;
    uint64_t pitch = t->image.level[0].pitch;
    unsigned step = f->bits / 8u, texel = step * f->channels;
    for (int k = 0; k < LANES; k++) {
        const uint8_t *low = base + (uint64_t)(uint32_t)y->i[k] * pitch, *up = base + (uint64_t)(uint32_t)y->up[k] * pitch;
        uint64_t left = (uint64_t)(uint32_t)x->i[k] * texel, right = (uint64_t)(uint32_t)x->up[k] * texel;
        double wx = (double)x->w[k], wy = (double)y->w[k];
        double w[4] = {(1 - wx) * (1 - wy), wx * (1 - wy), (1 - wx) * wy, wx * wy};
        for (unsigned c = 0; c < f->channels; c++) {
            const uint8_t *p[4] = {low + left + c * step, low + right + c * step, up + left + c * step,
                                   up + right + c * step};
            double sum = 0;
            for (unsigned i = 0; i < 4; i++) // what has no weight is not read: it may be no number
                sum += w[i] != 0 ? w[i] * value(t, p[i]) : 0;
            float v = (float)sum;
            memcpy(&out[c * LANES + (unsigned)k], &v, 4);
        }
    }
}

static void fill_missing(const struct wf_texture *t, uint32_t *out)
{
    static const float one = 1.0f;
    const struct wf_texel_format *f = &t->image.format;
    uint32_t last = 1;
    if (f->kind == WF_TEXEL_FLOAT || t->is_float)
        memcpy(&last, &one, 4);
    for (unsigned c = f->channels; c < 4; c++)
        constant(out + c * LANES, c == 3 ? last : 0);
}

static uint32_t lanes_of(const uint32_t *flag)
{
    uint32_t m = 0;
    for (int k = 0; k < LANES; k++)
        m |= flag[k] << k;
    return m;
}

// tex1Dfetch. What lies outside reads as 0 in every channel: not here.
static bool buffer(const struct wf_texture *t, const uint8_t *base, const uint32_t *index, uint32_t mask, uint32_t *out,
                   struct wf__warp_taps *taps)
{
    struct axis x, y = {{0}, {0}, {0}, {0}, {0}};
    uint32_t n = t->image.level[0].width;
    for (int k = 0; k < LANES; k++) {
        x.is_in[k] = index[k] < n;
        x.i[k] = x.is_in[k] ? (int32_t)index[k] : 0;
    }
    if (mask & ~lanes_of(x.is_in))
        return false;
    point(t, base, &x, &y, out, taps);
    return true;
}

bool wf__sample_fast(const struct wf_texture *t, const struct wf_tex_code *c, const uint32_t *const coord[], uint32_t mask,
                     int64_t delta, uint32_t *out, struct wf__warp_taps *taps)
{
    const struct wf_image *m = &t->image;
    const struct wf_tex_level *l = &m->level[0];
    const uint8_t *base = (const uint8_t *)(uintptr_t)(l->addr + (uint64_t)delta);
    bool is_half = m->format.kind == WF_TEXEL_FLOAT && m->format.bits == 16, is_int = c->flags & WF_TEX_INT;
    bool is_2d = c->geometry == WF_TEX_2D, is_border = false;
    if (c->op != WF_TEX_FETCH || c->geometry > WF_TEX_2D || m->n_levels != 1 || m->layers || is_half || t->is_srgb ||
        m->is_buffer != is_int)
        return false;
    if (is_int) {
        if (!buffer(t, base, coord[0], mask, out, taps))
            return false;
        fill_missing(t, out);
        return true;
    }
    bool is_wrapped[2] = {false, false};
    for (unsigned d = 0; d <= is_2d; d++) {
        is_wrapped[d] = t->is_normalized && t->address[d] == WF_TEX_WRAP;
        if (t->is_normalized && t->address[d] == WF_TEX_MIRROR)
            return false;
        is_border |= t->address[d] == WF_TEX_BORDER;
    }
    bool is_linear = t->is_linear && (m->format.kind == WF_TEXEL_FLOAT || t->is_float);
    int32_t w = (int32_t)l->width, h = l->height ? (int32_t)l->height : 1;
    if (w > LARGEST || h > LARGEST || (is_linear && is_border))
        return false;
    float sx = t->is_normalized ? (float)w : 1.0f, sy = t->is_normalized ? (float)h : 1.0f;
    struct axis x, y = {{0}, {0}, {0}, {0}, {0}};
    void (*axis)(const uint32_t *raw, float scale, int32_t n, bool is_wrapped, struct axis *a) = is_linear ? linear_axis : point_axis;
    axis(coord[0], sx, w, is_wrapped[0], &x);
    if (is_2d)
        axis(coord[1], sy, h, is_wrapped[1], &y);
    if ((is_wrapped[0] && mask & ~lanes_of(x.is_near)) || (is_wrapped[1] && mask & ~lanes_of(y.is_near)))
        return false;
    if (is_border && (mask & ~(lanes_of(x.is_in) & (is_2d ? lanes_of(y.is_in) : UINT32_MAX))))
        return false; // the border has a colour of its own
    if (is_linear && taps)
        note_four(taps, t, base, &x, &y);
    if (is_linear)
        bilinear(t, base, &x, &y, out);
    else
        point(t, base, &x, &y, out, taps);
    fill_missing(t, out);
    return true;
}
