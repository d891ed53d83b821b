// SPDX-License-Identifier: Apache-2.0
// Work in streams whose end the host has not waited for yet: kernels and copies that later work, or the
// host itself, may still race with.
//
// What a record of an earlier launch is to a later one is decided by the order that the host gave to the
// work (core/task.h): all of a launch comes before all of another, or nothing does, except that a dependent
// launch (programmatic dependent launch) comes after the one in front of it only from its
// griddepcontrol.wait on. Records are numbered as time passes, so nearly always one number parts those that
// a launch comes after from the rest: the pool's `first`. What the host has waited for comes before
// everything and is forgotten; if only some of its threads have waited, the newest of it is kept for the others.
#ifndef WF_CHECK_WORK_H
#define WF_CHECK_WORK_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "check/ctx.h" // struct wf__ctx

struct wf__run { // pages of host-visible memory
    uint64_t lo, hi;
    uint8_t rw; // WF__R, WF__W
};
struct wf__work {
    uint32_t serial0, n_blocks; // of a launch; 0 blocks: a copy, a fill, ...
    uint32_t rec0;              // records made before it have smaller numbers
    uint32_t stream, agent;
    uint64_t number, put;
    const struct wf_task *order; // as long as it is under way
    bool is_running;
    bool has_rows; // not watched: its memory is kept as ranges
    bool is_waited; // by some thread of the host: what it left on pages is not looked for any more
    bool has_triggered, waits_first; // griddepcontrol: allowed dependents; every time after its own wait
    uint64_t early;                  // of its own stream, what is numbered above came not before its start
    const char *what, *kernel;       // one of the two
    struct wf_launch launch;         // shape, for the names of threads
    struct wf_calls calls;
    struct wf__run *runs;
    uint32_t n_runs, cap_runs;
};

struct wf__work *wf__work_new(struct wf__ctx *c, const struct wf_task *o);
struct wf__work *wf__work_grid(struct wf__ctx *c, struct wf__grid *g); // a launch begins
// A launch is over.
void wf__work_grid_end(struct wf__ctx *c, struct wf__grid *g);
// The launch of a record's block; NULL when it is forgotten.
struct wf__work *wf__work_of(const struct wf__ctx *c, uint32_t serial);
bool wf__work_before(const struct wf_task *o, const struct wf__work *w);
// Smallest record of all work that does not come before o.
// early: what is numbered above in o's own stream does not count as coming before.
uint32_t wf__work_floor(const struct wf__ctx *c, const struct wf_task *o, uint64_t early);
// Does the launch of the block `serial`, not w's own, come before what these lanes do now?
bool wf__work_passed(const struct wf__warp *w, uint32_t lanes, uint32_t serial);
// Forgets all (the host waited for everything; the record numbers ran out).
void wf__work_forget(struct wf__ctx *c);
void wf__work_host_knows(struct wf__ctx *c, const struct wf_host_view *v);
// Does `then` come before `now`, which is under way, only if what one thread of the host has waited for is known to
// another one that was not told?
bool wf__work_by_luck(const struct wf__work *now, const struct wf__work *then);
void wf__work_fini(struct wf__ctx *c);

// ---- move.c: copies and fills that are not waited for
void wf__move(struct wf__ctx *c, const struct wf_ev_move *b);
void wf__move_access(struct wf__ctx *c, const struct wf_ev_access *a);
void wf__move_grid_begin(struct wf__ctx *c, struct wf__grid *g);
void wf__move_forget(struct wf__ctx *c, const struct wf__work *w);
// A launch that is not watched: what comes beside it is compared with these rows. False: they are too many.
bool wf__move_trusted(struct wf__work *w, const struct wf_ev_row *row, uint32_t n);
void wf__move_fini(void);
struct wf__side;
// A copy or fill that touches this byte and of which the host does not know that it is over.
bool wf__move_host(const struct wf__ctx *c, const uint64_t *before, uint32_t n, uint64_t addr,
                   bool is_write, struct wf__side *out);

#endif
