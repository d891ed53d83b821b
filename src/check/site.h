// SPDX-License-Identifier: Apache-2.0
// What the checkers remember of an instruction.
#ifndef WF_CHECK_SITE_H
#define WF_CHECK_SITE_H

#include <stdint.h> // uint8_t

#include "core/event.h" // struct wf_site

enum { WF__SITE_UNKNOWN, WF__SITE_OTHER, WF__SITE_PLAIN };
struct wf__pattern;
struct wf__site {
    uint8_t what;    // plain: weak, not volatile, all of its 1 to 16 bytes matter
    uint64_t last;   // where it was in memory before: whole.c
    uint32_t misses; // shapes in a row that were not known: pattern.c
    const struct wf__pattern *pattern[2]; // seen last
    const struct wf_site *as; // that stands for it in records: copies of one load that a loop was unrolled into
};

extern struct wf__site *wf__sites; // by number
extern uint32_t wf__n_sites;
struct wf__site *wf__site_make(const struct wf_site *s);
void wf__site_fini(void);

static inline struct wf__site *wf__site_get(const struct wf_site *s)
{
    if (s->id < wf__n_sites && wf__sites[s->id].what != WF__SITE_UNKNOWN)
        return &wf__sites[s->id];
    return wf__site_make(s);
}

#endif
