// SPDX-License-Identifier: Apache-2.0
// What the graph API's files and the two runtimes' own files share.
#ifndef WF_CUDART_GRAPH_H
#define WF_CUDART_GRAPH_H

#include "cudart/graph_abi.h"
#include "cudart/priv.h"
#include "rt/graph.h" // struct wf_rt_node

// A node's parameters, from and to what programs see. The general form first.
enum wf_cu wf__node_read(const struct abi_node *p, struct wf_rt_node *out);
enum wf_cu wf__kernel_read(const struct abi_kernel_node *p, struct wf_rt_node *out);
enum wf_cu wf__copy_read(const struct abi_copy_3d *p, struct wf_rt_node *out);
enum wf_cu wf__fill_read(const struct abi_fill_node *p, struct wf_rt_node *out);
// copy3d.c
enum wf_cu wf__copy_3d_read(const struct abi_copy_3d *c, struct wf_rt_copy *out);
enum wf_cu wf__symbol_range(const void *symbol, size_t n, size_t offset, uint64_t *addr);

// graph.c: with the data of edges that runtime 13 has in each of them; it may be NULL.
enum wf_cu wf__graph_add_node(uint64_t *out, uint64_t graph, const uint64_t *deps,
                              const struct abi_edge *edges, size_t n, struct abi_node *p);
enum wf_cu wf__graph_add_edges(uint64_t graph, const uint64_t *from, const uint64_t *to,
                               const struct abi_edge *edges, size_t n, bool is_added);
enum wf_cu wf__graph_get_edges(uint64_t graph, uint64_t *from, uint64_t *to, struct abi_edge *edges,
                               size_t *n);
enum wf_cu wf__graph_get_neighbours(uint64_t node, bool is_after, uint64_t *list,
                                    struct abi_edge *edges, size_t *n);
// stream.c
enum wf_cu wf__capture_answer(uint64_t stream, int *status, unsigned long long *id, uint64_t *graph,
                              const uint64_t **deps, const struct abi_edge **edges, size_t *n);

#endif
