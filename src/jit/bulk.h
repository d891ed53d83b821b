// SPDX-License-Identifier: Apache-2.0
// How compiled code tells wf_x_bulk the operation. The operands, 64 bits a lane, stand in the places of
// ir/build_wide.h.
#ifndef WF_JIT_BULK_H
#define WF_JIT_BULK_H

enum wf_bulk_what {
    WF_BULK_NOTHING, // prefetch
    WF_BULK_COMMIT,
    WF_BULK_WAIT,
    WF_BULK_WAIT_READ,
    WF_BULK_COPY,
    WF_BULK_REDUCE,
    WF_BULK_TENSOR_LOAD,
    WF_BULK_TENSOR_STORE,
    WF_BULK_TENSOR_REDUCE,
    WF_BULK_STORE, // st.async
    WF_BULK_RED,   // red.async
};

// Fields of the code: place of the first bit.
#define WF_BULK_DST_SPACE 4 // 4 bits: enum ptx_space
#define WF_BULK_SRC_SPACE 8
#define WF_BULK_SUB 12      // 16 bits: ptx_mods.sub
#define WF_BULK_TYPE 28     // 8 bits
#define WF_BULK_COUNT 36    // 4 bits: elements of a store, dimensions of a tensor
#define WF_BULK_MULTICAST 40
#define WF_BULK_MASKED 41   // bytes by a mask
#define WF_BULK_HAS_MBAR 42

#endif
