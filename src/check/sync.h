// SPDX-License-Identifier: Apache-2.0
// Release and acquire (PTX ISA 8.8, 8.9.4) through locations, and fence.sc.
//
// A location is the exact byte range that strong accesses use. It carries what release patterns
// attached to its newest write: joined clocks, kept apart by what scope their first operation had,
// as the check is "first operation of the release against last operation of the acquire". An RMW
// that reads a write it is morally strong with hands the attachments on; any other write drops
// them.
//
// fence.sc: the edge from fence A to fence B is made when the other direction would contradict what
// this run saw: A before a strong access, that access before another thread's strong access of the
// same location by communication (reads-from, coherence, from-read), and that one before B. Two
// fences that merely happened to run one after the other make no edge: such luck would hide races.
#ifndef WF_CHECK_SYNC_H
#define WF_CHECK_SYNC_H

#include "base/map.h" // struct wf_map
#include "check/hb.h" // struct wf__warp

struct wf__att {                         // attached by threads of one block
    const struct wf__clk *any, *cluster; // first operation of any scope; of cluster scope or wider
};
struct wf__watch { // a strong read of other threads' strong writes: PTX ISA 8.9.5, observation
    uint32_t serial, epoch, lo, hi; // writes numbered lo < n <= hi were seen
    uint32_t prev; // number + 1 of the one before by the same block, or 0
    uint16_t warp;
    uint8_t lane;
};
struct wf__loc {
    uint64_t addr, id; // id: no other one ever had it
    bool is_set, is_strong; // the newest write: known; strong
    uint8_t bytes, level, lane;
    uint16_t warp;
    uint32_t serial;
    const struct wf__clk *wide;          // attachments whose first operation has gpu or sys scope
    struct wf_map by_block;              // serial + 1 -> struct wf__att
    const struct wf__clk *sw[2], *sr[2]; // fence.sc before the writes, before the reads
    uint32_t sc_serial;                  // whose block [0] of these is about
    uint32_t seq, brk; // strong writes so far; those up to brk are not in the newest one's chain
    const struct wf_site *signal; // of the newest write that is no waiting loop's atomic
    struct wf__watch *watch;
    uint32_t n_watch, cap_watch;
    struct wf_map watched; // serial -> number + 1 of the block's newest
    struct wf__word *word; // its first one
    struct wf__loc *next;  // of the pool
};

struct wf__loc *wf__loc_new(struct wf__word *word, uint64_t addr, uint8_t bytes);
// What an acquire by a thread of this block may claim.
void wf__visible(struct wf__warp *w, const struct wf__loc *loc, struct wf__pending *p);
void wf__loc_free(struct wf__loc *loc);
void wf__loc_weak_write(struct wf__loc *loc);

// Must this strong access be followed at its location?
bool wf__wants_loc(const struct wf__warp *w, uint32_t lane, const struct wf_site *s, bool writes);
struct wf__step { // what an access did
    const struct wf_site *site;
    bool reads, writes;
    bool saw; // out: it read a write that it is morally strong with
};
void wf__loc_access(struct wf__warp *w, uint32_t lane, struct wf__loc *loc, struct wf__step *st);
void wf__fence(struct wf__warp *w, const struct wf_site *s, uint32_t mask);
// The lane's clock at the fence, the lane included; _group: of several lanes, joined; _msg: with
// the lane's fence.sc past.
const struct wf__clk *wf__fence_clk(struct wf__clocks *cs, struct wf__fence *f, uint32_t lane);
const struct wf__clk *wf__fence_group(struct wf__clocks *cs, struct wf__fence *f, uint32_t lanes);
const struct wf__clk *wf__fence_msg(struct wf__clocks *cs, struct wf__fence *f, uint32_t lane);

// The lane reads, in a race, what thread (serial, warp, other) wrote plainly at that epoch: a
// fence.sc before the write then comes before the lane's next one, as the other order would let the
// lane read from its own future. Known when it is the writer's newest fence.
void wf__sc_observe(struct wf__warp *w, uint32_t lane, uint32_t serial, uint32_t warp,
                    uint32_t other, uint32_t epoch);

// Does a scope of `level` around a thread of block a take in the threads of block b?
bool wf__scope_holds(const struct wf__grid *g, uint32_t level, uint32_t a, uint32_t b);
// Has anybody whom (w, lane) is ordered after read the writes up to number `hi`, none below `lo`? The sight, zero at
// first, keeps what several questions of one access have in common.
struct wf__sight {
    const struct wf__loc *loc;
    uint32_t hi;
};
bool wf__loc_seen(const struct wf__loc *loc, const struct wf__warp *w, uint32_t lane, uint32_t lo,
                  uint32_t hi, struct wf__sight *sight);

#endif
