// SPDX-License-Identifier: Apache-2.0
// Graphs of work: made by hand or by capturing streams, instantiated, launched as often as wanted.
// Handles of graphs, nodes and instances; all calls are thread-safe.
#ifndef WF_RT_GRAPH_H
#define WF_RT_GRAPH_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/copy.h"   // struct wf_rt_copy
#include "rt/launch.h" // struct wf_rt_launch
#include "rt/stream.h" // wf_rt_host_fn

enum wf_rt_node_kind { // CUDA's numbers
    WF_RT_NODE_KERNEL = 0,
    WF_RT_NODE_COPY,
    WF_RT_NODE_FILL,
    WF_RT_NODE_HOST,
    WF_RT_NODE_CHILD,
    WF_RT_NODE_EMPTY,
    WF_RT_NODE_WAIT,
    WF_RT_NODE_RECORD,
    WF_RT_NODE_ALLOC = 10,
    WF_RT_NODE_FREE,
    WF_RT_NODE_CONDITION = 13
};

enum wf_rt_condition { WF_RT_IF, WF_RT_WHILE, WF_RT_SWITCH }; // CUDA's numbers

struct wf_rt_node {
    enum wf_rt_node_kind kind;
    union {
        struct {
            struct wf_rt_function *f;
            const void *name; // as the program named it
            struct wf_rt_launch l;
        } kernel;
        struct wf_rt_copy copy;
        struct {
            struct wf_rt_box dst;
            uint64_t width, height, depth; // width in bytes
            uint32_t value, value_bytes;
        } fill;
        struct {
            wf_rt_host_fn fn;
            void *user;
        } host;
        uint64_t child; // a graph, copied; from the node: the copy
        uint64_t event;
        struct {
            uint64_t addr, bytes;
        } memory; // alloc: addr is given back
        struct {
            uint64_t handle;
            enum wf_rt_condition type;
            unsigned n;
            uint64_t *bodies; // given back; the node's
        } condition;
    } of;
};

// ---- graphs ----
enum wf_cu wf_rt_graph_create(uint64_t *out, unsigned flags);
enum wf_cu wf_rt_graph_destroy(uint64_t graph);
enum wf_cu wf_rt_graph_clone(uint64_t *out, uint64_t graph);
enum wf_cu wf_rt_graph_find_in_clone(uint64_t *out, uint64_t node, uint64_t clone);
// `p` is read, and written where it says "given back".
enum wf_cu wf_rt_graph_add(uint64_t *out, uint64_t graph, const uint64_t *deps, uint64_t n_deps,
                           struct wf_rt_node *p);
enum wf_cu wf_rt_graph_get(uint64_t node, struct wf_rt_node *out); // pointers are the node's
enum wf_cu wf_rt_graph_set(uint64_t node, const struct wf_rt_node *p); // of the same kind
enum wf_cu wf_rt_graph_drop(uint64_t node);
// Lists: with list NULL only the number. *n says how much room there is, then how many there are.
enum wf_cu wf_rt_graph_nodes(uint64_t graph, bool only_roots, uint64_t *list, uint64_t *n);
enum wf_cu wf_rt_graph_edges(uint64_t graph, uint64_t *from, uint64_t *to, uint64_t *n);
enum wf_cu wf_rt_graph_neighbours(uint64_t node, bool is_after, uint64_t *list, uint64_t *n);
enum wf_cu wf_rt_graph_edge(uint64_t graph, const uint64_t *from, const uint64_t *to, uint64_t n,
                            bool is_added);
enum wf_cu wf_rt_graph_condition(uint64_t *out, uint64_t graph, unsigned value, unsigned flags);

// ---- instances ----
enum wf_rt_graph_update { // CUDA's numbers
    WF_RT_UPDATE_SUCCESS,
    WF_RT_UPDATE_ERROR,
    WF_RT_UPDATE_TOPOLOGY,
    WF_RT_UPDATE_KIND,
    WF_RT_UPDATE_FUNCTION,
    WF_RT_UPDATE_PARAMETERS,
    WF_RT_UPDATE_NOT_SUPPORTED
};
#define WF_RT_GRAPH_AUTO_FREE 1u
enum wf_cu wf_rt_graph_instantiate(uint64_t *out, uint64_t graph, uint64_t flags);
enum wf_cu wf_rt_graph_exec_destroy(uint64_t exec);
enum wf_cu wf_rt_graph_exec_flags(uint64_t exec, uint64_t *flags);
enum wf_cu wf_rt_graph_exec_set(uint64_t exec, uint64_t node, const struct wf_rt_node *p);
enum wf_cu wf_rt_graph_exec_enable(uint64_t exec, uint64_t node, bool is_on);
enum wf_cu wf_rt_graph_exec_enabled(uint64_t exec, uint64_t node, bool *is_on);
enum wf_cu wf_rt_graph_exec_update(uint64_t exec, uint64_t graph, enum wf_rt_graph_update *result,
                                   uint64_t *node);
enum wf_cu wf_rt_graph_launch(uint64_t exec, uint64_t stream);
enum wf_cu wf_rt_graph_exec_check(uint64_t exec); // is it one

// ---- memory of graphs ----
enum wf_rt_graph_memory { WF_RT_GRAPH_USED, WF_RT_GRAPH_USED_HIGH, WF_RT_GRAPH_RESERVED, WF_RT_GRAPH_RESERVED_HIGH };
uint64_t wf_rt_graph_memory(enum wf_rt_graph_memory what);
void wf_rt_graph_memory_reset(bool is_reserved); // a high mark
void wf_rt_graph_memory_trim(void);

// ---- capture ----
enum wf_rt_capture_mode { WF_RT_CAPTURE_GLOBAL, WF_RT_CAPTURE_THREAD, WF_RT_CAPTURE_RELAXED };
enum wf_rt_capture_status { WF_RT_CAPTURE_NONE, WF_RT_CAPTURE_ACTIVE, WF_RT_CAPTURE_INVALID };
struct wf_rt_capture_info {
    enum wf_rt_capture_status status;
    uint64_t id, graph, n_deps;
    const uint64_t *deps; // until the next call for the stream
};
// graph 0: a new one; else the capture goes on there behind deps.
enum wf_cu wf_rt_capture_begin(uint64_t stream, int mode, uint64_t graph, const uint64_t *deps,
                               uint64_t n_deps);
enum wf_cu wf_rt_capture_end(uint64_t stream, uint64_t *graph);
enum wf_cu wf_rt_capture_info(uint64_t stream, struct wf_rt_capture_info *out);
enum wf_cu wf_rt_capture_deps(uint64_t stream, const uint64_t *deps, uint64_t n, bool is_added);
enum wf_cu wf_rt_capture_exchange_mode(int *mode); // of this thread

// ---- for src/rt: calls that may be captured ----
// True: the stream is being captured (or must not be used because another is); *e is the call's
// result. `p` becomes a node.
bool wf__capture_take(uint64_t stream, struct wf_rt_node *p, enum wf_cu *e);
bool wf__capture_record(uint64_t event, uint64_t stream, unsigned flags, enum wf_cu *e);
bool wf__capture_wait(uint64_t stream, uint64_t event, unsigned flags, enum wf_cu *e);
// A call that waits for a stream (0: for the device), asks about an event, or is not safe while
// streams are captured (allocation). SUCCESS when it may go on.
enum wf_cu wf__capture_forbids_stream(uint64_t stream);
enum wf_cu wf__capture_forbids_event(uint64_t event);
enum wf_cu wf__capture_forbids_unsafe(void);
void wf__graph_reset(void);

// Memory that a graph owns, known by this pool; freed by the program, or by work in a stream.
extern char wf__graph_pool;
void wf__graph_memory_freed(uint64_t addr);

#endif
