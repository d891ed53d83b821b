// SPDX-License-Identifier: Apache-2.0
// The order that the host gave to the work in streams, as checkers see it. Only made under `check`.
//
// Every piece of work (a kernel, a copy, a fill, an allocation in a stream) has a number, ascending over
// the process, and belongs to a stream, which has a dense index. Work Y comes before work X when
// X->before[Y->stream] >= Y->number: by the order of the stream, by events waited for, by the rules of
// the default stream, or because the host waited for Y before it put X. The index of a stream that is gone
// is given to another one only when the host has waited for all of its work.
#ifndef WF_CORE_TASK_H
#define WF_CORE_TASK_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#define WF_CALLS 8
struct wf_calls { // return addresses of the program's own code, innermost first
    uint32_t n;
    void *pc[WF_CALLS];
};

struct wf_task {
    uint32_t stream, n_before;
    uint64_t number;
    const uint64_t *before; // [n_before]; streams beyond that: nothing
    const char *what;       // "cudaMemcpyAsync", or NULL for a kernel; lives as long as the process
    struct wf_calls calls;  // where the host put it
};

static inline bool wf_task_has(const uint64_t *before, uint32_t n, uint32_t stream, uint64_t number)
{
    return stream < n && before[stream] >= number;
}

#endif
