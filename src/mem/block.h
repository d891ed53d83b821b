// SPDX-License-Identifier: Apache-2.0
// The registry of a zone: segments that tile it without gaps, each free or one block. Private to
// src/mem.
//
// A search tree by address (a treap), where each node knows the largest free segment below it:
// first fit, neighbours and "what lies here" are each one walk down. Not locked.
#ifndef WF_MEM_BLOCK_H
#define WF_MEM_BLOCK_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "mem/space.h" // struct wf_mem_block

struct wf__seg {
    uint64_t addr, bytes; // of the segment; a block's includes its red zone
    bool is_free;
    struct wf_mem_block block;   // when not free
    struct wf__seg *prev, *next; // neighbours by address
    struct wf__seg *later;       // quarantine, in order of release
    struct wf__seg *left, *right;
    uint64_t max_free; // largest free segment in this subtree
    uint32_t priority;
};

struct wf__tree {
    struct wf__seg *root;
    struct wf__seg *spare; // unused nodes
    uint32_t seed;
};

void wf__tree_init(struct wf__tree *t, uint64_t lo, uint64_t hi); // one free segment
// Takes the lowest place for `bytes` on `align`; NULL when nothing fits. The block is not filled
// in.
struct wf__seg *wf__tree_take(struct wf__tree *t, uint64_t bytes, uint64_t align);
// Makes a taken segment free and merges it with free neighbours; returns the merged one.
struct wf__seg *wf__tree_give(struct wf__tree *t, struct wf__seg *s);
// The segment that holds addr; NULL outside the zone.
struct wf__seg *wf__tree_at(const struct wf__tree *t, uint64_t addr);

#endif
