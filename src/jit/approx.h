// SPDX-License-Identifier: Apache-2.0
// The `.approx` functions of approx.c that other family files finish (flushing, saturation).
// Sources are integers, flushed already when the instruction says .ftz; so are results, NaN in its
// canonical form.
#ifndef WF_JIT_APPROX_H
#define WF_JIT_APPROX_H

#include "jit/elem.h" // jv

// Division is *a times the result: both operands are scaled to where the reciprocal is good.
jv wf__approx_divisor(struct jit *j, const struct ir_insn *in, jv *a, jv b);
jv wf__approx_rcp(struct jit *j, const struct ir_insn *in, jv v); // f32, or rcp.approx.ftz.f64
jv wf__approx_sqrt(struct jit *j, const struct ir_insn *in, jv v);

#endif
