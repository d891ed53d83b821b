// SPDX-License-Identifier: Apache-2.0
// What checkers hear of a bulk operation: the runs of bytes that it will read and write.

#include "exec/bulk.h"

typedef WF_VEC(struct wf_ev_piece) piece_vec;

static struct wf_ev_piece piece_at(const struct bulk *k, uint64_t addr, uint32_t bytes)
{
    uint64_t o = addr - k->w->block->grid->base - WF_SHARED_OFFSET;
    if (o >= WF_SHARED_WINDOW)
        return (struct wf_ev_piece){WF_SPACE_GLOBAL, 0, addr, bytes};
    return (struct wf_ev_piece){WF_SPACE_SHARED, (uint32_t)(o / WF_SHARED_STRIDE), o % WF_SHARED_STRIDE, bytes};
}

struct listing {
    const struct bulk *k;
    piece_vec *to;
};

static bool list_run(void *arg, const struct wf_tmap_run *run)
{
    struct listing *l = arg;
    WF_PUSH(l->to, piece_at(l->k, run->global, run->bytes));
    return true;
}

void exec__bulk_tell(struct bulk *k)
{
    const struct wf_events *ev = grid_of(k->w)->ev;
    piece_vec read = {0}, write = {0};
    if (!ev || !ev->bulk_issue)
        return;
    if (k->is_tensor) {
        struct listing l = {k, k->is_load ? &read : &write};
        wf_tmap_each(&k->map, k->coord, list_run, &l);
        // The box as a whole: swizzling moves its bytes inside it.
        piece_vec *box = k->is_load ? &write : &read;
        WF_PUSH(box, piece_at(k, k->is_load ? k->dst : k->src, k->bytes));
    } else {
        if (!k->is_store)
            WF_PUSH(&read, piece_at(k, k->src, k->bytes));
        WF_PUSH(&write, piece_at(k, k->dst, k->bytes));
    }
    struct wf_ev_bulk e = {.site = site_of(k->w, k->site), .warp = &x_of(k->w)->ev, .lane = k->lane, .token = k->token,
                           .read = read.at, .write = write.at, .n_read = (uint32_t)read.n, .n_write = (uint32_t)write.n,
                           .is_atomic = k->is_reduce};
    ev->bulk_issue(ev->arg, &e);
    WF_VEC_FINI(&read);
    WF_VEC_FINI(&write);
}
