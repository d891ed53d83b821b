// SPDX-License-Identifier: Apache-2.0
// Making tensor maps (cuTensorMapEncodeTiled). The numbers are those of the driver API.
#ifndef WF_RT_TENSORMAP_H
#define WF_RT_TENSORMAP_H

#include <stdint.h> // uint64_t

#include "base/err.h" // enum wf_status

// Fills the 128 bytes at map, which lie on 64. WF_E_USAGE: an argument is out of what the API allows;
// WF_E_UNSUPPORTED: a kind of map that is not modelled. err says which argument, and may be NULL.
enum wf_status wf_tensormap_tiled(void *map, int type, uint32_t rank, uint64_t address, const uint64_t *size,
                                  const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
                                  int swizzle, int l2_promotion, int fill, struct wf_err *err);
// cuTensorMapReplaceAddress: another tensor of the same shape.
enum wf_status wf_tensormap_move(void *map, uint64_t address, struct wf_err *err);

#endif
