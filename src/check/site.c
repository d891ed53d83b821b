// SPDX-License-Identifier: Apache-2.0
// See site.h.
#include "check/site.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h" // wf_xrealloc
#include "base/map.h"   // wf_map_get

struct wf__site *wf__sites;
uint32_t wf__n_sites;
static struct wf_map loads; // line, column and size -> the first one

static uint8_t what_of(const struct wf_site *s)
{
    uint32_t size = (uint32_t)s->bytes * s->elements;
    if (s->is_atomic || s->is_volatile || s->order != WF_ORD_WEAK || s->is_cas_guess ||
        size > 16 || !size || size & (size - 1))
        return WF__SITE_OTHER;
    return s->is_write || s->used_bytes << (32 - size) == UINT32_MAX << (32 - size) ? WF__SITE_PLAIN
                                                                                    : WF__SITE_OTHER;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_loc(const struct wf_loc *a, const struct wf_loc *b)
{
    for (; a && b; a = a->inlined, b = b->inlined)
        if (a->line != b->line || a->col != b->col || !same_text(a->file, b->file))
            return false;
    return !a && !b;
}

// Two plain loads that a report cannot tell apart.
static bool alike(const struct wf_site *a, const struct wf_site *b)
{
    return a->bytes == b->bytes && a->elements == b->elements && a->is_nc == b->is_nc && a->is_poll == b->is_poll &&
           a->scope == b->scope && same_text(a->kernel, b->kernel) && same_text(a->what, b->what) &&
           same_loc(a->loc, b->loc);
}

static const struct wf_site *stands_for(const struct wf_site *s)
{
    if (wf__sites[s->id].what != WF__SITE_PLAIN || s->is_write || !s->loc || !s->loc->file)
        return s;
    uint64_t key = ((uint64_t)s->loc->line << 32 ^ (uint64_t)s->loc->col << 16 ^ s->bytes * s->elements) + 1;
    const struct wf_site *known = wf_map_get(&loads, key);
    if (known)
        return alike(known, s) ? known : s;
    wf_map_put(&loads, key, (void *)(uintptr_t)s);
    return s;
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
    if (t->what == WF__SITE_UNKNOWN) {
        t->what = what_of(s);
        t->as = stands_for(s);
    }
    return t;
}

void wf__site_fini(void)
{
    wf_map_fini(&loads);
    loads = (struct wf_map){0};
    free(wf__sites);
    wf__sites = NULL;
    wf__n_sites = 0;
}
