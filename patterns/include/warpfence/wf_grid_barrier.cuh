// SPDX-License-Identifier: Apache-2.0
// Grid barrier: all blocks of a grid wait for each other. A grid can only do that if all its blocks
// are resident at once, so the launcher asks for that (cooperative launch) and refuses a grid that
// does not fit; there is no other way to start such a kernel through this header.
// The kernel's first parameter is the struct wf_grid; each block must call wf_grid_sync equally often.
#ifndef WF_GRID_BARRIER_CUH
#define WF_GRID_BARRIER_CUH

#include "wf_base.cuh"

struct wf_grid_state {
    unsigned arrived;
    unsigned round;
};

// What the kernel gets. Made by wf_grid_launch.
struct wf_grid {
    struct wf_grid_state *state;
};

// Every thread of every block calls, in convergence. What any thread wrote before can be read, with
// plain loads, by every thread of the grid after.
WF_DEVICE void wf_grid_sync(struct wf_grid grid)
{
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0) {
        const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
        // Cannot move on before this block has arrived, so the order of these two lines is safe.
        const unsigned round = wf_load_relaxed(&grid.state->round);
        if (wf_inc_wrap_acq_rel(&grid.state->arrived, blocks - 1) == blocks - 1)
            wf_store_release(&grid.state->round, round + 1);
        else
            while (wf_load_acquire(&grid.state->round) == round)
                continue;
    }
    __syncthreads();
}

// The most blocks of this kernel that can be resident at once on the current device.
static inline cudaError_t wf_grid_capacity(int *blocks, const void *kernel, int threads,
                                           size_t shared_bytes)
{
    int per_sm = 0, sms = 0;
    cudaError_t status =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, threads, shared_bytes);
    if (status == cudaSuccess)
        status = wf_sm_count(&sms);
    *blocks = per_sm * sms;
    return status;
}

// Starts kernel(struct wf_grid, ...). args: as for cudaLaunchKernel, args[0] left free for the grid.
// blocks 0 means as many as fit. Returns cudaErrorCooperativeLaunchTooLarge, and starts nothing, if
// the blocks do not fit all at once.
static inline cudaError_t wf_grid_launch(void *temp, size_t *temp_bytes, const void *kernel, int blocks,
                                         int threads, size_t shared_bytes, void **args,
                                         cudaStream_t stream)
{
    cudaError_t status = cudaSuccess;
    if (wf_temp_settled(temp, temp_bytes, sizeof(struct wf_grid_state), &status))
        return status;
    int capacity = 0, device = 0, cooperative = 0;
    status = cudaGetDevice(&device);
    if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
    if (status == cudaSuccess && !cooperative)
        status = cudaErrorNotSupported;
    if (status == cudaSuccess)
        status = wf_grid_capacity(&capacity, kernel, threads, shared_bytes);
    if (status != cudaSuccess)
        return status;
    if (blocks < 0)
        return cudaErrorInvalidValue;
    if (blocks == 0)
        blocks = capacity;
    if (blocks == 0 || blocks > capacity)
        return cudaErrorCooperativeLaunchTooLarge;
    struct wf_grid grid = {(struct wf_grid_state *)temp};
    args[0] = &grid;
    status = wf_clear(temp, sizeof(struct wf_grid_state), stream);
    if (status == cudaSuccess)
        status = cudaLaunchCooperativeKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads),
                                             args, shared_bytes, stream);
    args[0] = 0;
    return status;
}

#endif
