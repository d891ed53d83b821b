// SPDX-License-Identifier: Apache-2.0
// Texture reads of one lane. Coordinates go to texel space (normalized ones times the extent), the address
// mode folds each index, linear filters weigh with a fraction of 8 bits (CUDA Programming Guide, "Linear
// Filtering"): x - 0.5 is rounded to the nearest 1/256, its floor is the texel, the rest the weight.
#include "exec/sample.h"

#include <math.h>   // floorf
#include <string.h> // memcpy

#include "exec/half.h"

struct face { // one image of a level, and where in it
    const struct wf_texture *t;
    const struct wf_tex_level *l;
    uint32_t layer;
    unsigned dims;
    int64_t delta;
    struct wf__taps *taps;
};

static int32_t extent(const struct wf_tex_level *l, unsigned d)
{
    uint32_t n = d == 0 ? l->width : d == 1 ? l->height : l->depth;
    return n ? (int32_t)n : 1;
}

// ---- texels ----

static float linear_of_srgb(float v)
{
    return v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
}

static union wf__channel channel(const struct wf_texture *t, const uint8_t *p, unsigned k)
{
    const struct wf_texel_format *f = &t->image.format;
    union wf__channel r = {.u = 0};
    uint32_t raw = 0;
    memcpy(&raw, p + k * (f->bits / 8u), f->bits / 8u);
    if (f->kind == WF_TEXEL_FLOAT) {
        if (f->bits == 16)
            r.f = wf__half_float((uint16_t)raw, false);
        else
            r.u = raw;
        return r;
    }
    if (f->kind == WF_TEXEL_UNSIGNED) {
        r.u = raw;
        if (t->is_float) {
            r.f = (float)raw / (f->bits == 8 ? 255.0f : 65535.0f);
            if (t->is_srgb && k < 3)
                r.f = linear_of_srgb(r.f);
        }
        return r;
    }
    r.i = f->bits == 8 ? (int8_t)raw : f->bits == 16 ? (int16_t)raw : (int32_t)raw;
    if (t->is_float)
        r.f = fmaxf((float)r.i / (f->bits == 8 ? 127.0f : 32767.0f), -1.0f);
    return r;
}

// Does reading give floats?
static bool gives_floats(const struct wf_texture *t)
{
    return t->image.format.kind == WF_TEXEL_FLOAT || t->is_float;
}

static void border_texel(const struct wf_texture *t, struct wf__texel *out)
{
    for (unsigned k = 0; k < 4; k++)
        if (gives_floats(t))
            out->c[k].f = t->border[k];
        else
            memcpy(&out->c[k], &t->border[k], 4);
}

static void load(const struct face *f, const int32_t at[3], struct wf__texel *out)
{
    const struct wf_tex_level *l = f->l;
    const struct wf_texel_format *format = &f->t->image.format;
    uint64_t addr = l->addr + (uint64_t)at[0] * wf_texel_bytes(format);
    if (f->dims > 1)
        addr += (uint64_t)at[1] * l->pitch;
    addr += (f->dims > 2 ? (uint64_t)at[2] : f->layer) * l->slice;
    if (f->taps->n < WF__MAX_TAPS)
        f->taps->addr[f->taps->n++] = addr;
    const uint8_t *p = (const uint8_t *)(uintptr_t)(addr + (uint64_t)f->delta);
    memset(out, 0, sizeof *out);
    for (unsigned k = 0; k < format->channels; k++)
        out->c[k] = channel(f->t, p, k);
    if (format->channels < 4) { // what is not there reads as 0, 0, 1
        if (gives_floats(f->t))
            out->c[3].f = 1.0f;
        else
            out->c[3].u = 1;
    }
}

// ---- addresses ----

static enum wf_tex_address mode_of(const struct wf_texture *t, unsigned d)
{
    enum wf_tex_address m = t->image.is_cube ? WF_TEX_CLAMP : t->address[d];
    if (!t->is_normalized && (m == WF_TEX_WRAP || m == WF_TEX_MIRROR))
        return WF_TEX_CLAMP;
    return m;
}

// The index inside [0, n), or -1 for the border.
static int32_t fold(enum wf_tex_address m, int64_t i, int32_t n)
{
    int64_t k;
    switch (m) {
    case WF_TEX_CLAMP:
        return (int32_t)(i < 0 ? 0 : i >= n ? n - 1 : i);
    case WF_TEX_BORDER:
        return i < 0 || i >= n ? -1 : (int32_t)i;
    case WF_TEX_WRAP:
        k = i % n;
        return (int32_t)(k < 0 ? k + n : k);
    case WF_TEX_MIRROR:
        k = i % (2 * (int64_t)n);
        k = k < 0 ? k + 2 * (int64_t)n : k;
        return (int32_t)(k < n ? k : 2 * (int64_t)n - 1 - k);
    }
    return 0;
}

static void fetch(const struct face *f, const int64_t i[3], struct wf__texel *out)
{
    int32_t at[3] = {0};
    for (unsigned d = 0; d < f->dims; d++) {
        at[d] = fold(mode_of(f->t, d), i[d], extent(f->l, d));
        if (at[d] < 0) {
            border_texel(f->t, out);
            return;
        }
    }
    load(f, at, out);
}

// A coordinate in texels, kept where integers still hold it.
static float texel_coordinate(const struct face *f, float x, unsigned d)
{
    if (x != x)
        x = 0.0f;
    if (f->t->is_normalized)
        x *= (float)extent(f->l, d);
    return fmaxf(fminf(x, 1e9f), -1e9f);
}

// ---- filters ----

static void filter_point(const struct face *f, const float x[3], struct wf__texel *out)
{
    int64_t i[3] = {0};
    for (unsigned d = 0; d < f->dims; d++)
        i[d] = (int64_t)floorf(texel_coordinate(f, x[d], d));
    fetch(f, i, out);
}

// The texel below and the weight of its upper neighbour in 1/256.
static int64_t split(const struct face *f, float x, unsigned d, int32_t *weight)
{
    double y = floor((double)texel_coordinate(f, x, d) * 256.0 + 0.5) - 128.0;
    double i = floor(y / 256.0);
    *weight = (int32_t)(y - i * 256.0);
    return (int64_t)i;
}

static void filter_linear(const struct face *f, const float x[3], struct wf__texel *out)
{
    int64_t low[3] = {0};
    int32_t w[3] = {0};
    double sum[4] = {0};
    for (unsigned d = 0; d < f->dims; d++)
        low[d] = split(f, x[d], d, &w[d]);
    for (unsigned corner = 0; corner < 1u << f->dims; corner++) {
        int64_t at[3];
        double weight = 1;
        for (unsigned d = 0; d < f->dims; d++) {
            unsigned up = corner >> d & 1;
            at[d] = low[d] + up;
            weight *= (double)(up ? w[d] : 256 - w[d]) / 256;
        }
        if (weight == 0) // not read: a NaN there does not count
            continue;
        struct wf__texel e;
        fetch(f, at, &e);
        for (unsigned k = 0; k < 4; k++)
            sum[k] += weight * (double)e.c[k].f;
    }
    for (unsigned k = 0; k < 4; k++)
        out->c[k].f = (float)sum[k];
}

// The four texels around, one channel of each: (0,1) (1,1) (1,0) (0,0).
static void gather(const struct face *f, const float x[3], unsigned channel_of, struct wf__texel *out)
{
    static const int8_t place[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    int32_t w;
    int64_t low[3] = {0};
    for (unsigned d = 0; d < f->dims; d++)
        low[d] = split(f, x[d], d, &w);
    for (unsigned k = 0; k < 4; k++) {
        int64_t at[3] = {low[0] + place[k][0], low[1] + place[k][1], 0};
        struct wf__texel e;
        fetch(f, at, &e);
        out->c[k] = e.c[channel_of];
    }
}

// ---- cubes ----

// Face and place on it, in [0, 1] (CUDA Programming Guide, "Cubemap Textures").
static uint32_t cube_face(const float v[3], float st[3])
{
    float ax = fabsf(v[0]), ay = fabsf(v[1]), az = fabsf(v[2]), m, s, t;
    uint32_t face;
    if (ax >= ay && ax >= az) {
        face = v[0] < 0;
        m = ax;
        s = face ? v[2] : -v[2];
        t = -v[1];
    } else if (ay >= az) {
        face = 2 + (v[1] < 0);
        m = ay;
        s = v[0];
        t = face == 3 ? -v[2] : v[2];
    } else {
        face = 4 + (v[2] < 0);
        m = az;
        s = face == 5 ? -v[0] : v[0];
        t = -v[1];
    }
    st[0] = m > 0 ? (s / m + 1.0f) / 2.0f : 0.5f;
    st[1] = m > 0 ? (t / m + 1.0f) / 2.0f : 0.5f;
    st[2] = 0;
    return face;
}

// ---- levels ----

static float level_of(const struct wf_texture *t, const struct wf_tex_code *c, const struct wf__where *at, unsigned dims)
{
    float level = 0;
    if (c->lod == WF_TEX_LOD_LEVEL)
        level = at->level;
    if (c->lod == WF_TEX_LOD_GRAD) {
        float longest = 0;
        for (unsigned g = 0; g < 2; g++) {
            float sum = 0;
            for (unsigned d = 0; d < dims; d++) {
                float x = at->grad[g][d] * (t->is_normalized ? (float)extent(&t->image.level[0], d) : 1.0f);
                sum += x * x;
            }
            longest = fmaxf(longest, sum);
        }
        level = longest > 0 ? 0.5f * log2f(longest) : -1e9f;
    }
    level = fminf(fmaxf(level + t->bias, t->level_min), t->level_max);
    return fminf(fmaxf(level, 0.0f), (float)(t->image.n_levels - 1));
}

static void on_level(const struct face *f, const struct wf_tex_code *c, const float x[3], struct wf__texel *out)
{
    if (c->op == WF_TEX_GATHER)
        gather(f, x, c->which, out);
    else if (f->t->is_linear && gives_floats(f->t))
        filter_linear(f, x, out);
    else
        filter_point(f, x, out);
}

static void read_buffer(const struct wf_texture *t, int32_t i, struct face *f, struct wf__texel *out)
{
    int32_t at[3] = {i, 0, 0};
    memset(out, 0, sizeof *out);
    if (i >= 0 && (uint32_t)i < t->image.level[0].width)
        load(f, at, out);
}

void wf__sample(const struct wf_texture *t, const struct wf_tex_code *c, const struct wf__where *at, int64_t delta,
                struct wf__texel *out, struct wf__taps *taps)
{
    unsigned dims = wf_tex_dimensions((enum wf_tex_geometry)c->geometry);
    bool is_cube = c->geometry == WF_TEX_CUBE || c->geometry == WF_TEX_ACUBE;
    const struct wf_image *m = &t->image;
    struct face f = {.t = t, .l = &m->level[0], .dims = is_cube ? 2 : dims, .delta = delta, .taps = taps};
    float x[3] = {at->f[0], at->f[1], at->f[2]};
    if (m->is_buffer || (c->flags & WF_TEX_INT)) {
        if (m->is_buffer) {
            read_buffer(t, (c->flags & WF_TEX_INT) ? at->i[0] : (int32_t)floorf(at->f[0]), &f, out);
            return;
        }
        int64_t i[3] = {at->i[0], at->i[1], at->i[2]};
        fetch(&f, i, out);
        return;
    }
    int32_t cubes = m->is_cube ? (int32_t)m->layers / 6 : (int32_t)m->layers;
    int32_t layer = at->layer < 0 || !cubes ? 0 : at->layer >= cubes ? cubes - 1 : at->layer;
    f.layer = (uint32_t)layer;
    if (is_cube) {
        float direction[3] = {x[0], x[1], x[2]};
        f.layer = (uint32_t)layer * 6 + cube_face(direction, x);
    }
    float level = level_of(t, c, at, dims);
    if (!t->is_level_linear) {
        f.l = &m->level[(uint32_t)floorf(level + 0.5f)];
        on_level(&f, c, x, out);
        return;
    }
    uint32_t low = (uint32_t)level;
    float w = floorf((level - (float)low) * 256.0f + 0.5f) / 256.0f;
    f.l = &m->level[low];
    on_level(&f, c, x, out);
    if (w == 0 || low + 1 >= m->n_levels || !gives_floats(t) || c->op == WF_TEX_GATHER)
        return;
    struct wf__texel above;
    f.l = &m->level[low + 1];
    on_level(&f, c, x, &above);
    for (unsigned k = 0; k < 4; k++)
        out->c[k].f = (1.0f - w) * out->c[k].f + w * above.c[k].f;
}
