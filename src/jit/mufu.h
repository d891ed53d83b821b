// SPDX-License-Identifier: Apache-2.0
// The GPU's function unit, bit for bit, for the `.approx` instructions. Values are integer bits of
// f32 (the two double forms: upper words). Denormal sources count as zero and denormal results
// become zero, except for tanh; a caller that wants them scales before and after.
#ifndef WF_JIT_MUFU_H
#define WF_JIT_MUFU_H

#include "jit/elem.h" // jv

jv wf__mufu_rcp(struct jit *j, jv v);
jv wf__mufu_rsqrt(struct jit *j, jv v);
jv wf__mufu_sqrt(struct jit *j, jv v);
jv wf__mufu_ex2(struct jit *j, jv v, bool for_half); // for_half: as the f16 and bf16 forms want it
jv wf__mufu_lg2(struct jit *j, jv v);
jv wf__mufu_sin(struct jit *j, jv turns, bool is_cos); // of 2 pi times the source
jv wf__mufu_tanh(struct jit *j, jv v);
jv wf__mufu_rcp64h(struct jit *j, jv high); // upper word of a double to that of its reciprocal
jv wf__mufu_rsqrt64h(struct jit *j, jv high);

#endif
