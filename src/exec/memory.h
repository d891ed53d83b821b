// SPDX-License-Identifier: Apache-2.0
// Addresses of lanes to the engine's pointers, and events of accesses. Private to src/exec.
#ifndef WF_EXEC_MEMORY_H
#define WF_EXEC_MEMORY_H

#include "exec/exec_priv.h"

// The engine's pointer to `bytes` bytes at a (space: enum ptx_space); NULL with the reason. Local memory has none.
uint8_t *exec__pointer(struct wf_warp *w, unsigned space, uint64_t a, unsigned bytes, const char **why);
void exec__tell_access(struct wf_warp *w, const struct wf_site *site, uint32_t mask, const uint64_t *addr, unsigned space,
                       uint32_t writes, const uint64_t *value);
// Copies n bytes from an address of any space as lane `lane` sees it. False on a bad address.
bool exec__read(struct wf_warp *w, unsigned lane, uint64_t a, void *to, size_t n);

#endif
