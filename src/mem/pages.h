// SPDX-License-Identifier: Apache-2.0
// Which pages of the heap have memory behind them. Private to src/mem.
//
// The heap is two zones: device-only memory (private pages at the engine's side only) and
// host-visible memory (one shared object, mapped on both sides). Memory comes and goes by chunks of
// 64 KiB, so that small blocks cost no system call and the process's map stays short. Not locked:
// the heap calls under its own lock.
#ifndef WF_MEM_PAGES_H
#define WF_MEM_PAGES_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "base/err.h" // enum wf_status

enum wf__zone { WF__ZONE_DEVICE, WF__ZONE_HOST, WF__ZONES };

struct wf_space;

// Program-visible bounds of a zone.
uint64_t wf__zone_lo(const struct wf_space *s, enum wf__zone z);
uint64_t wf__zone_hi(const struct wf_space *s, enum wf__zone z);

// Puts memory behind [addr, addr + bytes). With is_zeroed, bytes that already had memory are
// cleared.
enum wf_status wf__pages_commit(const struct wf_space *s, enum wf__zone z, uint64_t addr,
                                uint64_t bytes, bool is_zeroed, struct wf_err *err);
// Gives up the memory of the whole chunks inside [addr, addr + bytes).
void wf__pages_decommit(const struct wf_space *s, enum wf__zone z, uint64_t addr, uint64_t bytes);
bool wf__pages_has(const struct wf_space *s, enum wf__zone z, uint64_t addr); // is it committed
// Engine-side pages that are no part of a committed chunk: inaccessible and empty again.
void wf__pages_hide(const struct wf_space *s, uint64_t addr, uint64_t bytes);
// The shared object behind the host zone and the offset of addr in it; -1 when it cannot be made.
int wf__pages_shared_fd(const struct wf_space *s, uint64_t addr, uint64_t *offset);

#endif
