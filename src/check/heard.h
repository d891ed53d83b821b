// SPDX-License-Identifier: Apache-2.0
// Reads that are noted before they reach the cells.
//
// As long as nobody but plain readers has come to some memory since all that was there became ancient, a read can
// race with nothing. It is only noted; the notes go into the cells when somebody comes that is no such reader, and
// are dropped when they too become ancient: a tile that a block fills, reads many times and fills again never
// has its reads in the cells at all.
#ifndef WF_CHECK_HEARD_H
#define WF_CHECK_HEARD_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

struct wf__pattern;
struct wf__pool;
struct wf__heard1 {
    const struct wf__pattern *p; // of the words from the lowest on, NULL: lanes of `mask` side by side
    uint32_t rec, word, mask;    // word: the first one's number
};
struct wf__heard {
    struct wf__heard1 *at;
    uint32_t n, cap;
    bool is_on;
};
#define WF__MOST_HEARD 4096u

// False: there are too many, they have to go into the cells.
bool wf__heard_more(struct wf__heard *h);
static inline bool wf__heard_put(struct wf__heard *h, struct wf__heard1 e)
{
    if (h->n == h->cap && !wf__heard_more(h))
        return false;
    h->at[h->n++] = e;
    return true;
}
// Into the cells; from now on reads go there at once.
void wf__heard_end(struct wf__heard *h, struct wf__pool *p, uint64_t *cell0);

#endif
