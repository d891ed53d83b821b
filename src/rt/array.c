// SPDX-License-Identifier: Apache-2.0
// An array is one device allocation: level after level, in each slice after slice, row after row.
#include "rt/array.h"

#include <stdlib.h> // free

#include "base/arena.h" // wf_xcalloc
#include "base/bits.h"  // wf_align_up
#include "rt/ctx.h"     // wf_rt_enter
#include "rt/memory.h"  // wf__memory_device
#include "rt/queue.h"   // wf__lock
#include "rt/table.h"   // struct wf__table

#define PITCH 64u
#define LEVEL_ALIGN 512u
#define LARGEST UINT64_C(131072)

struct array {
    struct wf_rt_array a;
    uint64_t parent; // of a level
    uint64_t level[WF_TEX_MAX_LEVELS]; // handles given out
};

static struct wf__table table = {.tag = WF__TAG_ARRAY}; // under the lock

static uint64_t half(uint64_t n, unsigned level)
{
    uint64_t m = n >> level;
    return n == 0 ? 0 : m ? m : 1;
}

static bool is_format(const struct wf_texel_format *f)
{
    bool is_bits = f->bits == 8 || f->bits == 16 || f->bits == 32;
    bool is_count = f->channels == 1 || f->channels == 2 || f->channels == 4;
    return is_bits && is_count && (f->kind != WF_TEXEL_FLOAT || f->bits != 8);
}

// Which extents are zero says what kind of array it is (CUDA Runtime API, cudaMalloc3DArray).
static bool is_shape(uint64_t w, uint64_t h, uint64_t d, unsigned flags)
{
    bool is_layered = flags & WF_RT_ARRAY_LAYERED, is_cube = flags & WF_RT_ARRAY_CUBE;
    if (w == 0 || w > LARGEST || h > LARGEST || d > LARGEST)
        return false;
    if (is_cube)
        return w == h && d != 0 && (is_layered ? d % 6 == 0 : d == 6);
    if (is_layered)
        return d != 0;
    return d == 0 || h != 0;
}

static uint64_t lay_out(struct wf_image *m, uint64_t w, uint64_t h, uint64_t d, unsigned levels)
{
    uint64_t at = 0;
    m->n_levels = levels;
    for (unsigned i = 0; i < levels; i++) {
        struct wf_tex_level *l = &m->level[i];
        l->width = (uint32_t)half(w, i);
        l->height = (uint32_t)half(h, i);
        l->depth = m->layers ? 0 : (uint32_t)half(d, i);
        l->addr = at;
        l->pitch = wf_align_up((uint64_t)l->width * wf_texel_bytes(&m->format), PITCH);
        l->slice = l->pitch * (l->height ? l->height : 1);
        uint64_t slices = m->layers ? m->layers : l->depth ? l->depth : 1;
        at = wf_align_up(at + l->slice * slices, LEVEL_ALIGN);
    }
    return at;
}

static unsigned most_levels(uint64_t w, uint64_t h, uint64_t d)
{
    uint64_t n = w > h ? w : h;
    unsigned levels = 1;
    for (n = n > d ? n : d; n > 1; n >>= 1)
        levels++;
    return levels;
}

enum wf_cu wf_rt_array_create(uint64_t *out, const struct wf_texel_format *f, uint64_t width,
                              uint64_t height, uint64_t depth, unsigned levels, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    unsigned known = WF_RT_ARRAY_LAYERED | WF_RT_ARRAY_SURFACE | WF_RT_ARRAY_CUBE | WF_RT_ARRAY_GATHER;
    if (!out || !is_format(f) || flags & ~known || !is_shape(width, height, depth, flags))
        return WF_CU_INVALID_VALUE;
    bool has_layers = flags & (WF_RT_ARRAY_LAYERED | WF_RT_ARRAY_CUBE);
    unsigned most = most_levels(width, height, has_layers ? 0 : depth);
    struct array *a = wf_xcalloc(1, sizeof *a);
    a->a = (struct wf_rt_array){.width = width,
                                .height = height,
                                .depth = depth,
                                .flags = flags,
                                .is_mipmapped = levels != 0};
    struct wf_image *m = &a->a.image;
    m->format = *f;
    m->is_cube = flags & WF_RT_ARRAY_CUBE;
    m->layers = has_layers ? (uint32_t)depth : 0;
    a->a.bytes = lay_out(m, width, height, depth, levels == 0 ? 1 : levels > most ? most : levels);
    uint64_t addr;
    e = wf__memory_device(a->a.bytes, NULL, "cudaMallocArray", &addr);
    if (e != WF_CU_SUCCESS) {
        free(a);
        return e;
    }
    for (unsigned i = 0; i < m->n_levels; i++)
        m->level[i].addr += addr;
    wf__lock();
    *out = wf__table_put(&table, a);
    wf__unlock();
    return WF_CU_SUCCESS;
}

static void free_levels_locked(const struct array *a)
{
    for (unsigned i = 0; i < WF_TEX_MAX_LEVELS; i++) {
        struct array *l = a->level[i] ? wf__table_get(&table, a->level[i]) : NULL;
        if (l) {
            wf__table_drop(&table, a->level[i]);
            free(l);
        }
    }
}

enum wf_cu wf_rt_array_destroy(uint64_t array, bool is_mipmapped)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !array)
        return e;
    wf__queue_drain();
    wf__lock();
    struct array *a = wf__table_get(&table, array);
    bool is_one = a && !a->parent && a->a.is_mipmapped == is_mipmapped;
    if (is_one) {
        free_levels_locked(a);
        wf__table_drop(&table, array);
    }
    wf__unlock();
    if (!is_one)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    wf__memory_drop(a->a.image.level[0].addr, is_mipmapped ? "cudaFreeMipmappedArray" : "cudaFreeArray");
    free(a);
    return wf_rt_broken();
}

enum wf_cu wf_rt_array_info(uint64_t array, struct wf_rt_array *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    const struct array *a = wf__table_get(&table, array);
    if (a)
        *out = a->a;
    wf__unlock();
    return a ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

static struct array *level_of(const struct array *a, uint64_t parent, unsigned level)
{
    struct array *l = wf_xcalloc(1, sizeof *l);
    l->a = a->a;
    l->parent = parent;
    l->a.is_mipmapped = false;
    l->a.width = half(a->a.width, level);
    l->a.height = half(a->a.height, level);
    if (!a->a.image.layers)
        l->a.depth = half(a->a.depth, level);
    l->a.image.n_levels = 1;
    l->a.image.level[0] = a->a.image.level[level];
    return l;
}

enum wf_cu wf_rt_array_level(uint64_t mipmapped, unsigned level, uint64_t *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct array *a = wf__table_get(&table, mipmapped);
    if (!a || !a->a.is_mipmapped) {
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    } else if (!out || level >= a->a.image.n_levels) {
        e = WF_CU_INVALID_VALUE;
    } else {
        if (!a->level[level])
            a->level[level] = wf__table_put(&table, level_of(a, mipmapped, level));
        *out = a->level[level];
    }
    wf__unlock();
    return e;
}

static bool is_inside(uint64_t start, uint64_t n, uint64_t all)
{
    return start <= all && n <= all - start;
}

enum wf_cu wf_rt_array_box(uint64_t array, uint64_t x, uint64_t y, uint64_t z, uint64_t width,
                           uint64_t height, uint64_t depth, struct wf_rt_box *out)
{
    struct wf_rt_array a;
    enum wf_cu e = wf_rt_array_info(array, &a);
    if (e != WF_CU_SUCCESS)
        return e;
    if (a.is_mipmapped)
        return WF_CU_INVALID_RESOURCE_HANDLE;
    const struct wf_tex_level *l = &a.image.level[0];
    uint64_t rows = l->height ? l->height : 1;
    uint64_t slices = a.image.layers ? a.image.layers : l->depth ? l->depth : 1;
    if (!is_inside(x, width, (uint64_t)l->width * wf_texel_bytes(&a.image.format)) ||
        !is_inside(y, height, rows) || !is_inside(z, depth, slices))
        return WF_CU_INVALID_VALUE;
    *out = (struct wf_rt_box){l->addr + z * l->slice + y * l->pitch + x, l->pitch, l->slice};
    return WF_CU_SUCCESS;
}

// The memory behind them goes with all other.
void wf__array_reset(void)
{
    wf__lock();
    for (uint32_t i = 0; i < table.n; i++)
        free(table.slot[i].object);
    wf__table_clear(&table);
    wf__unlock();
}
