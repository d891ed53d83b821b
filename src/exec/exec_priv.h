// SPDX-License-Identifier: Apache-2.0
// The scheduler's own state behind the structures that compiled code sees (jit/abi.h).
#ifndef WF_EXEC_EXEC_PRIV_H
#define WF_EXEC_EXEC_PRIV_H

#include <pthread.h>   // pthread_mutex_t
#include <stdio.h>     // snprintf
#include <stdlib.h>    // free
#include <stdatomic.h> // atomic_uint

#include "base/arena.h"
#include "base/bits.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/event.h"
#include "core/finding.h"
#include "core/settings.h"
#include "exec/exec.h"
#include "ir/ir.h"
#include "jit/abi.h"
#include "exec/calls.h"
#include "jit/jit.h"
#include "mem/space.h"
#include "ptx/ast.h"

struct place { // where a module variable lies
    const struct ptx_var *var;
    const char *name;
    uint64_t addr, bytes;
    bool is_managed, is_extern, is_borrowed;
};

struct wf_module {
    struct wf_arena arena;
    const struct ptx_module **mods;
    uint32_t n_mods;
    WF_VEC(struct place) places;
    WF_VEC(struct wf_kernel *) kernels;
    pthread_mutex_t lock;
    char *name;
};

struct build_of { // one variant of a kernel
    struct ir_program *prog;
    struct wf_code *code;
    uint64_t *syms;
    bool is_built, is_made; // prog and syms are there; code, too
};

enum watch { WATCH_NOTHING, WATCH_ATOMICS, WATCH_ALL }; // what code tells: guard.c, core/event.h

struct wf_kernel {
    struct wf_module *module;
    const struct ptx_module *home;
    const struct ptx_func *func;
    struct wf_kernel_info info;
    uint32_t *offsets, *sizes;
    struct build_of variant[3][3][2]; // by enum watch, by the way rows of threads lie in warps, by whole_warps
    struct proofs *proofs;            // proof.c
    bool is_measured;           // shared_static and local_bytes are known
};

#define N_BARRIERS 16

enum { BAR_SYNC, BAR_ARRIVE, BAR_POPC, BAR_AND, BAR_OR, BAR_LATE = 8 }; // LATE: waits to come a second time

struct bar { // one CTA barrier
    uint32_t arrived;      // warps
    uint32_t expected;     // threads, 0: all
    uint32_t kind;
    uint64_t instance;
    uint32_t red_count, red_and, red_or;
    const struct wf_site *first, *last; // sites that arrived
    uint32_t first_warp, first_lanes;
    bool is_mixed;         // different sites met: reported once
};

struct async_copy {
    uint64_t src, token;
    uint32_t dst, bytes, fill; // fill: bytes to read, the rest zero
    struct async_copy *next;
};

struct lane_async { // cp.async of one thread: groups oldest first
    struct async_copy *open, *open_tail;
    WF_VEC(struct async_copy *) groups;
};

#define SPIN_PLACES 8 // where a path that waits may give way in turn: loops within loops

struct xwarp { // scheduler's part of a warp
    struct wf_frame top;   // the entry's frame
    uint32_t turn;         // counts visits; a path that gave way in this one waits for the next
    bool again;            // the next path belongs to another frame
    bool left_frame;       // the frame of the running code is gone
    struct wf_path pending;
    uint32_t arr_lanes[N_BARRIERS]; // lanes that came to barrier i and whose warp has not arrived as a whole
    uint32_t bar_lanes[N_BARRIERS]; // lanes of the instance under way, for the event
    uint32_t wait_lanes[N_BARRIERS];
    const struct wf_site *bar_site[N_BARRIERS]; // of its newest arrival
    bool counted[N_BARRIERS];       // the warp counts in the instance under way
    uint32_t returned;              // lanes that left the kernel by an early return
    uint32_t cluster_arrived;       // lanes, this phase
    uint64_t cluster_phase[32];     // of each lane's last arrival
    uint64_t spin_hash[32][SPIN_PLACES]; // registers of a path when it last gave way there, by its first lane
    uint32_t spin_pc[32][SPIN_PLACES];   // pc + 1, 0: none
    uint8_t spin_next[32];               // place to be used next
    uint64_t stack_top[32]; // alloca
    struct lane_async *async;       // [32], made on first use
    uint32_t bulk_groups[32];       // committed by each lane
    struct wf_ev_warp ev;
};

struct cta {
    struct wf_block b;
    struct grid *grid;
    struct wf_warp *warps;
    struct xwarp *x;
    uint8_t *frames;
    struct bar bar[N_BARRIERS];
    uint32_t live_warps;
    struct wf_map mbars; // shared offset -> struct mbar *
    struct bulk *bulk;   // bulk copies that the block issued and that are under way, oldest first
    struct wf_ev_block ev;
    uint64_t linear;
    bool has_async;    // copies or mbarriers were made
    struct async_copy *spare_copies;
    bool exits_told;   // that a barrier misses threads which have left
    bool is_used;      // the general scheduler's state was touched since the block started
    bool is_fast;      // all live lanes of each warp stand at fast_pc, nothing is parked
    uint32_t n_still; // returns of regions in a loop that waits, in a row
    uint32_t fast_pc;
    bool moved;   // something other than waiting happened in this visit
    bool changed; // a path that gave way had other registers than last time
    uint32_t napper, nap; // a warp that is passed over for so many visits, if others go on: order.c
    struct cta *next_free;
    struct cluster *cluster;
};

struct cluster { // CTAs that run together
    struct cta **cta;
    uint32_t n, done;
    uint32_t arrived; // threads, barrier.cluster
    uint64_t phase;
    struct wf_block **blocks;
};


struct order { // of a seeded run: order.c
    bool is_on, is_descending;
    uint32_t eager; // blocks to have under way
    uint64_t key, state, naps; // naps: state of the draws about these; 0: none
#define ORDER_PLACES 64
    uint32_t visits[ORDER_PLACES]; // of the places where a warp may come to rest
};

struct grid {
    struct wf_grid_ctx ctx;
    struct wf_kernel *kernel;
    const struct wf_launch *launch;
    const struct build_of *code;
    struct ir_blocks blocks;    // that it is built for
    struct wf_guard *guards;    // of ctx
    bool is_ordered;            // not watched, but in the same order each time
    const struct wf_events *ev; // NULL: nobody wants to be told
    struct wf_ev_grid evg;
    uint64_t n_blocks;
    uint32_t n_workers, resident; // resident CTAs of one worker
    uint32_t cluster_size;
    _Atomic uint64_t next_block;
    _Atomic uint64_t progress;   // changes whenever anything but waiting happens
    _Atomic uint64_t started_blocks;
    _Atomic uint32_t cancel;     // a result, or 0
    _Atomic bool is_stuck;       // nothing has moved for long
    pthread_mutex_t lock;
    uint64_t shared_alloc;
    struct wf_err err;
    uint64_t token;
    struct order order;
    const struct wf_loc *end;    // of end_id, kept
    uint32_t end_id;
    WF_VEC(struct cta *) hung;   // residents, put here by their workers when the grid hangs
};

// ---- module.c, kernel.c ----
// has_code: false when the IR will do.
enum wf_status exec__variant(struct wf_kernel *k, struct ir_blocks blocks, enum watch watch, bool has_code,
                             const struct build_of **out, struct wf_err *err);
// Has it atomic additions, and atomic writes that keep nothing of what was there?
bool exec__has_resets(const struct ir_program *p);
// ---- proof.c
// Is the launch proven free of races, and need not be watched? g: set up, grid_begin was called.
bool exec__is_proven(struct grid *g);
void exec__proofs_free(struct proofs *p);
extern const struct wf_events *exec__events;
const struct wf_loc *exec__loc(const struct ir_program *p, uint32_t loc, uint32_t ptx_line, const char *kernel);

// How wide a texel is, only the texture knows: a site of texture reads is the first of these, for 1, 2, 4, 8, 16 bytes.
#define EXEC__TEXEL_SITES 5
static inline const struct wf_site *exec__first_site(const struct wf_site *s)
{
    return s->is_texel ? s - wf_ctz32(s->bytes) : s;
}

// ---- follow.c ----
bool exec__rests_on(const struct wf_ev_grid *g, const struct wf_site *what, const struct wf_site *read);
// Is one of the sites run because of what a read in a race saw? Then the finding may come of that: it says so, as a
// warning. b may be NULL.
void exec__follows_race(struct grid *g, const struct wf_site *a, const struct wf_site *b, struct wf_finding *f);

// ---- cta.c ----
bool exec__cta_again(struct cta *c, uint64_t linear); // after VISIT_DONE
struct cta *exec__cta_get(struct grid *g, uint64_t linear, struct cta **pool);
void exec__leave_fast(struct cta *c);
void exec__cta_put(struct cta *c, struct cta **pool);
void exec__cta_free(struct cta *pool);
enum visit { VISIT_DONE, VISIT_WAITS, VISIT_MOVED };
enum visit exec__visit(struct cta *c); // runs every warp until it stops; once around

// ---- path.c ----
uint64_t exec__next(struct wf_warp *w);
bool exec__may_join(const struct wf_path *a, const struct wf_path *b);
void exec__add_path(struct wf_warp *w, struct wf_path p);
void exec__note_visit(struct wf_warp *w, const struct wf_path *p); // it gives way: has it made progress?
void exec__lanes_end(struct wf_warp *w, uint32_t mask); // lanes leave the kernel
void exec__refresh(struct wf_warp *w); // min_pc after paths changed state
static inline struct cta *cta_of(struct wf_warp *w)
{
    return w->block->exec;
}
static inline struct xwarp *x_of(struct wf_warp *w)
{
    return w->exec;
}
static inline struct grid *grid_of(struct wf_warp *w)
{
    return cta_of(w)->grid;
}
static inline const struct wf_site *site_of(struct wf_warp *w, uint32_t site)
{
    return w->cur->code->sites[site];
}
static inline void exec__progress(struct wf_warp *w)
{
    cta_of(w)->moved = true;
    atomic_fetch_add_explicit(&grid_of(w)->progress, 1, memory_order_relaxed);
}

bool exec__reads_envreg(const struct ir_program *p);

// ---- order.c ----
void exec__order_begin(struct grid *g, uint64_t seed); // 0: the plain order
// late.c
#define LATE_ROWS 64
struct late_adds { // sums of whole rows of 32 words, by the row's number modulo the size
    uint32_t sum[LATE_ROWS][32];
    uintptr_t row[LATE_ROWS]; // engine address / 128, 0: none
};
void exec__make_late_adds(struct late_adds *t);

uint64_t exec__order_block(const struct grid *g, uint64_t i); // the i-th to start
void exec__order_blocks(struct grid *g, struct cta **here, size_t n);
void exec__order_warps(struct grid *g, uint32_t *index, uint32_t n);
void exec__order_lanes(struct wf_warp *w);
uint32_t exec__order_path(struct wf_warp *w, uint32_t best, bool (*may_run)(struct wf_warp *w, const struct wf_path *p));
uint32_t exec__order_budget(struct grid *g);
bool exec__order_preempts(struct grid *g);
bool exec__order_naps(struct cta *c, uint32_t warp);  // is the warp passed over this time?
bool exec__order_rests(struct cta *c, uint32_t warp, uint32_t pc); // does it stand still from here on?
// ---- bar.c ----
void exec__bar_arrive(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t id, uint32_t count, uint32_t kind, uint32_t pred);
void exec__bar_exit(struct wf_warp *w); // lanes of the warp have exited
// ---- warpsync.c ----
void exec__warp_exit(struct wf_warp *w);
// ---- launch.c ----
void exec__add_to(void *arg, struct cta *c);
bool exec__reads_reserved(const struct ir_program *p);
// ---- cluster.c ----
void exec__cluster_start(struct grid *g, uint64_t cluster, struct cta **pool, void (*add)(void *arg, struct cta *c), void *arg);
void exec__cluster_leave(struct cta *c);
void exec__cluster_exit(struct wf_warp *w, uint32_t mask); // lanes exited
// ---- builtin.c ----
void exec__flush_output(void);
// ---- async.c ----
void exec__async_drop(struct cta *c);
void exec__async_fini(struct cta *c); // the block's storage goes
// ---- mbar.c ----
void exec__mbar_hang(struct cta *c, struct wf_finding *f); // what the block's first unfinished mbarrier lacks
// ---- hang.c ----
void exec__report_hang(struct grid *g, struct cta *const *ctas, size_t n);
// ---- fault.c ----
void exec__stop(struct grid *g, enum wf_exec_result r);
void exec__late_fault(struct grid *g, uint64_t addr); // a page without memory was touched
void exec__mem_fault(struct wf_warp *w, uint32_t site, uint32_t lane, uint64_t addr, unsigned bytes, bool is_store,
                     enum wf_finding_kind kind, const char *what);
void exec__party(struct wf_finding *f, enum wf_party_role role, struct wf_warp *w, const struct wf_site *s,
                 uint32_t lanes, const char *op);
void exec__thread_of(const struct wf_warp *w, uint32_t lane, uint32_t out[3]);

extern const struct jit_symbol exec__symbols[];
extern const unsigned exec__n_symbols;

#endif
