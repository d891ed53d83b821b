// SPDX-License-Identifier: Apache-2.0
// What the files of asynchronous operations share: mbarriers (mbar.c), cp.async (async.c), bulk copies (bulk.c).
#ifndef WF_EXEC_ASYNC_H
#define WF_EXEC_ASYNC_H

#include "exec/memory.h"

// The operation as jit/async.c encodes it.
enum { F_BULK, F_COMMIT, F_WAIT_GROUP, F_WAIT_ALL, F_READ, F_MBARRIER, F_NOINC, F_INIT, F_INVAL, F_ARRIVE, F_DROP,
       F_EXPECT_TX, F_COMPLETE_TX, F_NOCOMPLETE, F_TEST_WAIT, F_TRY_WAIT, F_PARITY, F_PENDING, F_RELAXED, F_TENSOR,
       F_REDUCE, F_TX_BYTES, F_BULK_GROUP, F_PREFETCH };

struct mbar {
    uint64_t phase;
    uint32_t expected, pending;
    int64_t tx; // bytes of asynchronous operations still to come
    const struct wf_site *init; // where it was made
};

struct async_call {
    struct wf_warp *w;
    const struct wf_site *s;
    uint32_t site;
    uint64_t code;
    const uint64_t *const *arg;
    unsigned n;
};

static inline bool async_is(const struct async_call *c, unsigned f)
{
    return c->code >> f & 1;
}

// ---- mbar.c ----
// Whose shared memory an address of a space is: the block, its rank and the offset.
struct cta *exec__shared_owner(struct wf_warp *w, uint64_t addr, unsigned space, uint64_t *off, uint32_t *rank);
struct mbar *exec__mbar_find(struct cta *own, uint64_t off);
uint64_t exec__mbarrier(const struct async_call *c, unsigned lane);
void exec__mbar_bad(struct wf_warp *w, const struct wf_site *s, unsigned lane, const char *sentence);
void exec__mbar_none(struct wf_warp *w, const struct wf_site *s, unsigned lane, const char *what); // ends the launch
void exec__mbar_try(struct cta *own, struct mbar *m); // completes the phase if nothing is missing
void exec__mbar_told(const struct async_call *c, unsigned lane, uint32_t rank, uint64_t off, uint64_t phase);
// ---- bulk.c ----
// Makes the copies under way that complete on the mbarrier at `off` of block `own`; all that w's block issued.
void exec__bulk_arrive(struct wf_warp *w, struct cta *own, uint64_t off);
void exec__bulk_finish(struct cta *c);

#endif
