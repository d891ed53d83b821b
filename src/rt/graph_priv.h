// SPDX-License-Identifier: Apache-2.0
// Graphs as they are kept. Everything here is under the runtime's lock. A node owns its parameters,
// child graphs and bodies; an instance owns a flat copy of all nodes, so that graphs may change or go.
#ifndef WF_RT_GRAPH_PRIV_H
#define WF_RT_GRAPH_PRIV_H

#include "rt/graph.h"
#include "rt/queue.h" // struct wf__op

struct wf__graph_block { // memory of an alloc node, shared by the copies of the node
    uint64_t addr, bytes;
    uint32_t refs;
    bool is_live; // between its allocation by a launch and its release
};

struct wf__node {
    uint64_t handle;
    uint64_t origin; // handle of the node it was copied from, 0 for none
    struct wf__graph *graph;
    struct wf_rt_node p;
    void **args; // of a kernel: own block
    struct wf__graph *child;
    struct wf__graph **bodies;
    uint64_t *body_handles;
    struct wf__graph_block *block;
    struct wf__node **pred;
    uint32_t n_pred, cap_pred;
    uint32_t index; // scratch
    struct wf__node *prev, *next;
};

struct wf__graph {
    uint64_t handle;
    uint64_t origin; // graph it was cloned from
    bool is_part;    // of a node: not the program's to destroy
    struct wf__node *first, *last;
    uint32_t n;
};

struct wf__graph *wf__graph_new(void);
struct wf__graph *wf__graph_find(uint64_t handle);
struct wf__node *wf__graph_node(uint64_t handle);
struct wf__graph *wf__graph_copy(const struct wf__graph *g);
void wf__graph_free(struct wf__graph *g);
// A checked copy of what a node does. On failure nothing is kept.
enum wf_cu wf__node_fill(struct wf__node *v, struct wf_rt_node *p);
void wf__node_fini(struct wf__node *v);
enum wf_cu wf__graph_append(struct wf__graph *g, struct wf__node *const *pred, uint32_t n_pred,
                            struct wf_rt_node *p, struct wf__node **out);
void wf__node_add_pred(struct wf__node *v, struct wf__node *pred); // once
bool wf__node_reaches(struct wf__node *from, const struct wf__node *to); // along its predecessors

// graph_node.c
bool wf__graph_block_live(struct wf__graph_block *b, bool is_live); // false: it was already

// ---- operations of nodes; made without the lock where they say so ----
enum wf_cu wf__launch_op(struct wf_rt_function *f, const struct wf_rt_launch *l, struct wf__op **out);
enum wf_cu wf__launch_check(struct wf_rt_function *f, const struct wf_rt_launch *l);
enum wf_cu wf__launch_args(struct wf_rt_function *f, void **args, void ***own); // one block, heap
enum wf_cu wf__copy_op(const struct wf_rt_copy *c, struct wf__op **out);
enum wf_cu wf__fill_op(const struct wf_rt_box *dst, uint64_t width, uint64_t height, uint64_t depth,
                       uint32_t value, uint32_t value_bytes, struct wf__op **out);
struct wf__op *wf__host_op(wf_rt_host_fn fn, void *user);
// Under the lock, and the operation must be put into s next. NULL: no such event.
struct wf__op *wf__event_op(uint64_t event, struct wf__stream *s);

#endif
