// SPDX-License-Identifier: Apache-2.0
// Cooperative groups (CUDA guide, "Cooperative Groups"): blocks, tiles of up to 512 threads,
// coalesced groups, the grid, clusters. Synchronization is the instruction sequence that nvcc
// emits, including the grid barrier over the workspace that the runtime announces in envreg1 and
// envreg2.
#ifndef WF_COOPERATIVE_GROUPS_H
#define WF_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#ifdef __CUDACC__
#include "warpfence_cuda/groups_base.h"
#include "warpfence_cuda/groups_tile.h"
#include "warpfence_cuda/groups_wide.h"
#include "warpfence_cuda/groups_grid.h"
#endif

#endif
