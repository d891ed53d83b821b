// SPDX-License-Identifier: Apache-2.0
// One load or store on its way through the emitters (addr.c, ldst.c, local.c).
#ifndef WF_JIT_ACCESS_H
#define WF_JIT_ACCESS_H

#include "jit/jit_int.h" // struct jit

struct jit_acc { // one access being emitted
    const struct ir_insn *in;
    bool is_store;
    unsigned bytes, bits, n; // of an element; elements
    unsigned shape;          // of the address: enum ir_shape
    int64_t stride;          // AFF and WAFF: bytes from lane to lane
    LLVMValueRef lane0;      // UNI, AFF, WAFF: i64 address of lane 0 (program-visible, or offset)
    bool is_wide;            // the address has 64 bits: in shared memory, too, it may be anything
    LLVMValueRef no_wrap;    // WAFF: i1, lane addresses really are lane0 + stride * lane; NULL: always
    LLVMValueRef vec;        // VEC: <32 x i64>
    LLVMValueRef mask;
    LLVMValueRef base;       // shared memory, after the check: lane 0's offset such that lanes lie at base + stride * lane
    uint64_t extra;          // as many bytes behind each access are asked for as well
    bool has_row_step;       // VEC, and the halves of the warp lie at start[half] + row_step * (lane in the half)
    int64_t row_step;
    LLVMValueRef start[2];   // i64
    LLVMValueRef at[2];      // after the check, where it was made before: the engine's pointers to lane 0, or to both starts
    LLVMValueRef data[8];    // result of a load, or what is stored, in 32 lanes (or scalars when uniform)
    bool data_uniform;
    uint8_t space;           // GLOBAL, SHARED, LOCAL, GENERIC
};

// addr.c
void jit__acc_address(struct jit *j, struct jit_acc *a); // fills space, shape and the address
LLVMValueRef jit__acc_lanes(struct jit *j, struct jit_acc *a); // <32 x i64> of any shape
LLVMValueRef jit__acc_base(struct jit *j, const struct jit_acc *a);
void jit__acc_check(struct jit *j, struct jit_acc *a, LLVMBasicBlockRef far); // goes on where a plain access will do
LLVMValueRef jit__first_lane(struct jit *j, LLVMValueRef mask); // i64
LLVMValueRef jit__last_lane(struct jit *j, LLVMValueRef mask);
LLVMValueRef jit__add64(struct jit *j, LLVMValueRef a, int64_t k);
// trust.c
bool jit__is_trusted(struct jit *j, struct jit_acc *a);
// far.c
void jit__acc_slow(struct jit *j, struct jit_acc *a); // lane by lane
// ldst.c
LLVMValueRef jit__acc_pointer(struct jit *j, const struct jit_acc *a, LLVMValueRef place); // place: address or offset, i64
// halfwarp.c
LLVMValueRef jit__rows_in_range(struct jit *j, struct jit_acc *a);
bool jit__rows_move(struct jit *j, struct jit_acc *a); // false: no better way than lane by lane
// local.c: false when the words' place is not known
bool jit__acc_local(struct jit *j, struct jit_acc *a);
// Of a computed place: i1, all lanes' words lie in the fixed part, for jit__acc_local_words. NULL: no such form.
LLVMValueRef jit__acc_local_fits(struct jit *j, struct jit_acc *a);
void jit__acc_local_words(struct jit *j, struct jit_acc *a);

#endif
