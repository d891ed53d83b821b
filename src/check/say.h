// SPDX-License-Identifier: Apache-2.0
// The words of a race: sentence, why, mend.
#ifndef WF_CHECK_SAY_H
#define WF_CHECK_SAY_H

#include "check/verdict.h" // struct wf__link
#include "core/finding.h"  // struct wf_finding

struct wf__pair { // what is known of a clash
    struct wf__acc *x;
    const struct wf__rec *e;
    uint32_t lane, other;
    uint64_t addr;
    uint32_t now_bytes, then_bytes;
    bool now_writes, then_writes;
    bool same_block, same_warp, is_async, is_volatile, same_value;
    bool is_relaxed;   // handed over by a flag that is loaded relaxed, where an acquire load could stand
    bool is_read_only; // a read by ld.global.nc that all but its kind orders before the write now
    enum wf__clash clash;
    const struct wf_loc *now, *then; // frames of one function when there are such
    bool one_function;
};

void wf__say_race(const struct wf__pair *p, struct wf_finding *f);
// Two stores of one line that also reads what it stores.
void wf__say_update(struct wf_finding *f, const struct wf_loc *at);
// Which side lacks its fence, or a scope is too narrow.
enum wf_finding_kind wf__say_link(const struct wf__pair *p, struct wf_finding *f, const struct wf__link *k);
void wf__say_scope(const struct wf__pair *p, struct wf_finding *f);
void wf__say_mixed(const struct wf__pair *p, struct wf_finding *f);
void wf__say_volatile(const struct wf__pair *p, struct wf_finding *f);
void wf__say_read_only(const struct wf__pair *p, struct wf_finding *f);

#endif
