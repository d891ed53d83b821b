// SPDX-License-Identifier: Apache-2.0
// Tensor maps: what a CUtensorMap of this runtime holds, and the copies between a tensor in global memory and a
// box of it in shared memory. The layout is our own; NVIDIA's is not published, and a map never leaves the
// process. Elements lie in the box with dimension 0 innermost; what a load reads outside the tensor is zero (or
// NaN), what a store has outside is left out.
#ifndef WF_EXEC_TMAP_H
#define WF_EXEC_TMAP_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#define WF_TMAP_MAGIC UINT32_C(0x70616d74)
#define WF_TMAP_DIMS 5

// Numbers of the driver API (CUtensorMapDataType, CUtensorMapSwizzle).
enum { WF_TMAP_U8, WF_TMAP_U16, WF_TMAP_U32, WF_TMAP_S32, WF_TMAP_U64, WF_TMAP_S64, WF_TMAP_F16, WF_TMAP_F32, WF_TMAP_F64,
       WF_TMAP_BF16, WF_TMAP_F32_FTZ, WF_TMAP_TF32, WF_TMAP_TF32_FTZ, WF_TMAP_TYPES };
enum { WF_TMAP_SWIZZLE_NONE, WF_TMAP_SWIZZLE_32B, WF_TMAP_SWIZZLE_64B, WF_TMAP_SWIZZLE_128B, WF_TMAP_SWIZZLES };

struct wf_tmap { // in the 128 bytes of a CUtensorMap
    uint32_t magic;
    uint8_t type, elem_bytes, rank, swizzle, fills_nan, unused[3];
    uint16_t box[WF_TMAP_DIMS];
    uint8_t step[WF_TMAP_DIMS], unused2; // every so manieth element of the tensor
    uint32_t last[WF_TMAP_DIMS];         // size - 1
    uint64_t base;
    uint64_t stride[WF_TMAP_DIMS]; // bytes; [0]: of an element
    uint8_t unused3[32];
};
_Static_assert(sizeof(struct wf_tmap) == 128, "a CUtensorMap has 128 bytes");

// Elements of the box along a dimension, after stepping; bytes of the whole box.
uint32_t wf_tmap_count(const struct wf_tmap *t, unsigned d);
uint64_t wf_tmap_box_bytes(const struct wf_tmap *t);
unsigned wf_tmap_type_bytes(unsigned type); // 0: no type that is known

// A run of bytes of one row of the box that lies in the tensor.
struct wf_tmap_run {
    uint64_t global; // address of the first byte
    uint32_t box;    // offset in the box, before swizzling
    uint32_t bytes;
};
// Calls fn for every run of the box at `coord`; false when fn said false.
bool wf_tmap_each(const struct wf_tmap *t, const int32_t *coord, bool (*fn)(void *arg, const struct wf_tmap_run *run),
                  void *arg);
// Where a byte of the box lies: shared address of the box, offset in it.
uint32_t wf_tmap_place(const struct wf_tmap *t, uint32_t shared, uint32_t offset);
// The value that fills what is outside: writes elements over n bytes.
void wf_tmap_fill(const struct wf_tmap *t, uint8_t *to, uint64_t n);

#endif
