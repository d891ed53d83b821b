// SPDX-License-Identifier: Apache-2.0
// Video instructions (PTX ISA 9.7.18): vabsdiff4, the one that CUDA's own headers use.
#include "jit/elem.h"

// Byte i of every 32-bit lane, widened by its type.
static jv byte_of(struct jit *j, jv v, unsigned i, bool sgn)
{
    jv up = e_shlk(j, v, 24 - 8 * i), n = e_k(j, 24, v);
    return sgn ? e_ashr(j, up, n) : e_lshr(j, up, n);
}

EMIT(vabsdiff4)
{
    bool sd = e_is_signed((enum ptx_type)in->m.type[0]),
         sa = e_is_signed((enum ptx_type)in->m.type[1]);
    bool sb = e_is_signed((enum ptx_type)in->m.type[2]), adds = PTX_IS(in->m.sub, ADD);
    jv r = adds ? s[2] : e_k(j, 0, s[0]);
    for (unsigned i = 0; i < 4; i++) {
        jv a = byte_of(j, s[0], i, sa), b = byte_of(j, s[1], i, sb);
        jv gap = e_sel(j, e_slt(j, a, b), e_sub(j, b, a), e_sub(j, a, b));
        if (adds) {
            r = e_add(j, r, gap);
            continue;
        }
        if (e_has(in, PTX_M_SAT)) // gap is in [0, 383]
            gap = e_intrin2(j, "llvm.umin", gap, e_k(j, sd ? 127 : 255, gap));
        r = e_or(j, r, e_shlk(j, e_andk(j, gap, 255), 8 * i));
    }
    d[0] = r;
}
