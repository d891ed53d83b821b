// SPDX-License-Identifier: Apache-2.0
// Device properties, runtime 13 layout; the other layout stands in v12.c.
#include "cudart/prop.h"

#include <stdio.h>  // snprintf
#include <string.h> // memset

#include "core/launch.h" // wf_gpu_default
#include "rt/device.h"   // wf_rt_device_attr_value

#define A(id) wf_rt_device_attr_value(WF_RT_ATTR_##id)
#define Z(id) ((size_t)(unsigned)A(id))

static void fill_textures(struct abi_device_prop *p)
{
    p->texture_1d = A(MAX_TEXTURE_1D_WIDTH);
    p->texture_1d_mipmap = A(MAX_TEXTURE_1D_MIPMAPPED_WIDTH);
    p->texture_2d[0] = A(MAX_TEXTURE_2D_WIDTH);
    p->texture_2d[1] = A(MAX_TEXTURE_2D_HEIGHT);
    p->texture_2d_mipmap[0] = A(MAX_TEXTURE_2D_MIPMAPPED_WIDTH);
    p->texture_2d_mipmap[1] = A(MAX_TEXTURE_2D_MIPMAPPED_HEIGHT);
    p->texture_2d_linear[0] = A(MAX_TEXTURE_2D_LINEAR_WIDTH);
    p->texture_2d_linear[1] = A(MAX_TEXTURE_2D_LINEAR_HEIGHT);
    p->texture_2d_linear[2] = A(MAX_TEXTURE_2D_LINEAR_PITCH);
    p->texture_2d_gather[0] = A(MAX_TEXTURE_2D_GATHER_WIDTH);
    p->texture_2d_gather[1] = A(MAX_TEXTURE_2D_GATHER_HEIGHT);
    p->texture_3d[0] = A(MAX_TEXTURE_3D_WIDTH);
    p->texture_3d[1] = A(MAX_TEXTURE_3D_HEIGHT);
    p->texture_3d[2] = A(MAX_TEXTURE_3D_DEPTH);
    p->texture_3d_alt[0] = A(MAX_TEXTURE_3D_WIDTH_ALT);
    p->texture_3d_alt[1] = A(MAX_TEXTURE_3D_HEIGHT_ALT);
    p->texture_3d_alt[2] = A(MAX_TEXTURE_3D_DEPTH_ALT);
    p->texture_cube = A(MAX_TEXTURE_CUBEMAP_WIDTH);
    p->texture_1d_layered[0] = A(MAX_TEXTURE_1D_LAYERED_WIDTH);
    p->texture_1d_layered[1] = A(MAX_TEXTURE_1D_LAYERED_LAYERS);
    p->texture_2d_layered[0] = A(MAX_TEXTURE_2D_LAYERED_WIDTH);
    p->texture_2d_layered[1] = A(MAX_TEXTURE_2D_LAYERED_HEIGHT);
    p->texture_2d_layered[2] = A(MAX_TEXTURE_2D_LAYERED_LAYERS);
    p->texture_cube_layered[0] = A(MAX_TEXTURE_CUBEMAP_LAYERED_WIDTH);
    p->texture_cube_layered[1] = A(MAX_TEXTURE_CUBEMAP_LAYERED_LAYERS);
    p->texture_align = Z(TEXTURE_ALIGNMENT);
    p->texture_pitch_align = Z(TEXTURE_PITCH_ALIGNMENT);
}

static void fill_surfaces(struct abi_device_prop *p)
{
    p->surface_1d = A(MAX_SURFACE_1D_WIDTH);
    p->surface_2d[0] = A(MAX_SURFACE_2D_WIDTH);
    p->surface_2d[1] = A(MAX_SURFACE_2D_HEIGHT);
    p->surface_3d[0] = A(MAX_SURFACE_3D_WIDTH);
    p->surface_3d[1] = A(MAX_SURFACE_3D_HEIGHT);
    p->surface_3d[2] = A(MAX_SURFACE_3D_DEPTH);
    p->surface_1d_layered[0] = A(MAX_SURFACE_1D_LAYERED_WIDTH);
    p->surface_1d_layered[1] = A(MAX_SURFACE_1D_LAYERED_LAYERS);
    p->surface_2d_layered[0] = A(MAX_SURFACE_2D_LAYERED_WIDTH);
    p->surface_2d_layered[1] = A(MAX_SURFACE_2D_LAYERED_HEIGHT);
    p->surface_2d_layered[2] = A(MAX_SURFACE_2D_LAYERED_LAYERS);
    p->surface_cube = A(MAX_SURFACE_CUBEMAP_WIDTH);
    p->surface_cube_layered[0] = A(MAX_SURFACE_CUBEMAP_LAYERED_WIDTH);
    p->surface_cube_layered[1] = A(MAX_SURFACE_CUBEMAP_LAYERED_LAYERS);
    p->surface_align = Z(SURFACE_ALIGNMENT);
}

static void fill_shape(struct abi_device_prop *p)
{
    p->global_bytes = wf_gpu_default()->global_bytes;
    p->shared_per_block = Z(MAX_SHARED_MEMORY_PER_BLOCK);
    p->regs_per_block = A(MAX_REGISTERS_PER_BLOCK);
    p->warp_size = A(WARP_SIZE);
    p->mem_pitch = Z(MAX_PITCH);
    p->max_threads_per_block = A(MAX_THREADS_PER_BLOCK);
    p->max_block[0] = A(MAX_BLOCK_DIM_X);
    p->max_block[1] = A(MAX_BLOCK_DIM_Y);
    p->max_block[2] = A(MAX_BLOCK_DIM_Z);
    p->max_grid[0] = A(MAX_GRID_DIM_X);
    p->max_grid[1] = A(MAX_GRID_DIM_Y);
    p->max_grid[2] = A(MAX_GRID_DIM_Z);
    p->const_bytes = Z(TOTAL_CONSTANT_MEMORY);
    p->major = A(COMPUTE_CAPABILITY_MAJOR);
    p->minor = A(COMPUTE_CAPABILITY_MINOR);
    p->sm_count = A(MULTI_PROCESSOR_COUNT);
    p->bus_bits = A(GLOBAL_MEMORY_BUS_WIDTH);
    p->l2_bytes = A(L2_CACHE_SIZE);
    p->l2_persisting_max = A(MAX_PERSISTING_L2_CACHE_SIZE);
    p->threads_per_sm = A(MAX_THREADS_PER_MULTI_PROCESSOR);
    p->shared_per_sm = Z(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    p->regs_per_sm = A(MAX_REGISTERS_PER_MULTIPROCESSOR);
    p->shared_per_block_optin = Z(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    p->blocks_per_sm = A(MAX_BLOCKS_PER_MULTIPROCESSOR);
    p->access_window_max = A(MAX_ACCESS_POLICY_WINDOW_SIZE);
    p->shared_reserved = Z(RESERVED_SHARED_MEMORY_PER_BLOCK);
    p->async_engines = A(ASYNC_ENGINE_COUNT);
    p->pci_bus = A(PCI_BUS_ID);
    p->pci_device = A(PCI_DEVICE_ID);
    p->pci_domain = A(PCI_DOMAIN_ID);
}

static void fill_abilities(struct abi_device_prop *p)
{
    p->integrated = A(INTEGRATED);
    p->can_map_host = A(CAN_MAP_HOST_MEMORY);
    p->concurrent_kernels = A(CONCURRENT_KERNELS);
    p->ecc = A(ECC_ENABLED);
    p->tcc = A(TCC_DRIVER);
    p->unified_addressing = A(UNIFIED_ADDRESSING);
    p->stream_priorities = A(STREAM_PRIORITIES_SUPPORTED);
    p->global_l1 = A(GLOBAL_L1_CACHE_SUPPORTED);
    p->local_l1 = A(LOCAL_L1_CACHE_SUPPORTED);
    p->managed = A(MANAGED_MEMORY);
    p->multi_gpu_board = A(IS_MULTI_GPU_BOARD);
    p->multi_gpu_group = A(MULTI_GPU_BOARD_GROUP_ID);
    p->host_native_atomics = A(HOST_NATIVE_ATOMIC_SUPPORTED);
    p->pageable_access = A(PAGEABLE_MEMORY_ACCESS);
    p->concurrent_managed = A(CONCURRENT_MANAGED_ACCESS);
    p->preemption = A(COMPUTE_PREEMPTION_SUPPORTED);
    p->host_pointer_for_registered = A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
    p->cooperative = A(COOPERATIVE_LAUNCH);
    p->pageable_by_host_tables = A(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
    p->direct_managed_from_host = A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST);
    p->host_register = A(HOST_REGISTER_SUPPORTED);
    p->sparse_array = A(SPARSE_CUDA_ARRAY_SUPPORTED);
    p->host_register_read_only = A(HOST_REGISTER_READ_ONLY_SUPPORTED);
    p->timeline_semaphore = A(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED);
    p->pools = A(MEMORY_POOLS_SUPPORTED);
    p->rdma = A(GPU_DIRECT_RDMA_SUPPORTED);
    p->rdma_flush = (unsigned)A(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
    p->rdma_order = A(GPU_DIRECT_RDMA_WRITES_ORDERING);
    p->pool_handle_types = (unsigned)A(MEMORY_POOL_SUPPORTED_HANDLE_TYPES);
    p->deferred_array = A(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED);
    p->ipc_event = A(IPC_EVENT_SUPPORT);
    p->cluster = A(CLUSTER_LAUNCH);
    p->unified_function_pointers = 1;
    p->numa_config = A(NUMA_CONFIG);
    p->numa_id = A(NUMA_ID);
    p->mps = A(MPS_ENABLED);
    p->host_numa_id = A(HOST_NUMA_ID);
    p->gpu_pci_device = (unsigned)A(GPU_PCI_DEVICE_ID);
    p->gpu_pci_subsystem = (unsigned)A(GPU_PCI_SUBSYSTEM_ID);
    p->multinode_ipc = A(HOST_NUMA_MULTINODE_IPC_SUPPORTED);
}

void wf__device_prop(struct abi_device_prop *p)
{
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", wf_rt_device_name());
    wf_rt_device_uuid(p->uuid);
    fill_shape(p);
    fill_abilities(p);
    fill_textures(p);
    fill_surfaces(p);
}
