// SPDX-License-Identifier: Apache-2.0
// The order that the host gave to the work in streams, as checkers see it. Only made under `check`.
//
// Every piece of work (a kernel, a copy, a fill, an allocation in a stream) has a number, ascending over
// the process, and belongs to a stream, which has a dense index. Work Y comes before work X when
// X->before[Y->stream] >= Y->number: by the order of the stream, by events waited for, by the rules of
// the default stream, or because the host waited for Y before it put X. The index of a stream that is gone
// is given to another one only when the host has waited for all of its work.
//
// The host is several threads. What stands above holds for what the thread that puts X knows: what it has
// waited for itself, and what others had when they last told it, by a join, a mutex, a condition variable.
// Besides, X's thread must know that Y was put at all: X->seen[Y->agent] >= Y->put. What the host as a whole
// has waited for, whichever thread, stands in X->any: where that alone orders Y and X, luck did, or a way of
// telling that is not seen, such as an atomic.
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
    uint64_t put; // number, or that of the graph launch that it is a part of
    uint32_t agent, n_seen; // the thread that put it
    const uint64_t *before; // [n_before]; streams beyond that: nothing
    const uint64_t *any;    // [n_before]; NULL: as before
    const uint64_t *seen;   // [n_seen]; NULL: all
    bool has_company;       // streams or threads live whose work may be beside this one's
    const char *what;       // "cudaMemcpyAsync", or NULL for a kernel; lives as long as the process
    struct wf_calls calls;  // where the host put it
};

static inline bool wf_task_has(const uint64_t *before, uint32_t n, uint32_t stream, uint64_t number)
{
    return stream < n && before[stream] >= number;
}

// Is it known to X's thread that this was put?
static inline bool wf_task_sees(const struct wf_task *x, uint32_t agent, uint64_t put)
{
    return !x->seen || (agent < x->n_seen && x->seen[agent] >= put);
}

// What the host has waited for.
struct wf_host_view {
    const uint64_t *any; // whichever thread did
    uint32_t n;
    bool is_many; // more than one thread; else the rest means nothing
    uint32_t n_all, n_all_seen;
    const uint64_t *all;      // each of its threads knows of
    const uint64_t *all_seen; // likewise, what was put
};

#endif
