// SPDX-License-Identifier: Apache-2.0
// Copies and fills, in one to three dimensions. Host memory that is not pinned is handled as CUDA
// says it is: a copy from it has read it before the call returns, a copy to it is complete then.
#ifndef WF_RT_COPY_H
#define WF_RT_COPY_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

enum wf_rt_copy_kind { // CUDA's numbers
    WF_RT_HOST_TO_HOST,
    WF_RT_HOST_TO_DEVICE,
    WF_RT_DEVICE_TO_HOST,
    WF_RT_DEVICE_TO_DEVICE,
    WF_RT_COPY_DEFAULT
};

// A box of bytes: `width` bytes in each of `height` rows of each of `depth` slices.
struct wf_rt_box {
    uint64_t addr, pitch, slice; // pitch: from row to row, slice: from slice to slice
};
struct wf_rt_copy {
    struct wf_rt_box dst, src;
    uint64_t width, height, depth;
    int kind;
    bool is_async; // the call with Async in its name
};

enum wf_cu wf_rt_copy(const struct wf_rt_copy *c, uint64_t stream);
enum wf_cu wf_rt_copy_linear(uint64_t dst, uint64_t src, uint64_t bytes, int kind, bool is_async,
                             uint64_t stream);
// Fills with a value of `value_bytes` (1, 2 or 4).
enum wf_cu wf_rt_fill(const struct wf_rt_box *dst, uint64_t width, uint64_t height, uint64_t depth,
                      uint32_t value, uint32_t value_bytes, bool is_async, uint64_t stream);

#endif
