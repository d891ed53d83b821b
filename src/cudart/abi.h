// SPDX-License-Identifier: Apache-2.0
// Types of the CUDA runtime API as programs compiled with NVIDIA's or our headers lay them out:
// sizes and offsets are facts of the interface; the names of unused members are not repeated.
// Checked against NVIDIA's headers by tests/api/layout.cu, where nvcc is there.
#ifndef WF_CUDART_ABI_H
#define WF_CUDART_ABI_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint64_t

#ifndef WF_RT_POOL_ABI_H // by name only, as tests compile this file with no folder of ours to look in
#error "rt/pool_abi.h comes first"
#endif

typedef int cudaError_t;
typedef void *cudaStream_t, *cudaEvent_t, *cudaMemPool_t, *cudaKernel_t, *cudaFunction_t,
    *cudaLibrary_t, *cudaArray_t;

#define WF_STATIC_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)

struct abi_dim3 {
    unsigned x, y, z;
};

struct abi_device_prop { // runtime 13
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luid_node_mask;
    size_t global_bytes, shared_per_block;
    int regs_per_block, warp_size;
    size_t mem_pitch;
    int max_threads_per_block, max_block[3], max_grid[3];
    size_t const_bytes;
    int major, minor;
    size_t texture_align, texture_pitch_align;
    int sm_count, integrated, can_map_host;
    int texture_1d, texture_1d_mipmap, texture_2d[2], texture_2d_mipmap[2], texture_2d_linear[3],
        texture_2d_gather[2], texture_3d[3], texture_3d_alt[3], texture_cube, texture_1d_layered[2],
        texture_2d_layered[3], texture_cube_layered[2];
    int surface_1d, surface_2d[2], surface_3d[3], surface_1d_layered[2], surface_2d_layered[3],
        surface_cube, surface_cube_layered[2];
    size_t surface_align;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines,
        unified_addressing, bus_bits, l2_bytes, l2_persisting_max, threads_per_sm,
        stream_priorities, global_l1, local_l1;
    size_t shared_per_sm;
    int regs_per_sm, managed, multi_gpu_board, multi_gpu_group, host_native_atomics,
        pageable_access, concurrent_managed, preemption, host_pointer_for_registered, cooperative;
    size_t shared_per_block_optin;
    int pageable_by_host_tables, direct_managed_from_host, blocks_per_sm, access_window_max;
    size_t shared_reserved;
    int host_register, sparse_array, host_register_read_only, timeline_semaphore, pools, rdma;
    unsigned rdma_flush;
    int rdma_order;
    unsigned pool_handle_types;
    int deferred_array, ipc_event, cluster, unified_function_pointers, numa_config, numa_id, mps,
        host_numa_id;
    unsigned gpu_pci_device, gpu_pci_subsystem;
    int multinode_ipc, reserved[56];
};
WF_STATIC_SIZE(struct abi_device_prop, 1008);

struct abi_func_attributes {
    size_t shared, constant, local;
    int max_threads, regs, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, carveout,
        needs_cluster, cluster_width, cluster_height, cluster_depth, cluster_policy, nonportable,
        reserved[16];
};
WF_STATIC_SIZE(struct abi_func_attributes, 144);

struct abi_pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8]; // runtime 12 has none: not written
};
WF_STATIC_SIZE(struct abi_pointer_attributes, 88);

union abi_launch_value {
    char bytes[64];
    int number;
    struct abi_dim3 dim;
    struct {
        cudaEvent_t event;
        int flags;
    } event;
    uint64_t align;
};
struct abi_launch_attribute {
    int id;
    union abi_launch_value value;
};
WF_STATIC_SIZE(struct abi_launch_attribute, 72);

struct abi_launch_config {
    struct abi_dim3 grid, block;
    size_t dynamic_shared;
    cudaStream_t stream;
    struct abi_launch_attribute *attrs;
    unsigned n_attrs;
};
WF_STATIC_SIZE(struct abi_launch_config, 56);

struct abi_extent {
    size_t width, height, depth;
};
struct abi_pos {
    size_t x, y, z;
};
struct abi_pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
WF_STATIC_SIZE(struct abi_pitched, 32);

struct abi_copy_3d {
    cudaArray_t src_array;
    struct abi_pos src_pos;
    struct abi_pitched src_ptr;
    cudaArray_t dst_array;
    struct abi_pos dst_pos;
    struct abi_pitched dst_ptr;
    struct abi_extent extent;
    int kind;
};
WF_STATIC_SIZE(struct abi_copy_3d, 160);

struct abi_copy_3d_peer {
    cudaArray_t src_array;
    struct abi_pos src_pos;
    struct abi_pitched src_ptr;
    int src_device;
    cudaArray_t dst_array;
    struct abi_pos dst_pos;
    struct abi_pitched dst_ptr;
    int dst_device;
    struct abi_extent extent;
};
WF_STATIC_SIZE(struct abi_copy_3d_peer, 168);

WF_STATIC_SIZE(struct abi_pool_props, 88);
WF_STATIC_SIZE(struct abi_access, 12);

struct abi_channel {
    int x, y, z, w, kind;
};

struct abi_resource {
    int type;
    union {
        uint64_t array; // also a mipmapped one
        struct {
            void *ptr;
            struct abi_channel format;
            size_t bytes;
        } linear;
        struct {
            void *ptr;
            struct abi_channel format;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
}; // runtime 13 has flags behind it, which must be zero
WF_STATIC_SIZE(struct abi_resource, 136);

struct abi_texture {
    int address[3], filter, read_mode, srgb;
    float border[4];
    int is_normalized;
    unsigned max_anisotropy;
    int level_filter;
    float level_bias, level_min, level_max;
    int no_trilinear_optimization, is_seamless;
};
WF_STATIC_SIZE(struct abi_texture, 72);

struct abi_view {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
WF_STATIC_SIZE(struct abi_view, 112);

struct abi_array_memory {
    size_t bytes, align;
    unsigned reserved[4];
};
WF_STATIC_SIZE(struct abi_array_memory, 32);

#endif
