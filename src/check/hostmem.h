// SPDX-License-Identifier: Apache-2.0
// Host-visible memory (managed, pinned): which pages work that the host has not waited for reads or writes,
// and what the host does there meanwhile. The pages are protected against the host (mem/guard.h), so that
// its accesses are seen as they are; a program that waits before it looks meets no protected page.
#ifndef WF_CHECK_HOSTMEM_H
#define WF_CHECK_HOSTMEM_H

#include "check/work.h" // struct wf__work

void wf__hostmem_init(struct wf__ctx *c);
bool wf__hostmem_near(uint64_t addr); // may it be host-visible?
void wf__hostmem_access(struct wf__ctx *c, const struct wf_ev_access *a); // by a kernel
void wf__hostmem_move(struct wf__work *w, uint64_t addr, uint64_t bytes, uint8_t rw);
void wf__hostmem_end(struct wf__ctx *c, struct wf__work *w); // the launch is over: watch
void wf__hostmem_watch(const struct wf__work *w);
void wf__hostmem_open(const struct wf__work *w);

// ---- hostsay.c: findings that name work in streams
struct wf__side {
    const struct wf__work *work; // NULL: the host
    const struct wf_site *site;  // of a kernel's access, else NULL
    uint32_t block, warp, lane;  // with a site
    uint32_t bytes;
    bool writes, is_lifetime;
    bool is_mild; // a warning only
    struct wf_calls calls; // the host's access
};
// Two accesses at addr that nothing orders; `now` came later in the run.
void wf__say_streams(const struct wf__side *now, const struct wf__side *then, uint64_t addr);
void wf__say_host(const struct wf__side *host, const struct wf__side *then, uint64_t addr);

#endif
