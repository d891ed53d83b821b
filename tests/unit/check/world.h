// SPDX-License-Identifier: Apache-2.0
// A stand-in for the engine: makes the events of small programs by hand. Sites are made on demand,
// one for each distinct description.
#ifndef WF_TESTS_CHECK_WORLD_H
#define WF_TESTS_CHECK_WORLD_H

#include <stdbool.h> // bool
#include <stdio.h>   // snprintf
#include <stdlib.h>  // calloc
#include <string.h>  // memset

#include "check/check.h"
#include "core/event.h"
#include "core/launch.h"

#define GLOBAL UINT64_C(0x100000)
#define GLOBAL_BYTES (UINT64_C(1) << 26)

struct world {
    struct wf_events ev;
    struct wf_launch launch;
    struct wf_ev_grid grid;
    struct wf_ev_block block[16];
    struct wf_ev_warp warp[16][8];
    uint64_t launches, instance[16][17];
    uint32_t n_blocks, n_warps;
    const struct wf_task *order; // of the next launches
    bool is_early;
};

struct site_key {
    uint32_t line;
    const char *what;
    enum wf_site_kind kind;
    enum wf_order order;
    enum wf_scope_kind scope;
    uint8_t bytes, elements;
    bool reads, writes, atomic, is_volatile, nc, red, guess, unused;
};

static struct {
    struct site_key key;
    struct wf_site site;
    struct wf_loc loc;
} sites_made[2048];
static uint32_t n_sites_made, site_id_step = 1; // 8: ids that meet in the caches of the checker

static inline const struct wf_site *site_get(struct site_key k)
{
    for (uint32_t i = 0; i < n_sites_made; i++) {
        const struct site_key *m = &sites_made[i].key;
        if (m->line == k.line && m->kind == k.kind && m->order == k.order && m->scope == k.scope &&
            m->bytes == k.bytes && m->elements == k.elements && m->reads == k.reads &&
            m->writes == k.writes && m->atomic == k.atomic && m->is_volatile == k.is_volatile &&
            m->nc == k.nc && m->red == k.red && m->guess == k.guess && m->unused == k.unused)
            return &sites_made[i].site;
    }
    if (n_sites_made == 2048)
        abort();
    struct wf_loc *l = &sites_made[n_sites_made].loc;
    struct wf_site *s = &sites_made[n_sites_made].site;
    *l = (struct wf_loc){.file = "test.cu", .line = k.line, .function = "kernel"};
    *s = (struct wf_site){.id = n_sites_made * site_id_step + 1,
                          .kind = k.kind,
                          .loc = l,
                          .kernel = "kernel",
                          .order = k.order,
                          .scope = k.scope,
                          .bytes = k.bytes,
                          .elements = k.elements ? k.elements : 1,
                          .is_read = k.reads,
                          .is_write = k.writes,
                          .is_atomic = k.atomic,
                          .is_volatile = k.is_volatile,
                          .is_nc = k.nc,
                          .is_red = k.red,
                          .is_cas_guess = k.guess,
                          .result_unused = k.unused,
                          .used_bytes = UINT32_MAX,
                          .is_aligned = true};
    snprintf(s->what, sizeof s->what, "%s", k.what ? k.what : k.atomic ? "atomicAdd" : "access");
    sites_made[n_sites_made++].key = k;
    return s;
}

static inline void world_open(struct world *w, const struct wf_check_opts *o)
{
    struct wf_check_opts c = *o;
    memset(w, 0, sizeof *w);
    c.global_base = GLOBAL;
    c.global_bytes = GLOBAL_BYTES;
    wf_check_events(&c, &w->ev);
}

// lanes: existing lanes of each warp.
static inline void world_launch(struct world *w, uint32_t blocks, uint32_t warps, uint32_t lanes,
                                uint32_t per_cluster, uint32_t shared)
{
    memset(w->instance, 0, sizeof w->instance);
    w->n_blocks = blocks;
    w->n_warps = warps;
    w->launch = (struct wf_launch){.id = ++w->launches,
                                   .kernel = "kernel",
                                   .order = w->order,
                                   .is_early = w->is_early,
                                   .grid = {blocks, 1, 1},
                                   .block = {warps * 32, 1, 1},
                                   .cluster = {per_cluster, 1, 1}};
    w->grid = (struct wf_ev_grid){.launch = &w->launch,
                                  .warps_per_block = warps,
                                  .threads_per_block = warps * 32,
                                  .blocks_per_cluster = per_cluster,
                                  .shared_bytes = shared};
    w->ev.grid_begin(w->ev.arg, &w->grid);
    for (uint32_t b = 0; b < blocks; b++) {
        w->block[b] = (struct wf_ev_block){.grid = &w->grid,
                                           .index = b,
                                           .cluster = b / per_cluster,
                                           .rank = b % per_cluster,
                                           .slot = b};
        w->ev.block_begin(w->ev.arg, &w->block[b]);
        for (uint32_t i = 0; i < warps; i++) {
            w->warp[b][i] =
                (struct wf_ev_warp){.block = &w->block[b], .index = i, .existing = lanes};
            w->ev.warp_begin(w->ev.arg, &w->warp[b][i]);
        }
    }
}

static inline void world_end(struct world *w)
{
    for (uint32_t b = 0; b < w->n_blocks; b++)
        w->ev.block_end(w->ev.arg, &w->block[b]);
    w->ev.grid_end(w->ev.arg, &w->grid);
}

static inline void world_access(struct world *w, uint32_t b, uint32_t warp, uint32_t mask,
                                const struct wf_site *s, enum wf_space_kind space, uint32_t rank,
                                const uint64_t addr[32], uint32_t writes)
{
    struct wf_ev_access a = {.site = s,
                             .warp = &w->warp[b][warp],
                             .space = space,
                             .owner_rank = rank,
                             .mask = mask,
                             .addr = addr,
                             .writes = writes};
    w->ev.access(w->ev.arg, &a);
}

// addr + stride * lane.
static inline void world_linear(struct world *w, uint32_t b, uint32_t warp, uint32_t mask,
                                const struct wf_site *s, enum wf_space_kind space, uint64_t addr,
                                int64_t stride)
{
    uint64_t at[32] = {addr};
    if (mask == UINT32_MAX && w->ev.run && stride == (int64_t)s->bytes * s->elements &&
        w->ev.run(w->ev.arg, &w->warp[b][warp], s, space == WF_SPACE_SHARED, addr))
        return;
    struct wf_ev_access a = {.site = s,
                             .warp = &w->warp[b][warp],
                             .space = space,
                             .owner_rank = w->block[b].rank,
                             .mask = mask,
                             .addr = at,
                             .is_linear = true,
                             .stride = stride,
                             .writes = mask};
    w->ev.access(w->ev.arg, &a);
}

static inline void world_bar(struct world *w, uint32_t b, const struct wf_site *s, uint32_t id,
                             uint64_t instance, const uint32_t *arrived, const uint32_t *waited)
{
    struct wf_ev_barrier e = {.site = s,
                              .block = &w->block[b],
                              .id = id,
                              .instance = instance,
                              .arrived = arrived,
                              .waited = waited};
    w->ev.bar_complete(w->ev.arg, &e);
}

// __syncthreads() of all warps.
static inline void world_sync(struct world *w, uint32_t b, const struct wf_site *s)
{
    uint32_t all[8];
    for (uint32_t i = 0; i < w->n_warps; i++)
        all[i] = w->warp[b][i].existing;
    world_bar(w, b, s, 0, w->instance[b][0]++, all, all);
}

#endif
