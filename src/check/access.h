// SPDX-License-Identifier: Apache-2.0
// Steps of one access that the files of the race checker share.
#ifndef WF_CHECK_ACCESS_H
#define WF_CHECK_ACCESS_H

#include "check/ctx.h" // struct wf__acc

// False: the space is not followed.
bool wf__acc_init(struct wf__acc *x, struct wf__ctx *c, const struct wf_ev_access *a);
void wf__touch(struct wf__ctx *c, uint64_t off, uint64_t bytes); // global shadow comes into use
void wf__weak_word(struct wf__acc *x, uint64_t *cell, uint32_t lane, bool is_write); // a whole word
void wf__strong_access(struct wf__acc *x, const uint64_t *addr);                     // [32]
// All lanes come to one word. True: nothing new is to be said of it, as nobody uses their results.
bool wf__strong_at_one(struct wf__acc *x, uint64_t addr);

#endif
