// SPDX-License-Identifier: Apache-2.0
// One finding against one source, and the proposals that are about words of the source.
#ifndef WF_CURE_PROPOSE_H
#define WF_CURE_PROPOSE_H

#include "cure/cure.h"
#include "cure/source.h"

struct wf__case {
    const struct wf_finding *f;
    const struct wf__source *s;
    struct wf_cures *out;
    uint32_t line[WF_MAX_PARTIES], stmt[WF_MAX_PARTIES]; // of the parties in this file, else 0 and none
};

struct wf__case wf__case_of(const struct wf_finding *f, const char *file, const struct wf__source *s,
                            struct wf_cures *out);
bool wf__is_full(const struct wf__case *c); // enough proposals

void wf__propose_barrier(struct wf__case *c, const char *stmt);
// words.c
void wf__propose_atomics(struct wf__case *c); // plain accesses become atomic ones
void wf__propose_split(struct wf__case *c, const char *barrier); // read, barrier, write
void wf__propose_scope(struct wf__case *c);   // block scope becomes device scope
void wf__propose_mask(struct wf__case *c);
void wf__propose_count(struct wf__case *c);   // threads that a barrier waits for

#endif
