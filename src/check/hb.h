// SPDX-License-Identifier: Apache-2.0
// Happens-before of the run, shared by the checkers: grids, blocks, warps, and what each thread
// knows.
//
// Who orders what (PTX ISA 8.9): barriers, warp barriers, cluster barriers and mbarriers are in
// meet.c; strong accesses, fences and fence.sc in sync.c. Nothing else makes an edge: not value
// flow, not weak accesses, not the lanes of a warp running together. A warp whose lanes know the
// same keeps one clock; `split` says that its lanes have their own.
#ifndef WF_CHECK_HB_H
#define WF_CHECK_HB_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "base/map.h"    // struct wf_map
#include "check/clock.h" // struct wf__clk
#include "core/event.h"  // struct wf_ev_warp

// A fence run by some lanes of a warp at one time.
struct wf__fence {
    const struct wf_site *site;
    uint32_t warp, mask, epoch;
    uint8_t level; // enum wf_scope_kind
    bool is_sc;
    struct wf__clk k;                  // of every lane of mask, or
    struct wf__clk *lane;              // [32] when they differed
    const struct wf__clk **mat, **msg; // [32], made on demand: see sync.h
    const struct wf__clk *group;       // of group_mask, made on demand
    uint32_t group_mask;
};

// What a strong relaxed read saw attached to a location; an acquire fence may still claim it.
struct wf__pending {
    uint64_t loc; // its id: locations go, and others come to where they were
    const struct wf__clk *by[3]; // usable by an acquire of cta, cluster, gpu or wider scope
};
struct wf__released { // an own release write: a later strong write to the same location carries it
                      // too
    uint64_t loc;
    const struct wf__clk *k;
    uint8_t level;
};
struct wf__lane_ext {
    struct wf__pending *pend;
    struct wf__released *rel;
    uint32_t n_pend, cap_pend, n_rel, cap_rel;
};
struct wf__ext {                    // made when a warp first uses strong accesses or fences
    struct wf__fence *fence[4][32]; // newest releasing fence of each scope: cta, cluster, gpu, sys
    struct wf__fence *sc[2][32];    // newest fence.sc: of any scope, of gpu or wider
    uint32_t n_acq[32];             // acquiring fences and operations so far
    struct wf__lane_ext lane[32];
    bool has_fence, has_sc;
};

struct wf__kept { // last record made for a site, see shadow.h
    uint32_t site, epoch, rec, kind;
};
#define WF__KEPT 16

struct wf__block;
struct wf__warp {
    struct wf__block *block;
    struct wf_ev_warp *ev;
    uint32_t index, epoch;
    uint32_t existing, live; // lanes
    uint32_t lost;           // lanes that went out of bounds: what they do since then means nothing
    uint32_t passed; // lanes behind a griddepcontrol.wait
    bool split;
    struct wf__clk k;     // when not split
    struct wf__clk *lane; // [32], valid when split
    struct wf__ext *ext;
    struct wf__kept kept[WF__KEPT];
};

struct wf__arrived { // bar.arrive before its barrier completed
    uint32_t id;
    uint64_t instance;
    struct wf__clk k;
    bool used;
};
#define WF__MBAR_AGENTS 4
struct wf__mbar {
    uint64_t phase[2];
    struct wf__clk k[2];
    bool has[2];
    uint64_t now;   // the phase that is not complete yet, as far as arrivals and waits told
    uint32_t agent[WF__MBAR_AGENTS]; // pseudo-warps of the asynchronous copies tied to it; 0: none yet
    uint32_t turn;                   // which of them the copies of phase `copied` - 1 belong to
    uint64_t copied;
    const struct wf_site *init; // object.c: who made it, NULL when not seen
    uint32_t init_epoch;
    uint16_t init_warp;
    uint8_t init_lane;
    bool is_told;
};

struct wf__work;
struct wf__moves;
struct wf__grid;
struct wf__slot; // shared memory of a resident block: shadow.h
struct wf__proxy; // of bulk copies: proxy.c
struct wf__block {
    struct wf__grid *grid;
    struct wf_ev_block *ev;
    uint32_t index, serial; // in the grid; over all grids alive
    uint32_t k;             // the block's time
    uint32_t full_base;     // its last full barrier
    const struct wf_loc *full_loc; // and where that stood
    uint32_t n_warps;
    struct wf__warp *warp;
    struct wf__blk *info;
    struct wf__gone *gone; // [threads], info->gone as long as the block lives
    struct wf__slot *slot;
    struct wf__arrived *arr;
    uint32_t n_arr, cap_arr;
    struct wf_map mbar;  // shared offset -> struct wf__mbar
    struct wf_map async; // token -> record + 1 of a copy under way
    uint32_t n_agents;
    struct wf__bar *bar; // its newest barriers: redundant.c
    uint32_t n_bar;
    bool next_bar_needed;
    bool has_parts; // barriers that only some of its threads meet
    struct wf__block *next;
    struct wf__proxy *proxy;  // NULL while there is no need
    struct wf__seen_ring { // strong writes of others that its threads read: verdict.h
        struct wf__seen *at;
        uint32_t n, next;
    } seen[2]; // in global memory, in its shared memory
};

struct wf__phase { // of a cluster barrier
    uint64_t phase;
    struct wf__clk *rank; // [blocks of the cluster]
    bool *has;
    struct wf__clk all;
    bool is_ready;
};
struct wf__cluster {
    struct wf__phase ph[2];
    struct wf__block **rank; // live blocks by rank
};

struct wf__grid {
    struct wf_ev_grid *ev;
    struct wf__clocks cs;
    uint32_t serial0, n_blocks; // serials of its blocks
    struct wf_map cluster;      // number + 1 -> struct wf__cluster
    struct wf__range {
        uint32_t serial0, n_blocks;
    } * beside; // grids that ran when this one began
    uint32_t n_beside;
    struct wf__block *blocks, *spare; // alive; storage of those that are not
    struct wf__work *work, *seen; // NULL without an order; seen: of another launch, looked up last
    uint64_t early;               // of its stream, what is numbered above may still run at its start
    const struct wf_loc *end;     // where the newest block to end left the kernel, of a cluster's; or NULL
    struct wf__moves *moves;      // copies that run beside it, or NULL
    struct wf__grid *next;
};

static inline const struct wf__clk *wf__lane_clk(const struct wf__warp *w, uint32_t lane)
{
    return w->split ? &w->lane[lane] : &w->k;
}

static inline struct wf__kept *wf__kept_at(struct wf__warp *w, uint32_t site, uint32_t key)
{
    return &w->kept[(site * 2 + (key >> 8) + (key >> 16) * 5) % WF__KEPT];
}

// ---- hb.c
struct wf__grid *wf__grid_new(struct wf_ev_grid *ev, uint32_t serial0);
void wf__grid_free(struct wf__grid *g);
// The storage of its blocks goes at its end; clocks that others may name stay until wf__grid_free.
void wf__grid_rest(struct wf__grid *g);
struct wf__block *wf__block_new(struct wf__grid *g, struct wf_ev_block *ev);
void wf__block_free(struct wf__block *b);
// Did the grid of that block end before g began?
bool wf__grid_after(const struct wf__grid *g, uint32_t serial);
void wf__warp_start(struct wf__block *b, struct wf_ev_warp *ev);
void wf__exit(struct wf__warp *w, uint32_t mask);
struct wf__ext *wf__ext_get(struct wf__warp *w);
void wf__split(struct wf__warp *w); // gives every lane its own clock
void wf__tick(struct wf__warp *w);  // later accesses of the warp carry a new epoch
// Clock of the lane with the lane itself and its fence.sc past, kept: what a release publishes.
const struct wf__clk *wf__lane_publish(struct wf__warp *w, uint32_t lane);
// The same for all lanes of mask at once, joined into *acc (which starts by *has = false).
void wf__lanes_into(struct wf__warp *w, uint32_t mask, struct wf__clk *acc, bool *has);
// Some lanes of `left` that know the same: returns them, *k is their clock with their fence.sc past
// (joined over them) and without themselves.
uint32_t wf__group_take(struct wf__warp *w, uint32_t left, struct wf__clk *k);
void wf__lane_learn(struct wf__warp *w, uint32_t lane, const struct wf__clk *k);
const struct wf__sc *wf__lane_sc(struct wf__warp *w, uint32_t lane);
struct wf__block *wf__peer(struct wf__block *b, uint32_t rank); // of the cluster; NULL when gone
// Of `mask`, the lanes u of (serial, warp) whose accesses up to epoch happen before what lane does
// next.
uint32_t wf__covers(const struct wf__warp *w, uint32_t lane, uint32_t serial, uint32_t warp,
                    uint32_t mask, uint32_t epoch);

// ---- meet.c: the hooks for meeting points
void wf__bar_arrive(struct wf__warp *w, uint32_t id, uint64_t instance, uint32_t mask);
bool wf__bar_complete(struct wf__block *b, const struct wf_ev_barrier *ev); // true: a full one
void wf__warp_sync(struct wf__warp *w, uint32_t mask);
void wf__cluster_arrive(struct wf__warp *w, uint32_t mask, uint64_t phase, bool is_release);
void wf__cluster_wait(struct wf__warp *w, uint32_t mask, uint64_t phase, bool is_acquire);
void wf__mbar_arrive(struct wf__warp *w, uint32_t lane, uint32_t rank, uint64_t addr,
                     uint64_t phase, bool is_release);
void wf__mbar_wait(struct wf__warp *w, uint32_t lane, uint32_t rank, uint64_t addr, uint64_t phase,
                   bool is_acquire);
struct wf__mbar *wf__mbar_get(struct wf__block *owner, uint64_t addr);
// A copy tied to the mbarrier is complete: whoever waits for the phase knows of it. Returns the
// pseudo-warp (of b) that it counts as; the time is b->k.
uint32_t wf__mbar_copied(struct wf__block *b, uint64_t addr, uint32_t lane);

// ---- object.c: is an mbarrier used only after it was made?
void wf__mbar_made(struct wf__warp *w, const struct wf_site *s, uint32_t lane, uint32_t rank, uint64_t addr);
void wf__mbar_used(struct wf__warp *w, const struct wf_site *s, uint32_t lane, uint32_t rank, uint64_t addr);

#endif
