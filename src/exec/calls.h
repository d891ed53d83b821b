// SPDX-License-Identifier: Apache-2.0
// What compiled code calls (helper.def lists the names). Functions that return uint64_t say which path is
// next: pc << 32 | lanes, or WF_PC_STOP << 32. Arrays have an element for each of the 32 lanes.
#ifndef WF_EXEC_CALLS_H
#define WF_EXEC_CALLS_H

#include <stdint.h> // uint64_t

struct wf_warp;

// path.c
void wf_x_park(struct wf_warp *w, uint32_t pc, uint32_t mask);
void wf_x_bail(struct wf_warp *w, uint64_t next);
uint64_t wf_x_next(struct wf_warp *w);
uint64_t wf_x_meet(struct wf_warp *w, uint32_t pc, uint32_t mask);
uint64_t wf_x_yield(struct wf_warp *w, uint32_t pc, uint32_t mask);
uint64_t wf_x_exit(struct wf_warp *w, uint32_t mask);
uint64_t wf_x_trap(struct wf_warp *w, uint32_t loc, uint32_t mask);
uint64_t wf_x_dead_loop(struct wf_warp *w, uint32_t pc, uint32_t mask);
// frame.c
uint64_t wf_x_call(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, const uint64_t *callee,
                   const uint64_t *const *args, uint32_t counts, const uint32_t *ret_slots);
uint64_t wf_x_ret(struct wf_warp *w, uint32_t mask);
// bar.c, cluster.c, warpsync.c
uint64_t wf_x_bar(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t id, uint32_t count,
                  uint32_t kind, uint32_t pred);
// Lanes name different barriers: ids and counts (NULL: none) by lane.
uint64_t wf_x_bar_each(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, const uint32_t *ids,
                       const uint32_t *counts, uint32_t kind, uint32_t pred);
uint64_t wf_x_pause(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, uint32_t kind, uint32_t ns);
uint64_t wf_x_warp_wait(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, const uint32_t *masks,
                        const uint64_t *value);
void wf_x_warp_met(struct wf_warp *w, uint32_t site, uint32_t mask);
// shfl.idx: lanes `outside` of `mask` read from a lane (source) that is not among those who take part (group).
void wf_x_shuffle_outside(struct wf_warp *w, uint32_t site, uint32_t mask, uint32_t outside, const uint32_t *group,
                          const uint32_t *source);
// group: the lanes that take part with each lane. how: modifier of redux | is_signed << 16.
void wf_x_match(const uint64_t *v, const uint32_t *group, uint32_t mask, uint32_t *out, uint32_t any);
void wf_x_redux(const uint32_t *v, const uint32_t *group, uint32_t mask, uint32_t *out, uint32_t how);
// memory.c, atomic.c
// addr: the lanes' addresses in the form that code names (jit/lanes.h).
void wf_x_memory(struct wf_warp *w, uint32_t site, uint32_t mask, const void *addr, uint8_t *data, uint32_t code);
void wf_x_gather(const uint64_t *ptr, uint8_t *out, uint32_t mask, uint32_t bytes);
void wf_x_scatter(const uint64_t *ptr, const uint8_t *in, uint32_t mask, uint32_t bytes);
void wf_x_access(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, int64_t stride, uint32_t linear,
                 uint32_t space);
// The same of a store, whose values are known: of lane l, value[l].
void wf_x_store(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, int64_t stride, uint32_t linear,
                uint32_t space, const uint64_t *value);
void wf_x_trigger(struct wf_warp *w, uint32_t mask); // griddepcontrol.launch_dependents
void wf_x_fence(struct wf_warp *w, uint32_t site, uint32_t mask);
void wf_x_atomic(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, const uint8_t *a,
                 const uint8_t *b, uint8_t *old, uint32_t how);
// An atomic addition was made; addr: of each lane, or of all when is_one. space: GLOBAL (the heap) or SHARED (offsets).
// Do the atomics of these lanes stay where the launch's proof took them to? is_one: addr[0] is that of all.
void wf_x_guard(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, uint32_t is_one);
void wf_x_added(struct wf_warp *w, uint32_t site, uint32_t mask, const uint64_t *addr, const uint64_t *value,
                uint32_t is_one, uint32_t space);
// 32-bit adds at base + addr[lane], checked by the caller; old may be NULL.
void wf_x_add32_shared(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, uint32_t *old);
// Adds that may be made when the grid ends (ir/late.c).
void wf_x_add32_late(struct wf_block *b, uint32_t *p, uint32_t value);
void wf_x_adds32_late(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, struct wf_block *b);
void wf_x_add32_global(uint8_t *base, const uint64_t *addr, const uint32_t *value, uint32_t mask, uint32_t *old);
// texture.c: code is a struct wf_tex_code (jit/texcode.h), arg the operands, out four results a lane
void wf_x_texture(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const void *const *arg, void *out);
// async.c, builtin.c
void wf_x_async(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const uint64_t *const *arg, uint64_t *out);
void wf_x_bulk(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const uint64_t *const *arg); // see jit/bulk.h
// Of the 32 lanes' fragments; see jit/matrix.h.
void wf_x_matrix(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, uint32_t n_src, const void *const *src,
                 void *const *dst);
void wf_x_builtin(struct wf_warp *w, uint32_t site, uint32_t mask, uint32_t which, const uint64_t *const *arg, uint64_t *ret);
void wf_x_alloca(struct wf_warp *w, uint32_t op, uint32_t mask, const uint64_t *in, uint64_t *res);
uint64_t wf_x_clock(struct wf_warp *w, uint32_t is_timer);

#endif
