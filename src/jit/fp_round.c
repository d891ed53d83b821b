// SPDX-License-Identifier: Apache-2.0
// Roundings other than nearest even, by C helpers that set the processor's rounding mode
// (helper_round.c); and the "round to odd" steps that make a second rounding harmless.
#include "jit/elem.h"

#include <stdio.h> // snprintf

jv wf__rounded(struct jit *j, const struct ir_insn *in, const char *name, jv *s, unsigned n)
{
    unsigned bits = e_bits(s[0]);
    char fn[40];
    snprintf(fn, sizeof fn, "wf__h_%s_f%u_r%c", name, bits, wf__rounding(in->m.rnd));
    if (in->type != PTX_T_F32X2)
        return jit_helper(j, fn, s, n, bits);
    jv part[2]; // pairs: first all low halves, then all high ones
    for (unsigned h = 0; h < 2; h++) {
        jv x[3];
        for (unsigned i = 0; i < n; i++)
            x[i] = e_trunc(j, e_lshrk(j, wf__repack(j, s[i], 64), 32 * h), 32);
        part[h] = e_zext(j, jit_helper(j, fn, x, n, bits), 64);
    }
    return wf__unpack(j, e_or(j, part[0], e_shlk(j, part[1], 32)), 32);
}

// `near` is the nearest value to an exact one, `error` = exact - near as a floating value of its
// width: truncates toward zero where needed and sets the last bit when the error is not zero.
static jv to_odd(struct jit *j, jv near, jv error)
{
    jv i = e_i(j, near), zero = wf__fkonst(j, 0.0, error), one = e_k(j, 1, i);
    jv lost = e_fcmp(j, LLVMRealONE, error, zero);
    // Rounded away from zero when the error points toward it.
    jv differ = e_xor(j, i, e_i(j, error));
    jv away = e_and(j, lost, e_slt(j, differ, e_k(j, 0, i)));
    i = e_sub(j, i, e_sel(j, away, one, e_k(j, 0, i)));
    return e_f(j, e_or(j, i, e_sel(j, lost, one, e_k(j, 0, i))));
}

jv wf__add_odd(struct jit *j, jv x, jv y)
{
    jv sum = e_fadd(j, x, y);
    jv back = e_fsub(j, sum, x); // the error-free sum of Knuth: exact error, any order
    jv error = e_fadd(j, e_fsub(j, x, e_fsub(j, sum, back)), e_fsub(j, y, back));
    // Infinities and NaN leave NaN in the error, which compares as "nothing lost".
    return to_odd(j, sum, error);
}

jv wf__f64_to_f32_odd(struct jit *j, jv f)
{
    jv near = e_ftrunc(j, f, 32);
    jv wide = e_fext(j, near, 64);
    jv i = e_i(j, near), one = e_k(j, 1, i), none = e_k(j, 0, i);
    jv lost = e_fcmp(j, LLVMRealONE, wide, f);
    jv mag_near = e_intrin1(j, "llvm.fabs", wide), mag = e_intrin1(j, "llvm.fabs", f);
    jv away = e_fcmp(j, LLVMRealOGT, mag_near, mag); // also an overflow to infinity
    i = e_sub(j, i, e_sel(j, away, one, none));
    return e_f(j, e_or(j, i, e_sel(j, lost, one, none)));
}
