// SPDX-License-Identifier: Apache-2.0
// Barriers that ordered nothing: a barrier counts as needed when at least one of its instances was
// the only one between two conflicting accesses of different threads. Whatever a barrier may do for
// a fence or a flag beside it counts as needed too.
//
// This checker makes the race checker keep what is older than a barrier, which costs time: it is
// off by default. What it says holds for the run made; taking one of the barriers away is for the
// user (or `check --fix`) to try, one at a time.
#include <inttypes.h> // PRIu64
#include <stdio.h>    // snprintf
#include <stdlib.h>   // free

#include "base/vec.h"     // WF_VEC
#include "check/advice.h" // wf__redundant_used
#include "core/finding.h" // wf_finding_add

#define KEPT 256u // newest barriers of a block

struct site { // a static barrier
    const struct wf_site *site;
    uint64_t instances;
    bool is_needed;
};
struct wf__bar {
    uint32_t time; // accesses up to this epoch came before it
    uint32_t site; // index
};
static WF_VEC(struct site) sites;

static uint32_t site_of(const struct wf_site *s)
{
    for (size_t i = 0; i < sites.n; i++)
        if (sites.at[i].site == s)
            return (uint32_t)i;
    WF_PUSH(&sites, (struct site){.site = s});
    return (uint32_t)(sites.n - 1);
}

void wf__redundant_barrier(struct wf__block *b, const struct wf_site *s, bool full)
{
    uint32_t i = site_of(s);
    sites.at[i].instances++;
    if (!full || b->next_bar_needed)
        sites.at[i].is_needed = true;
    b->next_bar_needed = false;
    if (!b->bar)
        b->bar = wf_xcalloc(KEPT, sizeof *b->bar);
    b->bar[b->n_bar++ % KEPT] = (struct wf__bar){b->full_base, i};
}

void wf__redundant_used(struct wf__warp *w, uint32_t lane, const struct wf__rec *r, uint32_t other)
{
    struct wf__block *b = w->block;
    if ((r->warp == w->index && other == lane && r->kind == WF__ACC) || !b->n_bar)
        return;
    const struct wf__bar *last = &b->bar[(b->n_bar - 1) % KEPT];
    const struct wf__bar *before = b->n_bar > 1 ? &b->bar[(b->n_bar - 2) % KEPT] : NULL;
    if (last->time >= r->epoch && (!before || before->time < r->epoch))
        sites.at[last->site].is_needed = true;
}

void wf__redundant_sync(struct wf__block *b)
{
    if (b->n_bar)
        sites.at[b->bar[(b->n_bar - 1) % KEPT].site].is_needed = true;
    b->next_bar_needed = true;
}

void wf__redundant_grid_end(const struct wf__grid *g)
{
    for (size_t i = 0; i < sites.n; i++) {
        const struct site *s = &sites.at[i];
        if (s->is_needed || !s->instances)
            continue;
        struct wf_finding f =
            wf_finding_make(WF_F_BARRIER_REDUNDANT, s->site->kernel, g->ev->launch->id);
        struct wf_party *a = wf_finding_party(&f, WF_PARTY_ACCESS, s->site->loc);
        snprintf(a->op, sizeof a->op, "%s", s->site->what);
        snprintf(f.sentence, sizeof f.sentence,
                 "This barrier was passed %" PRIu64
                 " times and alone ordered no two accesses of different "
                 "threads.",
                 s->instances);
        snprintf(
            f.why, sizeof f.why,
            "no location was used by one thread before it and by another after it, with a write "
            "among the two and no other barrier between");
        snprintf(f.fix, sizeof f.fix, "it may be left out, if other inputs do not need it");
        wf_finding_add(&f);
    }
    sites.n = 0;
}

void wf__redundant_fini(void)
{
    WF_VEC_FINI(&sites);
}
