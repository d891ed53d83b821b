// SPDX-License-Identifier: Apache-2.0
// What the checkers share: options, shadow, the grids alive.
#ifndef WF_CHECK_CTX_H
#define WF_CHECK_CTX_H

#include "base/vec.h"     // WF_VEC
#include "check/check.h"  // struct wf_check_opts
#include "check/line.h"   // wf__cell_at
#include "check/shadow.h" // struct wf__shadow
#include "core/event.h"   // struct wf_ev_access

#define WF__MARKS 64
struct wf__mark { // an event was recorded
    uint32_t stream;
    uint64_t number;
    struct wf_calls calls;
};

struct wf__acc;
struct wf__work;
struct wf__ctx {
    struct wf_check_opts o;
    struct wf__shadow sh;
    bool has_shadow;
    uint8_t *bits; // of the memory checker: a bit for each byte of the window that was written, or NULL
    struct wf__grid *grids;
    struct wf__grid *ended; // their clocks are still named by those that run
    WF_VEC(struct wf__work *) works; // see work.h
    struct wf__mark marks[WF__MARKS]; // the newest ones
    uint32_t n_marks;
    uint64_t *host_before; // what the host has waited for
    uint32_t n_host_before;
    uint32_t next_serial;
    struct wf_check_stats stats;
    bool has_avx512, has_avx2;
    // Tests see every race found, also those that make no finding.
    void (*on_race)(void *arg, const struct wf__acc *x, uint32_t lane, uint64_t addr,
                    uint8_t bytes);
    void *on_race_arg;
    bool no_plain_flags; // tests: racing plain reads tell nothing about fences
};
extern struct wf__ctx wf__check;

// One warp access on its way through the race checker.
struct wf__acc {
    struct wf__ctx *ctx;
    struct wf__warp *w;
    const struct wf_ev_access *ev;
    const struct wf_site *site;
    struct wf__pool *pool;
    struct wf__block *owner; // shared memory: whose
    uint64_t *cell0;         // the cell of address addr0
    uint64_t addr0, limit;   // limit: bytes behind addr0
    uint32_t serial, base;   // own block; a barrier time that all lanes are behind
    uint32_t rec;            // own record, 0 until made
    uint32_t sure;           // a record ordered before every lane, 0: none known
    uint16_t flags;
    uint8_t bytes, level; // of an element
    bool is_shared;
    bool is_conflict; // what is compared now conflicts if it is another thread's: for redundant.c
};

// ---- race.c
struct wf__pattern;
// p: the pattern of the addresses, or NULL.
void wf__race_access(struct wf__ctx *c, const struct wf_ev_access *a, const struct wf__pattern *p);
void wf__race_async(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t lane,
                    uint64_t dst, uint64_t src, uint32_t bytes, uint64_t token);
void wf__race_async_done(struct wf__ctx *c, struct wf__warp *w, uint32_t lane, uint64_t token,
                         uint64_t mbar);
void wf__race_barrier(struct wf__block *b); // a full one was passed
// The block ends: have the accesses of other blocks to its shared memory come before its end?
void wf__race_block_end(struct wf__ctx *c, struct wf__block *b);
void wf__remote_gone(const struct wf__acc *x); // an access to shared memory whose block has ended
uint32_t wf__acc_rec(struct wf__acc *x);
// The record of a warp's access at site s: the same one as long as the warp's epoch lasts. where: 0 in global
// memory, else the owner's rank + 1. Of r mask, base, flags and bytes are used.
uint32_t wf__rec_of(struct wf__pool *p, struct wf__warp *w, const struct wf_site *s, uint32_t where,
                    const struct wf__pattern *group, const struct wf__rec *r);
// Is everything that handle h stands for ordered before what `lane` does now?
bool wf__handle_before(struct wf__acc *x, uint32_t h, uint32_t lane);
// The reader half after a weak read by `lane` of record `rec`; old is not ancient and not ordered.
// is_one: for one word, not for others in step with it too.
uint32_t wf__reader_added(struct wf__acc *x, uint32_t old, uint32_t rec, uint32_t lane, bool is_one);
// The rest of a PAIR's handle, without its newest member.
uint32_t wf__union_next(const struct wf__pool *p, uint32_t h);
// Lanes of mask (of a record's warp) whose access happens before what `lane` does now.
uint32_t wf__acc_before(struct wf__acc *x, const struct wf__rec *r, uint32_t mask, uint32_t lane);

// ---- word.c
enum wf__clash { WF__CLASH_NONE, WF__CLASH_PLAIN, WF__CLASH_SCOPE, WF__CLASH_MIXED };
enum wf__clash wf__clash(const struct wf__acc *x, const struct wf__rec *e);
struct wf__word *wf__word_from_cell(struct wf__acc *x, uint64_t *cell);
// seq, loc: of a strong write, and where.
void wf__word_touch(struct wf__acc *x, struct wf__word *wd, uint32_t lane, uint8_t bytes,
                    uint8_t rw, uint32_t seq, const struct wf__loc *loc);
bool wf__word_again(struct wf__acc *x, struct wf__word *wd, uint32_t lanes, uint8_t bytes,
                    uint8_t rw);
void wf__word_shrink(struct wf__acc *x, struct wf__word *wd); // back into its cell when it fits

static inline uint64_t *wf__acc_cell(const struct wf__acc *x, uint64_t addr)
{
    return wf__cell_at(x->pool, x->cell0, (addr - x->addr0) / 4);
}

// How far apart the two threads of a pair are: lanes of a warp, threads of a block, of different blocks. A
// race of each kind is told: what mends the one does not mend the next.
static inline uint32_t wf__acc_reach(const struct wf__acc *x, const struct wf__rec *r)
{
    return r->serial != x->serial ? 2 : r->warp != x->w->index ? 1 : 0;
}

static inline uint64_t wf__acc_addr(const struct wf__acc *x, const uint64_t *cell)
{
    return x->addr0 + (uint64_t)(cell - x->cell0) * 4;
}

#endif
