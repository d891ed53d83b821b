// SPDX-License-Identifier: Apache-2.0
// Logic, shifts, bit fields and byte permutation (PTX ISA 9.7.8 and parts of 9.7.1). Counts and
// positions are 32-bit values and never taken modulo the width unless the instruction says so.
#include "jit/elem.h"

EMIT(and)
{
    (void)in;
    d[0] = e_and(j, s[0], s[1]);
}

EMIT(or)
{
    (void)in;
    d[0] = e_or(j, s[0], s[1]);
}

EMIT(xor)
{
    (void)in;
    d[0] = e_xor(j, s[0], s[1]);
}

EMIT(not )
{
    (void)in;
    d[0] = e_not(j, s[0]);
}

EMIT(cnot)
{
    (void)in;
    d[0] = e_zext(j, e_eq(j, s[0], e_k(j, 0, s[0])), e_bits(s[0]));
}

// b and c combined by a four-entry truth table: bit (2 * b + c) of `table`.
static jv logic2(struct jit *j, unsigned table, jv b, jv c)
{
    jv zero = e_k(j, 0, b), ones = e_k(j, ~0ull, b);
    switch (table & 15) {
    case 0:
        return zero;
    case 1:
        return e_not(j, e_or(j, b, c));
    case 2:
        return e_and(j, e_not(j, b), c);
    case 3:
        return e_not(j, b);
    case 4:
        return e_and(j, b, e_not(j, c));
    case 5:
        return e_not(j, c);
    case 6:
        return e_xor(j, b, c);
    case 7:
        return e_not(j, e_and(j, b, c));
    case 8:
        return e_and(j, b, c);
    case 9:
        return e_not(j, e_xor(j, b, c));
    case 10:
        return c;
    case 11:
        return e_or(j, e_not(j, b), c);
    case 12:
        return b;
    case 13:
        return e_or(j, b, e_not(j, c));
    case 14:
        return e_or(j, b, c);
    default:
        return ones;
    }
}

EMIT(lop3)
{
    if (!LLVMIsConstant(s[3])) {
        jit_refuse(j, in, "lop3 with a table that is not an immediate");
        return;
    }
    jv lut = e_count(s[3]) ? LLVMGetAggregateElement(s[3], 0) : s[3];
    unsigned table = (unsigned)LLVMConstIntGetZExtValue(lut) & 255;
    jv if_a = logic2(j, table >> 4, s[1], s[2]), if_not = logic2(j, table, s[1], s[2]);
    jv r = e_xor(j, if_not, e_and(j, s[0], e_xor(j, if_a, if_not)));
    d[0] = r;
    if (!PTX_IS(in->m.sub, AND) && !PTX_IS(in->m.sub, OR))
        return;
    jv p = e_ne(j, r, e_k(j, 0, r)); // d|p form: p = (d != 0) op q
    d[1] = PTX_IS(in->m.sub, AND) ? e_and(j, p, s[4]) : e_or(j, p, s[4]);
}

EMIT(shl)
{
    (void)in;
    unsigned bits = e_bits(s[0]);
    jv over = e_uge(j, s[1], e_k(j, bits, s[1]));
    jv r = e_shl(j, s[0], e_fit(j, s[1], bits, false));
    d[0] = e_sel(j, over, e_k(j, 0, s[0]), r);
}

EMIT(shr)
{
    unsigned bits = e_bits(s[0]);
    if (e_is_signed((enum ptx_type)in->type)) {
        jv n = e_intrin2(j, "llvm.umin", s[1], e_k(j, bits - 1, s[1]));
        d[0] = e_ashr(j, s[0], e_fit(j, n, bits, false));
        return;
    }
    jv over = e_uge(j, s[1], e_k(j, bits, s[1]));
    jv r = e_lshr(j, s[0], e_fit(j, s[1], bits, false));
    d[0] = e_sel(j, over, e_k(j, 0, s[0]), r);
}

EMIT(shf)
{
    jv n = s[2];
    bool is_left = e_has(in, PTX_M_L);
    if (e_has(in, PTX_M_WRAP)) {
        d[0] = e_intrin3(j, is_left ? "llvm.fshl" : "llvm.fshr", s[1], s[0], n);
        return;
    }
    // Clamped at 32: the whole other word.
    jv over = e_uge(j, n, e_k(j, 32, n));
    jv r = e_intrin3(j, is_left ? "llvm.fshl" : "llvm.fshr", s[1], s[0], n);
    d[0] = e_sel(j, over, is_left ? s[0] : s[1], r);
}

// v << n or v >> n with n at 32 bits or more counted as "everything out".
static jv shift_out(struct jit *j, jv v, jv n, bool is_left)
{
    unsigned bits = e_bits(v);
    jv w = e_fit(j, n, bits, false);
    jv r = is_left ? e_shl(j, v, w) : e_lshr(j, v, w);
    return e_sel(j, e_uge(j, n, e_k(j, bits, n)), e_k(j, 0, v), r);
}

// Position and length of a bit field: the low byte of the operand, and all of it for 64-bit fields.
static jv field_operand(struct jit *j, jv v, unsigned bits)
{
    return bits == 64 ? v : e_andk(j, v, 255);
}

EMIT(bfe)
{
    unsigned bits = e_bits(s[0]);
    jv pos = field_operand(j, s[1], bits), len = field_operand(j, s[2], bits);
    if (!e_is_signed((enum ptx_type)in->type)) {
        jv mask = e_not(j, shift_out(j, e_k(j, ~0ull, s[0]), len, true));
        d[0] = e_and(j, shift_out(j, s[0], pos, false), mask);
        return;
    }
    // The field is filled up with the bit at min(pos + len - 1, msb); an empty one is 0.
    jv top = e_k(j, bits - 1, pos);
    jv moved = e_ashr(j, s[0], e_fit(j, e_intrin2(j, "llvm.umin", pos, top), bits, false));
    jv room = e_sub(j, e_k(j, bits, len), e_intrin2(j, "llvm.umin", len, e_k(j, bits, len)));
    jv up = e_fit(j, e_intrin2(j, "llvm.umin", room, top), bits, false);
    jv r = e_ashr(j, e_shl(j, moved, up), up);
    d[0] = e_sel(j, e_eq(j, len, e_k(j, 0, len)), e_k(j, 0, r), r);
}

EMIT(bfi)
{
    (void)in;
    jv pos = field_operand(j, s[2], e_bits(s[0])), len = field_operand(j, s[3], e_bits(s[0]));
    jv ones = e_not(j, shift_out(j, e_k(j, ~0ull, s[0]), len, true));
    jv mask = shift_out(j, ones, pos, true), field = shift_out(j, s[0], pos, true);
    d[0] = e_xor(j, s[1], e_and(j, mask, e_xor(j, field, s[1])));
}

static jv count_zeros(struct jit *j, const char *name, jv v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    jv args[2] = {v, LLVMConstInt(j->i1, 0, false)};
    return wf__intrin(j, name, &t, 1, args, 2);
}

EMIT(bfind)
{
    jv v = s[0];
    unsigned bits = e_bits(v);
    if (e_is_signed((enum ptx_type)in->type)) // the highest bit that differs from the sign
        v = e_xor(j, v, e_ashr(j, v, e_k(j, bits - 1, v)));
    jv zeros = e_fit(j, count_zeros(j, "llvm.ctlz", v), 32, false);
    jv none = e_eq(j, v, e_k(j, 0, v));
    jv at = e_has(in, PTX_M_SHIFTAMT) ? zeros : e_sub(j, e_k(j, bits - 1, zeros), zeros);
    d[0] = e_sel(j, none, e_k(j, ~0ull, at), at);
}

EMIT(brev)
{
    (void)in;
    d[0] = e_intrin1(j, "llvm.bitreverse", s[0]);
}

EMIT(clz)
{
    (void)in;
    d[0] = e_fit(j, count_zeros(j, "llvm.ctlz", s[0]), 32, false);
}

EMIT(popc)
{
    (void)in;
    d[0] = e_fit(j, e_intrin1(j, "llvm.ctpop", s[0]), 32, false);
}

EMIT(bmsk)
{
    jv at = s[0], width = s[1];
    if (e_has(in, PTX_M_WRAP)) {
        at = e_andk(j, at, 31);
        width = e_andk(j, width, 31);
    }
    jv ones = e_not(j, shift_out(j, e_k(j, ~0ull, at), width, true));
    d[0] = shift_out(j, ones, at, true);
}

EMIT(szext)
{
    bool sgn = e_is_signed((enum ptx_type)in->type);
    jv n = s[1], zero = e_k(j, 0, n), top = e_k(j, 32, n);
    n = e_has(in, PTX_M_WRAP) ? e_andk(j, n, 31) : e_intrin2(j, "llvm.umin", n, top);
    jv none = e_eq(j, n, zero);
    jv up = e_andk(j, e_sub(j, top, n), 31); // n = 0 is apart, n = 32 moves nothing
    jv high = e_shl(j, s[0], up);
    jv r = sgn ? e_ashr(j, high, up) : e_lshr(j, high, up);
    d[0] = e_sel(j, none, zero, r);
}

EMIT(fns)
{
    (void)in;
    LLVMValueRef args[3] = {s[0], s[1], s[2]};
    d[0] = jit_helper(j, "wf__h_fns", args, 3, 32);
}

// One byte of the eight in `both`, chosen by the low three bits of `pick`, moved to byte `to`.
static jv chosen_byte(struct jit *j, jv both, jv pick, bool with_sign, unsigned to)
{
    jv at = e_zext(j, e_shlk(j, e_andk(j, pick, 7), 3), 64);
    jv byte = e_trunc(j, e_lshr(j, both, at), 32);
    jv low = e_andk(j, byte, 255);
    if (with_sign) {
        jv sign = e_ashr(j, e_shlk(j, byte, 24), e_k(j, 31, byte));
        jv wants = e_ne(j, e_andk(j, pick, 8), e_k(j, 0, pick));
        low = e_sel(j, wants, e_andk(j, sign, 255), low);
    }
    return e_shlk(j, low, 8 * to);
}

// Selector nibble of byte i in the special modes, as a function of the two low bits n of the
// control.
static jv mode_pick(struct jit *j, const struct ir_insn *in, jv n, unsigned i)
{
    jv k = e_k(j, i, n);
    if (e_has(in, PTX_M_F4E))
        return e_add(j, n, k);
    if (e_has(in, PTX_M_B4E))
        return e_andk(j, e_sub(j, n, k), 7);
    if (e_has(in, PTX_M_RC8))
        return n;
    if (e_has(in, PTX_M_ECL))
        return e_intrin2(j, "llvm.umax", n, k);
    if (e_has(in, PTX_M_ECR))
        return e_intrin2(j, "llvm.umin", n, k);
    return e_add(j, e_shlk(j, e_andk(j, n, 1), 1), e_k(j, i & 1, n)); // rc16
}

EMIT(prmt)
{
    bool is_plain = !(e_has(in, PTX_M_F4E) || e_has(in, PTX_M_B4E) || e_has(in, PTX_M_RC8) ||
                      e_has(in, PTX_M_ECL) || e_has(in, PTX_M_ECR) || e_has(in, PTX_M_RC16));
    jv both = e_or(j, e_zext(j, s[0], 64), e_shlk(j, e_zext(j, s[1], 64), 32));
    jv low = e_andk(j, s[2], 3), r = e_k(j, 0, s[0]);
    for (unsigned i = 0; i < 4; i++) {
        jv pick = is_plain ? e_andk(j, e_lshrk(j, s[2], 4 * i), 15) : mode_pick(j, in, low, i);
        r = e_or(j, r, chosen_byte(j, both, pick, is_plain, i));
    }
    d[0] = r;
}
