// SPDX-License-Identifier: Apache-2.0
// Compressed vector clocks: what a thread knows of every thread of its grid.
//
// Semantics. Time is counted per block: K grows by one at every event that publishes something (a
// release, a fence, a barrier). A warp's accesses carry the warp's epoch, a value K had; all
// threads of a warp share it. "A clock covers (thread u, epoch e)" means: every access that u made
// at an epoch <= e happens before whatever the clock's owner does next. A thread covers itself
// always; that is not stored. A clock says this in three parts, exactly and without loss:
//   base   all real threads of the owner's block are covered up to here (set by full barriers;
//   threads
//          that had exited before such a barrier are the exception, see wf__blk_covered)
//   dev    deviations of the owner's block: (warp, lanes, epoch), only those above base
//   far    what is known of other blocks: a persistent 16-way trie, block index -> (base, dev)
// Everything behind a pointer is immutable and lives in the grid's arena, so clocks are shared
// freely and equal pointers mean equal knowledge. Warp numbers from WF__AGENT on are pseudo-threads
// (asynchronous copies); base says nothing about them.
#ifndef WF_CHECK_CLOCK_H
#define WF_CHECK_CLOCK_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "base/arena.h" // struct wf_arena

#define WF__AGENT 64u // first pseudo-warp of a block

struct wf__dev1 {
    uint32_t warp, mask, epoch;
};
struct wf__dev { // sorted by warp, then epoch; the masks of one warp are disjoint
    uint32_t n;
    struct wf__dev1 at[];
};

// A fence.sc past: clocks of the fence.sc in the causal past (s) and of those observed through
// strong accesses but not yet ordered by an own fence (o). [0]: fences of the own block, any scope;
// [1]: fences of device scope or wider.
struct wf__clk;
struct wf__sc {
    const struct wf__clk *s[2], *o[2];
};

struct wf__far; // trie node
struct wf__clk {
    uint32_t block; // index in the grid of the owner's block
    uint32_t base;
    const struct wf__dev *dev;
    const struct wf__far *far;  // may hold an older entry for the own block
    const struct wf__sc *sc;    // NULL: no fence.sc known of
    const struct wf__far *full; // far with the own block put in, made on demand
};

// Exited threads of a block: barriers completed later say nothing of them.
struct wf__gone {
    uint32_t exit_k;    // the block's time at the exit, UINT32_MAX while the thread lives
    uint32_t last_base; // the last full barrier that it took part in
};
struct wf__blk {
    uint32_t published;  // nothing of a later epoch was ever made known outside the block
    uint32_t first_exit; // smallest exit_k
    uint32_t exit_base;  // the last full barrier before it: covers everybody
    uint32_t cluster;
    bool is_dead;
    struct wf__gone *gone; // [threads], or NULL while nobody exited
    // Newest fence.sc of each thread, kept when the block ended; NULL when it had none.
    struct wf__fence **last_sc[2]; // [threads]: of any scope, of gpu or wider
};

// Per grid.
struct wf__clocks {
    struct wf_arena arena;
    uint32_t levels;     // of the trie
    struct wf__blk *blk; // [blocks of the grid], reserved memory
    struct wf__memo *memo;
};

void wf__clocks_init(struct wf__clocks *c, uint64_t blocks);
void wf__clocks_fini(struct wf__clocks *c);

bool wf__blk_covered(const struct wf__blk *b, uint32_t base, uint32_t warp, uint32_t lane,
                     uint32_t epoch);
// Lanes of `mask` of that warp whose accesses up to `epoch` are covered.
uint32_t wf__clk_covers(const struct wf__clocks *cs, const struct wf__clk *c, uint32_t block,
                        uint32_t warp, uint32_t mask, uint32_t epoch);

// Is the same known of blocks lo..hi? false: it may be all the same.
bool wf__far_same(const struct wf__clocks *cs, const struct wf__far *a, const struct wf__far *b, uint32_t lo, uint32_t hi);

const struct wf__dev *wf__dev_join(struct wf__clocks *cs, const struct wf__dev *a,
                                   const struct wf__dev *b, uint32_t base);
const struct wf__dev *wf__dev_add(struct wf__clocks *cs, const struct wf__dev *a, uint32_t warp,
                                  uint32_t mask, uint32_t epoch);
// a becomes the join of a and b; a keeps its owner's block.
void wf__clk_join(struct wf__clocks *cs, struct wf__clk *a, const struct wf__clk *b);
const struct wf__clk *wf__clk_keep(struct wf__clocks *cs,
                                   const struct wf__clk *c); // a copy that stays
// Join of two kept clocks, either may be NULL; one of them itself when it holds the other.
const struct wf__clk *wf__clk_merge(struct wf__clocks *cs, const struct wf__clk *a,
                                    const struct wf__clk *b);
const struct wf__sc *wf__sc_make(struct wf__clocks *cs, const struct wf__clk *s0,
                                 const struct wf__clk *s1, const struct wf__clk *o0,
                                 const struct wf__clk *o1);

#endif
