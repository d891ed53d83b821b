// SPDX-License-Identifier: Apache-2.0
// The `.approx` functions of approx.c that other family files finish (flushing, saturation). Sources are
// integers, flushed already when the instruction says .ftz; so are results, NaN in its canonical form.
#ifndef WF_JIT_APPROX_H
#define WF_JIT_APPROX_H

#include "jit/elem.h" // jv

jv wf__approx_div(struct jit *j, jv a, jv b, bool is_full);
jv wf__approx_rcp(struct jit *j, jv v);  // f32, or f64 (rcp.approx.ftz.f64)
jv wf__approx_sqrt(struct jit *j, jv v); // f32
jv wf__approx_ex2(struct jit *j, jv f);  // float in, float out; also for the half forms
jv wf__approx_tanh(struct jit *j, jv f); // the same

#endif
