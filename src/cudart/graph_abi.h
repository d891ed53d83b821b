// SPDX-License-Identifier: Apache-2.0
// Structures of the graph API, as in abi.h.
#ifndef WF_CUDART_GRAPH_ABI_H
#define WF_CUDART_GRAPH_ABI_H

#include "rt/pool_abi.h" // struct abi_location
#include "cudart/abi.h"

struct abi_kernel_node {
    const void *fn;
    struct abi_dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};
WF_STATIC_SIZE(struct abi_kernel_node, 56);

struct abi_fill_node {
    void *dst;
    size_t pitch;
    unsigned value, value_bytes;
    size_t width, height; // width in values
};
WF_STATIC_SIZE(struct abi_fill_node, 40);

struct abi_host_node {
    void (*fn)(void *);
    void *user;
};

struct abi_alloc_node {
    struct abi_pool_props pool;
    const struct abi_access *access;
    size_t n_access, bytes;
    void *ptr;
};
WF_STATIC_SIZE(struct abi_alloc_node, 120);

struct abi_condition_node {
    uint64_t handle;
    int type;
    unsigned n;
    uint64_t *bodies;
};
WF_STATIC_SIZE(struct abi_condition_node, 24);

struct abi_node {
    int type, reserved[3];
    union {
        int64_t bytes[29];
        struct abi_kernel_node kernel;
        struct {
            int flags, reserved[3];
            struct abi_copy_3d copy;
        } copy;
        struct abi_fill_node fill;
        struct abi_host_node host;
        uint64_t graph;
        cudaEvent_t event;
        struct abi_alloc_node alloc;
        void *freed;
        struct abi_condition_node condition;
    } of;
    int64_t reserved_end;
};
WF_STATIC_SIZE(struct abi_node, 256);

struct abi_edge {
    unsigned char from_port, to_port, type, reserved[5];
};

struct abi_graph_update {
    int result;
    uint64_t node, from;
};
WF_STATIC_SIZE(struct abi_graph_update, 24);

struct abi_graph_instantiate {
    unsigned long long flags;
    cudaStream_t upload;
    uint64_t node;
    int result;
};
WF_STATIC_SIZE(struct abi_graph_instantiate, 32);

#endif
