// SPDX-License-Identifier: Apache-2.0
// Types of the CUDA driver API as programs lay them out: sizes and offsets are facts of the
// interface; the names of unused members are not repeated. Checked against NVIDIA's header by
// tests/driver/layout.c, where it is there.
#ifndef WF_CUDA_ABI_H
#define WF_CUDA_ABI_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint64_t

#ifndef WF_RT_POOL_ABI_H // by name only, as tests compile this file with no folder of ours to look in
#error "rt/pool_abi.h comes first"
#endif

typedef int CUresult, CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct wf__context *CUcontext;
typedef struct wf_rt_function *CUfunction, *CUkernel;
typedef void *CUmodule, *CUlibrary, *CUstream, *CUevent, *CUmemoryPool, *CUarray;
typedef struct wf_rt_link *CUlinkState;

#define WF_STATIC_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)

struct abi_context_params {
    void *affinity;
    int n_affinity;
    void *client;
};
WF_STATIC_SIZE(struct abi_context_params, 24);

struct abi_launch_attribute {
    int id;
    union {
        char bytes[64];
        int number;
        struct {
            unsigned x, y, z;
        } dim;
        struct {
            CUevent event;
            int flags;
        } event;
        uint64_t align;
    } value;
};
WF_STATIC_SIZE(struct abi_launch_attribute, 72);

struct abi_launch_config {
    unsigned grid[3], block[3], dynamic_shared;
    CUstream stream;
    struct abi_launch_attribute *attrs;
    unsigned n_attrs;
};
WF_STATIC_SIZE(struct abi_launch_config, 56);

enum { ABI_MEMORY_HOST = 1, ABI_MEMORY_DEVICE, ABI_MEMORY_ARRAY, ABI_MEMORY_UNIFIED };

struct abi_copy_2d {
    size_t src_x, src_y;
    int src_type;
    const void *src_host;
    CUdeviceptr src_device;
    CUarray src_array;
    size_t src_pitch;
    size_t dst_x, dst_y;
    int dst_type;
    void *dst_host;
    CUdeviceptr dst_device;
    CUarray dst_array;
    size_t dst_pitch;
    size_t width, height;
};
WF_STATIC_SIZE(struct abi_copy_2d, 128);

struct abi_copy_3d { // the peer form has contexts where this one has reserved words
    size_t src_x, src_y, src_z, src_lod;
    int src_type;
    const void *src_host;
    CUdeviceptr src_device;
    CUarray src_array;
    void *src_context;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    int dst_type;
    void *dst_host;
    CUdeviceptr dst_device;
    CUarray dst_array;
    void *dst_context;
    size_t dst_pitch, dst_height;
    size_t width, height, depth;
};
WF_STATIC_SIZE(struct abi_copy_3d, 200);

WF_STATIC_SIZE(struct abi_pool_props, 88);
WF_STATIC_SIZE(struct abi_access, 12);

struct abi_physical_props {
    int type, handle_types;
    struct abi_location location;
    void *security;
    unsigned char flags[8]; // compression first
};
WF_STATIC_SIZE(struct abi_physical_props, 32);

struct abi_device_prop { // of cuDeviceGetProperties, which is old
    int max_threads_per_block, max_block[3], max_grid[3], shared_per_block, const_bytes, warp_size,
        mem_pitch, regs_per_block, clock_khz, texture_align;
};
WF_STATIC_SIZE(struct abi_device_prop, 56);

struct abi_array_2d {
    size_t width, height;
    int format;
    unsigned channels;
};
WF_STATIC_SIZE(struct abi_array_2d, 24);
struct abi_array_3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
WF_STATIC_SIZE(struct abi_array_3d, 40);

struct abi_resource {
    int type;
    union {
        uint64_t array; // also a mipmapped one
        struct {
            CUdeviceptr ptr;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            CUdeviceptr ptr;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    } of;
    unsigned flags;
};
WF_STATIC_SIZE(struct abi_resource, 144);
enum {
    ABI_TEXTURE_AS_INTEGER = 1,
    ABI_TEXTURE_NORMALIZED = 2,
    ABI_TEXTURE_SRGB = 16,
    ABI_TEXTURE_SEAMLESS = 64
};
struct abi_texture {
    int address[3], filter;
    unsigned flags, max_anisotropy;
    int level_filter;
    float level_bias, level_min, level_max, border[4];
    int reserved[12];
};
WF_STATIC_SIZE(struct abi_texture, 104);
struct abi_view {
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer, reserved[16];
};
WF_STATIC_SIZE(struct abi_view, 112);

struct abi_kernel_node {
    CUfunction f;
    unsigned grid[3], block[3], shared;
    void **args, **extra;
    CUkernel kernel; // stands for f when that is NULL
    CUcontext context;
};
WF_STATIC_SIZE(struct abi_kernel_node, 72);
struct abi_fill_node {
    CUdeviceptr dst;
    size_t pitch;
    unsigned value, value_bytes;
    size_t width, height; // width in elements
};
WF_STATIC_SIZE(struct abi_fill_node, 40);
struct abi_host_node {
    void (*fn)(void *);
    void *user;
};
struct abi_graph_instantiate {
    uint64_t flags;
    CUstream stream;
    uint64_t node;
    int result;
};
WF_STATIC_SIZE(struct abi_graph_instantiate, 32);
struct abi_graph_update {
    int result;
    uint64_t node, from;
};
WF_STATIC_SIZE(struct abi_graph_update, 24);

#endif
