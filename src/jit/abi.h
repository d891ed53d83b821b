// SPDX-License-Identifier: Apache-2.0
// What compiled code and the scheduler (src/exec) share: the state of a warp, a block and a grid,
// and the calls between them. Compiled code reads fields by offset; change the order only with
// WF_ABI_VERSION, which is part of the compile cache's key.
#ifndef WF_JIT_ABI_H
#define WF_JIT_ABI_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "core/event.h" // struct wf_events, struct wf_site

#define WF_ABI_VERSION 6
#define WF_MAX_PATHS 32
#define WF_PC_RELEASED 0x80000000u // the warp instruction at this pc has all its lanes: values are in xchg
#define WF_PC_STOP 0x7fffffffu     // what next() gives when this call has to return to the scheduler

struct wf_warp;
struct wf_frame;
struct jit_late;

// Runs the warp's path (pc, mask) in `frame`'s function and then whatever next() says, until next()
// says stop.
typedef void (*wf_code_fn)(struct wf_warp *w, uint32_t pc, uint32_t mask);
// Convergent fast path: a region is the code from one stop (the kernel's start, a barrier) to the next. The
// function runs every live warp of the block through it, all lanes of a warp together; warp->stop_at says
// how each ended. Returns that when it is the same for all, else WF_STOP_MIXED.
struct wf_block;
typedef uint32_t (*wf_region_fn)(struct wf_block *b);
#define WF_STOP_EXIT 0x7ffffff0u  // all lanes have ended: live is 0, stop_pred has them
#define WF_STOP_BAIL 0x7ffffff1u  // something split or has to wait: the warp's paths are parked
#define WF_STOP_MIXED 0x7ffffff2u

enum wf_path_state {
    WF_PATH_READY,
    WF_PATH_BAR,  // arrived at a CTA barrier
    WF_PATH_SYNC, // in a warp instruction, waits for lanes of its mask
    WF_PATH_CLUSTER,
    WF_PATH_DEP, // griddepcontrol.wait
};

struct wf_path {
    uint32_t pc, mask;
    struct wf_frame *frame;
    uint32_t state;
    uint32_t site;    // of the wait, index in the function's sites
    uint32_t want;    // lanes waited for (SYNC); barrier id | kind << 8 (BAR)
    uint32_t count;   // barrier: expected threads or 0
    uint32_t value;   // bar.red: mask of lanes whose predicate is true
    uint32_t yields;  // visit in which it last gave way
    uint64_t *snap;   // [32] values of the lanes it met, when released from a warp instruction; owned
};

struct wf_guard { // where the atomics of a site are thought to stay
    uint64_t lo, hi;
};

struct wf_grid_ctx {          // launch constants
    int64_t delta;            // engine address = program address + delta
    uint64_t base, bytes;     // window of device addresses
    const uint8_t *params;    // parameter block
    uint64_t param_addr;      // its program-visible address
    const uint64_t *syms;     // program-visible addresses of the program's symbols
    uint32_t ntid[4], nctaid[4], cluster[4]; // cluster: CTAs of a cluster in x y z; [3] their product
    uint32_t shared_bytes, dynamic_shared, static_shared, reserved_offset;
    uint32_t envreg1, envreg2;
    uint64_t launch_id;
    uint32_t is_cluster, sm_count, n_threads, n_warps;
    uint32_t streams; // not 0: what the grid stores is more than the caches hold
    const struct wf_events *events; // NULL under run
    const struct wf_site *const *sites; // of the entry function
    const struct wf_guard *guards;      // by site, of launches that are not watched; hi 0: none. NULL: none at all
    void *exec;               // struct wf_grid of src/exec
};

struct wf_block {
    const struct wf_grid_ctx *grid;
    uint8_t *shared;
    uint8_t *local;    // local memory of the block's threads: warps * local_stride
    struct wf_warp *warps;
    uint32_t n_warps;
    uint32_t ctaid[4], clusterid[4], cluster_ctaid[4], nclusterid[4];
    uint32_t rank, n_ranks;
    struct wf_block **peers; // CTAs of the cluster by rank
    uint64_t local_warp_bytes;
    struct wf_ev_block *ev;
    void *exec;        // struct wf_cta of src/exec
    uint64_t clock;    // virtual time
    uint32_t enter;    // pc of the region to start with
    void *adds;        // struct late_adds of src/exec: additions that wait, of the worker
};

struct wf_warp {
    struct wf_block *block;
    uint8_t *frame;          // registers of the current frame
    uint32_t live;           // lanes that have not exited
    uint32_t min_pc;         // lowest pc of a ready parked path in the current frame, or UINT32_MAX
    uint32_t n_paths;        // parked
    uint32_t index;          // in the block
    uint32_t budget;         // back edges left before the path gives way
    uint32_t stop;           // next() must say stop
    uint32_t tid0[4];        // of lane 0 (blocks with affine tid)
    uint32_t existing;
    uint32_t stop_at;        // how a region left this warp: a sync block's number, or WF_STOP_*
    uint32_t exit_loc;       // where lanes went to the kernel's end, the newest
    uint32_t end_loc;        // the end itself, or the return statement that led there
    uint32_t is_return;      // it was one, before the end
    uint32_t stop_pred;      // bar.red: lanes whose predicate is true; exit: the lanes
    uint32_t tid[3][32];     // per lane
    uint64_t xchg[32];       // values a released path takes
    uint64_t xchg_put[32];   // values deposited by waiting lanes of a warp instruction
    uint32_t xchg_mask[32];
    uint32_t xchg_group[32]; // set of lanes that met, per lane
    uint32_t bar_result[32]; // of each lane's last bar.red
    struct wf_ev_warp *ev;
    struct wf_frame *cur;
    struct wf_path path[WF_MAX_PATHS];
    void *exec;
};

// One activation of a function by some lanes of a warp. The entry's frame is embedded in the warp.
struct wf_frame {
    struct wf_frame *parent;
    const struct wf_code *code;
    uint32_t return_pc; // in the parent
    uint32_t lanes;     // still inside
    uint8_t *regs;      // code->frame_bytes
    uint32_t depth;
    uint64_t local_base; // where its part of the threads' local memory starts
    uint32_t *ret_slots; // where results go in the parent; owned
};

// A register to compare when two paths may merge at a pc: all lanes must agree on it.
struct wf_uniform_slot {
    uint32_t slot;
    uint8_t bytes; // 1 means a predicate mask word
    int64_t stride;
};

struct wf_code_pc {
    const struct wf_uniform_slot *slots; // registers that must agree for a merge at this pc
    uint32_t n_slots;
    const uint32_t *live_slots; // pairs (slot, bytes of all lanes), to tell whether a spinning path changes
    uint32_t n_live;
    bool is_poll, is_dead, in_cycle;
    bool is_still; // in a loop that waits and writes nothing
    uint32_t scc;
    uint32_t loc;
    uint32_t poll_site; // site of the read that the innermost loop waits on, UINT32_MAX: none
};

struct wf_code_sync { // a plain barrier at the end of a block
    uint32_t resume, site;
    uint8_t id, kind; // kind: 0 sync, 2 popc, 3 and, 4 or
};

struct wf_code { // a compiled function
    _Atomic(wf_code_fn) fn; // NULL until jit_code_fn has it made
    struct jit_late *late;  // of src/jit
    uint32_t frame_bytes, n_pcs;
    const struct wf_code_pc *pcs;
    const char *name;
    uint32_t n_sites;
    const struct wf_site *const *sites;
    uint32_t local_bytes; // of one thread
    // Frame slots of arguments and results (slot | bytes << 24) of a function that is really called.
    const uint32_t *param_slots, *ret_slots;
    uint32_t n_params, n_rets;
    wf_region_fn *regions; // by pc, NULL entries: none
    const struct wf_code_sync *syncs; // by number of the block that ends in a barrier
};

#endif
