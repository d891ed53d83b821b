// SPDX-License-Identifier: Apache-2.0
// Handles with generations: a handle that was given back is known to be stale, never followed.
// A handle is the tag of its table (8 bits), a generation (32 bits, from 1) and an index (24 bits);
// no handle looks like a small number or a pointer. Private to src/rt, under its lock.
#ifndef WF_RT_TABLE_H
#define WF_RT_TABLE_H

#include <stdint.h> // uint64_t

// The top bit stays clear: Python keeps handles as signed numbers.
enum wf__tag { WF__TAG_STREAM = 0x21, WF__TAG_EVENT, WF__TAG_POOL, WF__TAG_LIBRARY, WF__TAG_ARRAY,
               WF__TAG_GRAPH, WF__TAG_NODE, WF__TAG_GRAPH_EXEC, WF__TAG_PHYSICAL };

struct wf__table {
    enum wf__tag tag;
    struct wf__slot {
        void *object; // NULL when free
        uint32_t generation;
        uint32_t next_free;
    } * slot;
    uint32_t n, cap, first_free; // first_free: index + 1, or 0
};

uint64_t wf__table_put(struct wf__table *t, void *object);
void *wf__table_get(const struct wf__table *t, uint64_t handle); // NULL when stale or foreign
void wf__table_drop(struct wf__table *t, uint64_t handle);
void wf__table_drop_at(struct wf__table *t, uint32_t i); // a slot in use
void wf__table_clear(struct wf__table *t);               // every handle becomes stale

#endif
