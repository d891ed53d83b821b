// SPDX-License-Identifier: Apache-2.0
// See site.h.
#include "check/site.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h" // wf_xrealloc

static struct wf__site *sites;
static uint32_t n_sites;

static uint8_t what_of(const struct wf_site *s)
{
    uint32_t size = (uint32_t)s->bytes * s->elements;
    if (s->is_atomic || s->is_volatile || s->order != WF_ORD_WEAK || s->is_cas_guess ||
        size > 16 || !size || size & (size - 1))
        return WF__SITE_OTHER;
    return s->is_write || s->used_bytes << (32 - size) == UINT32_MAX << (32 - size) ? WF__SITE_PLAIN
                                                                                    : WF__SITE_OTHER;
}

struct wf__site *wf__site_get(const struct wf_site *s)
{
    if (s->id >= n_sites) {
        uint32_t n = (s->id | 1023) + 1;
        sites = wf_xrealloc(sites, n * sizeof *sites);
        memset(sites + n_sites, 0, (n - n_sites) * sizeof *sites);
        n_sites = n;
    }
    struct wf__site *t = &sites[s->id];
    if (t->what == WF__SITE_UNKNOWN)
        t->what = what_of(s);
    return t;
}

void wf__site_fini(void)
{
    free(sites);
    sites = NULL;
    n_sites = 0;
}
