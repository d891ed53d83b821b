// SPDX-License-Identifier: Apache-2.0
// A function for every row of api.def that is not done, so that each program links and starts, and is told
// what it lacks when it calls it. All are declared without parameters, which the calling convention allows
// a function that reads none.
#include "cuda/priv.h"

#define STUB(name)                                                                                 \
    WF_EXPORT CUresult name(void);                                                                 \
    WF_EXPORT CUresult name(void)                                                                  \
    {                                                                                              \
        return (CUresult)wf__unsupported(#name);                                                   \
    }
#define DONE(name)

#define WF_API(symbol, base, since, form, state) state(symbol)
#include "cuda/api.def"
#undef WF_API
