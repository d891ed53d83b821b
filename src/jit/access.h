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
    LLVMValueRef no_wrap;    // WAFF: i1, lane addresses really are lane0 + stride * lane; NULL: always
    LLVMValueRef vec;        // VEC: <32 x i64>
    LLVMValueRef mask;
    LLVMValueRef data[8];    // result of a load, or what is stored, in 32 lanes (or scalars when uniform)
    bool data_uniform;
    uint8_t space;           // GLOBAL, SHARED, LOCAL, GENERIC
};

// addr.c
void jit__acc_address(struct jit *j, struct jit_acc *a); // fills space, shape and the address
LLVMValueRef jit__acc_lanes(struct jit *j, struct jit_acc *a); // <32 x i64> of any shape
LLVMValueRef jit__acc_base(struct jit *j, const struct jit_acc *a);
LLVMValueRef jit__acc_in_range(struct jit *j, struct jit_acc *a); // i1: by a plain access?
LLVMValueRef jit__first_lane(struct jit *j, LLVMValueRef mask); // i64
LLVMValueRef jit__last_lane(struct jit *j, LLVMValueRef mask);
LLVMValueRef jit__add64(struct jit *j, LLVMValueRef a, int64_t k);
// local.c: false when the words' place is not known
bool jit__acc_local(struct jit *j, struct jit_acc *a);
// Of a computed place: i1, all lanes' words lie in the fixed part, for jit__acc_local_words. NULL: no such form.
LLVMValueRef jit__acc_local_fits(struct jit *j, struct jit_acc *a);
void jit__acc_local_words(struct jit *j, struct jit_acc *a);

#endif
