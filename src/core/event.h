// SPDX-License-Identifier: Apache-2.0
// Everything execution can tell a checker. Warp-wide: one call for up to 32 lanes.
//
// Under `check` blocks run on one thread in a deterministic order, so hooks are never called at the
// same time for one grid; hooks of different grids may be (streams), each with its own wf_ev_grid.
// All hooks are called before the access is made, at the moment it takes effect in the run's order.
#ifndef WF_CORE_EVENT_H
#define WF_CORE_EVENT_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "core/finding.h" // struct wf_loc
#include "core/launch.h"  // struct wf_launch
#include "core/task.h"   // struct wf_task

enum wf_space_kind { WF_SPACE_GLOBAL, WF_SPACE_SHARED, WF_SPACE_LOCAL, WF_SPACE_CONST };
enum wf_order {
    WF_ORD_WEAK,
    WF_ORD_RELAXED,
    WF_ORD_ACQUIRE,
    WF_ORD_RELEASE,
    WF_ORD_ACQ_REL,
    WF_ORD_SC
};
enum wf_scope_kind { WF_SCOPE_NONE, WF_SCOPE_CTA, WF_SCOPE_CLUSTER, WF_SCOPE_GPU, WF_SCOPE_SYS };

enum wf_site_kind { WF_SITE_ACCESS, WF_SITE_FENCE, WF_SITE_BARRIER, WF_SITE_WARP, WF_SITE_EXIT };

// One static instruction of a kernel. Lives as long as the process.
struct wf_site {
    uint32_t id; // unique in the process, dense from 1
    enum wf_site_kind kind;
    const struct wf_loc *loc; // never NULL; loc->file may be
    const char *kernel;
    char what[40]; // "ld.global.u32", "atomicAdd", "bar.sync"
    enum wf_order order;
    enum wf_scope_kind scope;
    uint8_t bytes;    // of one element
    uint8_t elements; // vector elements
    bool is_read, is_write, is_atomic, is_volatile, is_nc;
    bool is_proxy;       // fence.proxy.async: between the generic and the async proxy, nothing else
    bool is_red;         // an RMW that ends no acquire pattern
    bool is_exchange;    // atomics: writes whatever was there before
    bool is_cas;         // atomics: compare and swap
    bool is_add;         // atomics: adds to what was there, or counts (inc, dec)
    bool is_float_add;   // atomics: floating-point addition, whose result depends on the order
    bool result_unused;  // atomics: nobody uses the old value; false when not known
    bool is_cas_guess;   // weak read that only feeds a CAS comparand
    bool is_aligned;     // barriers: the aligned form
    bool is_poll;        // reads: a loop waits for its value
    bool is_texel;       // read of a whole texel of a texture, of which nobody knows what is used
    bool is_used;        // plain read: what is read becomes an address, a branch or a write, whatever comes
    uint32_t used_bytes; // mask of the bytes of a vector load that matter, all ones otherwise
};

struct wf_ev_grid {
    const struct wf_launch *launch;
    uint32_t warps_per_block, threads_per_block, blocks_per_cluster;
    uint32_t shared_bytes; // of one block, static and dynamic
    uint32_t shared_reserved; // of these the last ones, which start as zero (%reserved_smem_offset)
    // Is `what` run, or not, because of the value that `read` took? Of the grid's kernel.
    bool (*rests_on)(const struct wf_ev_grid *g, const struct wf_site *what, const struct wf_site *read);
    const void *code;      // for rests_on
    bool has_bulk;         // the kernel has bulk copies (async proxy)
    bool has_resets;       // the kernel adds atomically, and has atomic writes that keep nothing of what was there
    bool is_proven;        // free of races between its own threads, beforehand
    uint64_t stream;
    void *user; // the subscriber's
};
struct wf_ev_block {
    struct wf_ev_grid *grid;
    uint64_t index; // linear
    uint64_t cluster;
    uint32_t rank; // in the cluster
    uint32_t slot; // dense number of a resident block, reused after it ends
    const struct wf_loc *end; // of a cluster, at block_end: where its last threads left the kernel, or NULL
    const uint8_t *shared; // its shared memory, NULL: cannot be looked at
    bool is_mixed_up; // its threads have met at different barriers: what follows may come of that
    void *user;
};
struct wf_ev_warp {
    struct wf_ev_block *block;
    uint32_t index;    // in the block; thread = index * 32 + lane
    uint32_t existing; // lanes that exist
    void *user;
};

// Addresses: GLOBAL and CONST program-visible; SHARED offset in the owner's shared memory, with
// owner_rank telling whose (own rank unless it is distributed shared memory); LOCAL not reported.
struct wf_ev_access {
    const struct wf_site *site;
    struct wf_ev_warp *warp;
    enum wf_space_kind space;
    uint32_t owner_rank;
    uint32_t mask;  // lanes
    bool is_linear; // addr[i] = addr[0] + stride * i for all 32, addr[1..] not filled
    int64_t stride;
    const uint64_t *addr; // [32]
    // Atomics: lanes take effect in ascending order, each `writes` bit says whether it wrote (a
    // failed CAS does not).
    uint32_t writes;
    const uint64_t *value; // [32] value written (atomics: the operand) when known, else NULL
};

// Work of the host's: a copy, a fill, the birth and end of memory in a stream, as rows of bytes.
// Addresses are program-visible ones of the window.
struct wf_ev_move {
    const struct wf_task *order;
    uint64_t addr, width, pitch, rows; // rows from pitch to pitch; 1 row: pitch means nothing
    bool is_write;
    bool is_lifetime, ends; // memory given, or taken back, in a stream
    bool is_call;           // taken back by a call of the host, which is no work of a stream
};
// Global memory that a launch touches; program-visible addresses, hi is the first byte behind it.
struct wf_ev_row {
    uint64_t lo, hi;
    bool is_read;    // perhaps before the launch itself wrote there
    bool is_written; // no more than all rows with this
    bool is_filled;  // every byte is written when the launch has ended
    // Atomics whose place depends on data, from the allocation that lo lies in, no matter where there: the subscriber
    // sets lo and hi to its ends. Whether they stay there is asked as they run.
    bool is_guarded;
    bool is_atomic;  // read and written by atomics alone
    uint32_t site;   // of a guarded row: its number
};
struct wf_ev_barrier {
    const struct wf_site *site; // of the last arrival
    struct wf_ev_block *block;
    uint32_t id;             // 0..15; 16: cluster barrier
    uint64_t instance;       // of this barrier id, from 0
    const uint32_t *arrived; // [warps] lanes whose arrival took part (sync, red or arrive)
    const uint32_t *waited;  // [warps] lanes that wait (sync, red): they go on now
};

// An asynchronous operation in bulk: what it will read and write, by nobody's own accesses (the async proxy).
struct wf_ev_piece {
    enum wf_space_kind space; // GLOBAL or SHARED
    uint32_t owner_rank;
    uint64_t addr;
    uint32_t bytes;
};
struct wf_ev_bulk {
    const struct wf_site *site;
    struct wf_ev_warp *warp;
    uint32_t lane;
    uint64_t token;
    const struct wf_ev_piece *read, *write;
    uint32_t n_read, n_write;
    bool is_atomic; // element by element: reductions
};

// Subscriber. Unset functions cost nothing: code for them is not even made.
struct wf_events {
    void *arg;
    void (*grid_begin)(void *arg, struct wf_ev_grid *g);
    void (*grid_end)(void *arg, struct wf_ev_grid *g);
    // The launch is proven free of races between its own threads and of faults in shared memory; rows: all of the
    // global memory that it can touch. True: nothing more needs to be told of it, grid_end comes next.
    bool (*trusts)(void *arg, struct wf_ev_grid *g, struct wf_ev_row *row, uint32_t n);
    void (*block_begin)(void *arg, struct wf_ev_block *b);
    void (*block_end)(void *arg, struct wf_ev_block *b);
    void (*warp_begin)(void *arg, struct wf_ev_warp *w);
    void (*lanes_exit)(void *arg, struct wf_ev_warp *w, uint32_t mask);
    // All 32 lanes read or write, plainly, elements side by side from addr on (shared: of the own block). True:
    // all is said about it; false: access is to be called. May be unset while access is not.
    bool (*run)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, bool is_shared, uint64_t addr);
    void (*access)(void *arg, const struct wf_ev_access *a);
    void (*fence)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask);
    // A CTA barrier instance completed. Arrivals that came by .arrive are in arrived, not in
    // waited; they took effect at their own time: bar_arrive is called for each of them before.
    void (*bar_arrive)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t id,
                       uint64_t instance, uint32_t mask);
    void (*bar_complete)(void *arg, const struct wf_ev_barrier *b);
    // bar.warp.sync met by these lanes (all of them have arrived).
    void (*warp_sync)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask);
    // Cluster barrier: arrive (release unless relaxed) and, after completion of the phase, wait
    // (acquire).
    void (*cluster_arrive)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask,
                           uint64_t phase, bool is_release);
    void (*cluster_wait)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask,
                         uint64_t phase, bool is_acquire);
    void (*mbar_init)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                      uint32_t owner_rank, uint64_t addr);
    // mbarrier at shared offset addr of CTA owner: arrivals of a phase, and waits that returned
    // true.
    void (*mbar_arrive)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                        uint32_t owner_rank, uint64_t addr, uint64_t phase, bool is_release);
    void (*mbar_wait)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                      uint32_t owner_rank, uint64_t addr, uint64_t phase, bool is_acquire);
    // cp.async: the copy of `bytes` from global src to shared dst is issued; it is complete when
    // async_done is called with the same token (at the wait that covers it, or when an mbarrier
    // phase covers it: mbar is the object's offset in shared memory + 1).
    void (*async_issue)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t lane,
                        uint64_t dst, uint64_t src, uint32_t bytes, uint64_t token);
    // Nothing can go on, and these lanes wait in a loop for what they read at s: adds to the finding who
    // wrote there. Called while the grid stands still.
    void (*explain_wait)(void *arg, struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask,
                         struct wf_finding *f);
    // Reads of this grid that saw, or may have seen, another thread's write in a race: up to `most` of them.
    uint32_t (*raced_reads)(void *arg, const struct wf_ev_grid *g, const struct wf_site **out, uint32_t most);
    void (*async_done)(void *arg, struct wf_ev_warp *w, uint32_t lane, uint64_t token,
                       uint64_t mbar);
    // Bulk copies: complete when the mbarrier of block mbar_rank counts it, or (UINT32_MAX) when the lane that
    // issued it has waited for its group; reads_only: so far only the source has been read.
    void (*bulk_issue)(void *arg, const struct wf_ev_bulk *b);
    void (*bulk_done)(void *arg, struct wf_ev_warp *w, uint32_t lane, uint64_t token,
                      uint32_t mbar_rank, uint64_t mbar, bool reads_only);
    // griddepcontrol: lanes go on behind the wait; lanes allow the dependent kernel to start.
    void (*dep_wait)(void *arg, struct wf_ev_warp *w, uint32_t mask);
    void (*dep_trigger)(void *arg, struct wf_ev_warp *w, uint32_t mask);
    // From the runtime, in the order in which the work is done.
    void (*move)(void *arg, const struct wf_ev_move *b);
    // An event was recorded: what comes before it may be waited for by it.
    void (*mark)(void *arg, const struct wf_task *o);
    void (*host_knows)(void *arg, const struct wf_host_view *v); // the host has waited
};

#endif
