// SPDX-License-Identifier: Apache-2.0
// A function for every row of api.def that is not done, so that each program links and starts, and
// is told what it lacks when it calls it. Compiled once for each library: WF_CUDART is 12 or 13.
// All are declared without parameters, which the calling convention allows a function that reads
// none.
#include "cudart/priv.h"

#define MAKE(name)                                                                                 \
    WF_EXPORT cudaError_t name(void);                                                              \
    WF_EXPORT cudaError_t name(void)                                                               \
    {                                                                                              \
        return (cudaError_t)wf_rt_result(wf__unsupported(#name));                                  \
    }
#define STUB_BOTH(name) MAKE(name)
#if WF_CUDART == 13
#define STUB_ONLY12(name)
#define STUB_ONLY13(name) MAKE(name)
#else
#define STUB_ONLY12(name) MAKE(name)
#define STUB_ONLY13(name)
#endif
#define DONE_BOTH(name)
#define DONE_ONLY12(name)
#define DONE_ONLY13(name)

#define WF_API(name, versions, state) state##_##versions(name)
#include "cudart/api.def"
#undef WF_API
