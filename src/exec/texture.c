// SPDX-License-Identifier: Apache-2.0
// Texture and surface instructions of compiled code, and the table of objects. A handle is a generation
// (upper half) and 1 + the place in the table, so 0 is never one and an object that is gone is noticed.
#include "exec/texture.h"

#include <string.h> // memcpy

#include "exec/memory.h"
#include "exec/sample.h"

#define MAX_OBJECTS (1u << 20)

struct object {
    struct wf_texture t;
    uint32_t generation;
    bool is_live;
    uint32_t next_free; // 1 + place
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *_Atomic objects[MAX_OBJECTS];
static uint32_t n_objects, first_free;

uint64_t wf_texture_create(const struct wf_texture *t)
{
    pthread_mutex_lock(&lock);
    uint32_t i = MAX_OBJECTS;
    if (first_free) {
        i = first_free - 1;
        first_free = objects[i]->next_free;
    } else if (n_objects < MAX_OBJECTS) {
        i = n_objects++;
        objects[i] = wf_xcalloc(1, sizeof *objects[i]);
    }
    uint64_t handle = 0;
    if (i < MAX_OBJECTS) {
        struct object *o = objects[i];
        o->t = *t;
        o->generation++;
        o->is_live = true;
        handle = (uint64_t)o->generation << 32 | (i + 1);
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

// Compiled code reads without the lock: objects are never given back to the system, and a program that
// destroys one in use is told by the runtime's order of things, not here.
static struct object *find(uint64_t handle)
{
    uint32_t i = (uint32_t)handle - 1;
    struct object *o = (uint32_t)handle && i < MAX_OBJECTS ? objects[i] : NULL;
    return o && o->is_live && o->generation == (uint32_t)(handle >> 32) ? o : NULL;
}

bool wf_texture_destroy(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct object *o = find(handle);
    if (o) {
        o->is_live = false;
        o->next_free = first_free;
        first_free = (uint32_t)handle;
    }
    pthread_mutex_unlock(&lock);
    return o != NULL;
}

bool wf_texture_find(uint64_t handle, struct wf_texture *out)
{
    pthread_mutex_lock(&lock);
    const struct object *o = find(handle);
    if (o)
        *out = o->t;
    pthread_mutex_unlock(&lock);
    return o != NULL;
}

struct call {
    struct wf_warp *w;
    uint32_t site;
    struct wf_tex_code code;
    const void *const *arg; // lanes of 32 bits, but for the object and data of 8 bytes
    void *out;
};

static uint64_t handle_of(const struct call *c, unsigned lane)
{
    return ((const uint64_t *)c->arg[0])[lane];
}
static uint32_t operand(const struct call *c, unsigned k, unsigned lane)
{
    return ((const uint32_t *)c->arg[k])[lane];
}

static float as_float(uint32_t v)
{
    float f;
    memcpy(&f, &v, 4);
    return f;
}

static void coordinates(const struct call *c, unsigned lane, struct wf__where *at)
{
    enum wf_tex_geometry g = (enum wf_tex_geometry)c->code.geometry;
    unsigned n = wf_tex_coordinates(g), dims = wf_tex_dimensions(g), k = 1;
    memset(at, 0, sizeof *at);
    if (n > dims)
        at->layer = (int32_t)operand(c, k++, lane);
    for (unsigned d = 0; d < dims; d++, k++) {
        at->f[d] = as_float(operand(c, k, lane));
        at->i[d] = (int32_t)operand(c, k, lane);
    }
    if (c->code.lod == WF_TEX_LOD_LEVEL)
        at->level = as_float(operand(c, k, lane));
    if (c->code.lod == WF_TEX_LOD_GRAD)
        for (unsigned i = 0; i < 2; i++)
            for (unsigned d = 0; d < dims; d++)
                at->grad[i][d] = as_float(operand(c, k++, lane));
}

static void bad_object(const struct call *c, unsigned lane, const char *what)
{
    exec__mem_fault(c->w, c->site, lane, handle_of(c, lane), 1, c->code.op == WF_SURF_STORE, WF_F_MEM_BOUNDS, what);
}

static const struct wf_texture *object_of(const struct call *c, unsigned lane, bool is_surface)
{
    const struct object *o = find(handle_of(c, lane));
    if (!o) {
        bad_object(c, lane, is_surface ? "is no surface object" : "is no texture object");
        return NULL;
    }
    if (o->t.is_surface != is_surface) {
        bad_object(c, lane, is_surface ? "is a texture object, not a surface" : "is a surface object, not a texture");
        return NULL;
    }
    return &o->t;
}

static bool is_watched(const struct call *c)
{
    const struct wf_events *ev = grid_of(c->w)->ev;
    return ev && ev->access;
}

// ---- textures ----

// widths: the sizes of the texels in question, all of them together.
static const struct wf_site *site_of_texels(const struct call *c, uint32_t widths)
{
    const struct wf_site *s = site_of(c->w, c->site);
    bool is_one = widths && !(widths & (widths - 1)) && widths < 1u << EXEC__TEXEL_SITES;
    return is_one ? s + wf_ctz32(widths) : s; // else its first byte stands for a texel
}

static void fetch(const struct call *c, uint32_t mask)
{
    struct wf__taps taps[32];
    uint32_t most = 0, widths = 0;
    WF_EACH_LANE(mask, lane) {
        taps[lane].n = 0;
        const struct wf_texture *t = object_of(c, lane, false);
        if (!t)
            continue;
        struct wf__where at;
        struct wf__texel v;
        coordinates(c, lane, &at);
        wf__sample(t, &c->code, &at, c->w->block->grid->delta, &v, &taps[lane]);
        for (unsigned k = 0; k < 4; k++)
            ((uint32_t *)c->out)[32 * k + lane] = v.c[k].u;
        if (taps[lane].n > most)
            most = taps[lane].n;
        widths |= wf_texel_bytes(&t->image.format);
    }
    if (!is_watched(c))
        return;
    for (uint32_t i = 0; i < most; i++) { // the lanes' texels, one of each at a time
        uint64_t addr[32];
        uint32_t have = 0;
        WF_EACH_LANE(mask, lane) {
            if (i < taps[lane].n) {
                addr[lane] = taps[lane].addr[i];
                have |= 1u << lane;
            }
        }
        exec__tell_access(c->w, site_of_texels(c, widths), have, addr, PTX_SP_GLOBAL, 0, NULL);
    }
}

static uint64_t answer(const struct wf_texture *t, enum wf_tex_query q)
{
    const struct wf_image *m = &t->image;
    switch (q) {
    case WF_TEX_WIDTH:
        return m->level[0].width;
    case WF_TEX_HEIGHT:
        return m->level[0].height;
    case WF_TEX_DEPTH:
        return m->level[0].depth;
    case WF_TEX_LAYERS:
        return m->layers;
    case WF_TEX_LEVELS:
        return m->n_levels;
    case WF_TEX_NORMALIZED:
        return t->is_normalized;
    }
    return 0;
}

// ---- surfaces ----

// The address of a surface element: x counts bytes. 0: outside, and nothing is to be done.
static uint64_t surface_address(const struct call *c, const struct wf_texture *t, unsigned lane, bool *is_bad)
{
    struct wf__where at;
    const struct wf_tex_level *l = &t->image.level[0];
    unsigned dims = wf_tex_dimensions((enum wf_tex_geometry)c->code.geometry), total = (unsigned)c->code.bytes * c->code.vec;
    coordinates(c, lane, &at);
    int64_t most[3] = {(int64_t)l->width * wf_texel_bytes(&t->image.format) - total, (int64_t)l->height - 1,
                       (int64_t)l->depth - 1};
    int64_t layers = t->image.layers ? (int64_t)t->image.layers : 1;
    bool is_outside = at.layer < 0 || at.layer >= layers;
    for (unsigned d = 0; d < dims; d++)
        is_outside |= at.i[d] < 0 || at.i[d] > most[d];
    *is_bad = false;
    if (is_outside && c->code.outside != WF_SURF_CLAMP) {
        *is_bad = c->code.outside == WF_SURF_TRAP;
        return 0;
    }
    int64_t i[3] = {at.i[0], at.i[1], at.i[2]}, layer = at.layer < 0 ? 0 : at.layer >= layers ? layers - 1 : at.layer;
    for (unsigned d = 0; d < dims && is_outside; d++)
        i[d] = i[d] < 0 ? 0 : i[d] > most[d] ? most[d] : i[d];
    uint64_t addr = l->addr + (uint64_t)i[0];
    if (dims > 1)
        addr += (uint64_t)i[1] * l->pitch;
    return addr + (uint64_t)(dims > 2 ? i[2] : layer) * l->slice;
}

static void surface_lane(const struct call *c, unsigned lane, uint64_t addr, unsigned first)
{
    uint8_t *p = (uint8_t *)(uintptr_t)(addr + (uint64_t)c->w->block->grid->delta);
    unsigned n = c->code.bytes;
    for (unsigned e = 0; e < c->code.vec; e++) {
        size_t lane_bytes = n == 8 ? 8 : 4;
        if (c->code.op == WF_SURF_STORE)
            memcpy(p + e * n, (const char *)c->arg[first + e] + lane * lane_bytes, n);
        else
            memcpy((char *)c->out + (32 * e + lane) * lane_bytes, p + e * n, n);
    }
}

static void surface(const struct call *c, uint32_t mask)
{
    uint64_t addr[32] = {0};
    uint32_t have = 0;
    unsigned total = (unsigned)c->code.bytes * c->code.vec;
    WF_EACH_LANE(mask, lane) {
        bool is_bad;
        const struct wf_texture *t = object_of(c, lane, true);
        if (!t)
            continue;
        addr[lane] = surface_address(c, t, lane, &is_bad);
        bool is_store = c->code.op == WF_SURF_STORE;
        if (is_bad)
            exec__mem_fault(c->w, c->site, lane, operand(c, 1, lane), total, is_store, WF_F_MEM_BOUNDS,
                            "lies outside the surface");
        else if (addr[lane] % total)
            exec__mem_fault(c->w, c->site, lane, operand(c, 1, lane), total, is_store, WF_F_MEM_MISALIGNED,
                            "is misaligned: surface coordinates count bytes");
        else if (addr[lane])
            have |= 1u << lane;
    }
    if (have && is_watched(c))
        exec__tell_access(c->w, site_of(c->w, c->site), have, addr, PTX_SP_GLOBAL,
                          c->code.op == WF_SURF_STORE ? have : 0, NULL);
    unsigned first = 1 + wf_tex_coordinates((enum wf_tex_geometry)c->code.geometry);
    WF_EACH_LANE(have, lane)
        surface_lane(c, lane, addr[lane], first);
}

// True when that was all.
static bool fetch_fast(const struct call *c, uint32_t mask)
{
    const uint32_t *coord[2] = {c->arg[1], c->arg[2]};
    const struct object *o = c->code.flags & WF_TEX_ONE && mask ? find(handle_of(c, wf_ctz32(mask))) : NULL;
    struct wf__warp_taps taps;
    taps.n = 0;
    if (!o || o->t.is_surface ||
        !wf__sample_fast(&o->t, &c->code, coord, mask, c->w->block->grid->delta, c->out, is_watched(c) ? &taps : NULL))
        return false;
    for (uint32_t i = 0; i < taps.n; i++)
        if (taps.have[i] & mask)
            exec__tell_access(c->w, site_of_texels(c, wf_texel_bytes(&o->t.image.format)), taps.have[i] & mask, taps.addr[i],
                              PTX_SP_GLOBAL, 0, NULL);
    return true;
}

void wf_x_texture(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const void *const *arg, void *out)
{
    struct call c = {.w = w, .site = site, .arg = arg, .out = out};
    memcpy(&c.code, &code, sizeof c.code);
    if (c.code.op == WF_TEX_FETCH && fetch_fast(&c, mask))
        return;
    memset(out, 0, (c.code.bytes == 8 ? 8 : 4) * (size_t)(4 * 32));
    switch ((enum wf_tex_op)c.code.op) {
    case WF_TEX_FETCH:
    case WF_TEX_GATHER:
        fetch(&c, mask);
        break;
    case WF_SURF_LOAD:
    case WF_SURF_STORE:
        surface(&c, mask);
        break;
    case WF_TEX_QUERY:
        WF_EACH_LANE(mask, lane) {
            const struct object *o = find(handle_of(&c, lane));
            if (o)
                ((uint32_t *)out)[lane] = (uint32_t) answer(&o->t, (enum wf_tex_query)c.code.which);
            else
                bad_object(&c, lane, "is no texture or surface object");
        }
        break;
    }
}
