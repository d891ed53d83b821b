// SPDX-License-Identifier: Apache-2.0
// What the calls about graphs share with those about copies.
#ifndef WF_CUDA_GRAPH_H
#define WF_CUDA_GRAPH_H

#include "cuda/priv.h"
#include "rt/graph.h" // struct wf_rt_node

// INVALID_VALUE when the description makes no sense.
enum wf_cu wf__cuda_copy(const struct abi_copy_3d *c, struct wf_rt_copy *out);

#endif
