// SPDX-License-Identifier: Apache-2.0
// See site.h.
#include "check/site.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h" // wf_xrealloc

struct wf__site *wf__sites;
uint32_t wf__n_sites;

static uint8_t what_of(const struct wf_site *s)
{
    uint32_t size = (uint32_t)s->bytes * s->elements;
    if (s->is_atomic || s->is_volatile || s->order != WF_ORD_WEAK || s->is_cas_guess ||
        size > 16 || !size || size & (size - 1))
        return WF__SITE_OTHER;
    return s->is_write || s->used_bytes << (32 - size) == UINT32_MAX << (32 - size) ? WF__SITE_PLAIN
                                                                                    : WF__SITE_OTHER;
}

struct wf__site *wf__site_make(const struct wf_site *s)
{
    if (s->id >= wf__n_sites) {
        uint32_t n = (s->id | 1023) + 1;
        wf__sites = wf_xrealloc(wf__sites, n * sizeof *wf__sites);
        memset(wf__sites + wf__n_sites, 0, (n - wf__n_sites) * sizeof *wf__sites);
        wf__n_sites = n;
    }
    struct wf__site *t = &wf__sites[s->id];
    if (t->what == WF__SITE_UNKNOWN)
        t->what = what_of(s);
    return t;
}

void wf__site_fini(void)
{
    free(wf__sites);
    wf__sites = NULL;
    wf__n_sites = 0;
}
