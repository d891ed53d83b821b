// SPDX-License-Identifier: Apache-2.0
// Warp instructions whose lanes do not come together (PTX ISA 9.7.9.6, 9.7.13.2, .9, .10, .12). Lanes
// wait with their values in the exchange until every live lane of their mask executes the same kind of
// instruction with the same mask; they need not be at one place. What a mask names wrongly is told.

#include <string.h> // memcpy

#include "exec/exec_priv.h"

static void wrong_mask(struct wf_warp *w, const struct wf_site *s, uint32_t lanes, enum wf_severity sev, const char *sentence,
                       const char *fix)
{
    struct grid *g = grid_of(w);
    struct wf_finding f = wf_finding_make(WF_F_WARP_MASK, g->launch->kernel, g->launch->id);
    f.severity = sev;
    exec__party(&f, WF_PARTY_ACCESS, w, s, lanes, s->what);
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    snprintf(f.why, sizeof f.why, "a warp instruction is defined only when exactly the lanes of its mask execute it");
    snprintf(f.fix, sizeof f.fix, "%s", fix);
    wf_finding_add(&f);
}

static void lane_list(uint32_t lanes, char *buf, size_t n)
{
    size_t at = 0;
    *buf = 0;
    for (unsigned i = 0; i < 32 && at + 12 < n; i++) {
        if (!(lanes >> i & 1))
            continue;
        unsigned k = i;
        while (k < 31 && (lanes >> (k + 1) & 1))
            k++;
        at += (size_t)snprintf(buf + at, n - at, k > i ? "%s%u-%u" : "%s%u", at ? ", " : "", i, k);
        i = k;
    }
}

static bool is_barrier(const struct wf_site *s)
{
    return s->what[0] == '_';
}

static void check_mask(struct wf_warp *w, const struct wf_site *s, uint32_t lanes, uint32_t want)
{
    uint32_t absent = want & ~w->existing, outside = lanes & ~want;
    if (!(absent | outside))
        return;
    if (strstr(s->what, "mma") || strstr(s->what, "matrix")) // no mask is written there; matrix.c says what is wrong
        return;
    char text[200], list[100];
    if (outside) {
        lane_list(outside, list, sizeof list);
        snprintf(text, sizeof text, "lanes %s execute %s, but its mask 0x%08x does not name them", list, s->what, want);
        wrong_mask(w, s, outside, WF_SEV_ERROR, text, "name every lane that executes the instruction, and only those");
    }
    if (absent) {
        lane_list(absent, list, sizeof list);
        snprintf(text, sizeof text, "mask 0x%08x names lanes %s, which do not exist in this warp", want, list);
        wrong_mask(w, s, lanes, is_barrier(s) ? WF_SEV_WARNING : WF_SEV_ERROR, text,
                   "use the mask of the lanes that exist: in the last warp of a block that is no multiple of 32 it is not 0xffffffff");
    }
}

// These lanes have met; others that the mask names left the kernel without coming. A lane that returned early
// counts as exited for all but shuffles, which would read its value.
static void check_gone(struct wf_warp *w, const struct wf_site *s, uint32_t met, uint32_t want)
{
    char text[200], list[100];
    uint32_t gone = want & w->existing & ~w->live & ~met;
    bool is_shuffle = !strncmp(s->what, "shfl", 4);
    if (!is_shuffle)
        gone &= ~x_of(w)->returned;
    if (!gone || strstr(s->what, "mma") || strstr(s->what, "matrix"))
        return;
    lane_list(gone, list, sizeof list);
    snprintf(text, sizeof text, "mask 0x%08x names lanes %s, which leave the kernel without executing %s", want, list, s->what);
    wrong_mask(w, s, met, WF_SEV_ERROR, text,
               is_shuffle ? "keep all lanes of the warp to the end, or compute the mask of those that stay"
                          : "name only the lanes that take part: __ballot_sync() before the branch or loop gives the mask");
}

static bool same_kind(const struct wf_site *a, const struct wf_site *b)
{
    return !strcmp(a->what, b->what);
}

// Lanes that wait in the same instruction with the same mask as path p.
static uint32_t companions(struct wf_warp *w, const struct wf_path *p)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < w->n_paths; i++) {
        const struct wf_path *q = &w->path[i];
        if (q->state == WF_PATH_SYNC && q->want == p->want && same_kind(q->frame->code->sites[q->site], p->frame->code->sites[p->site]))
            m |= q->mask;
    }
    return m;
}

static bool try_release(struct wf_warp *w)
{
    for (uint32_t i = 0; i < w->n_paths; i++) {
        struct wf_path p = w->path[i];
        if (p.state != WF_PATH_SYNC)
            continue;
        uint32_t met = companions(w, &p);
        if (p.want & w->live & ~met)
            continue;
        const struct wf_site *s = p.frame->code->sites[p.site];
        const struct wf_events *ev = grid_of(w)->ev;
        if (ev)
            check_gone(w, s, met, p.want);
        if (is_barrier(s) && ev && ev->warp_sync)
            ev->warp_sync(ev->arg, &x_of(w)->ev, s, met);
        for (uint32_t k = 0; k < w->n_paths; k++) {
            struct wf_path *q = &w->path[k];
            if (q->state != WF_PATH_SYNC || q->want != p.want || !(q->mask & met) || !same_kind(q->frame->code->sites[q->site], s))
                continue;
            q->state = WF_PATH_READY;
            q->pc |= WF_PC_RELEASED;
            q->yields = x_of(w)->turn - 1;
            // A snapshot: companions may run on and deposit anew before this path has looked.
            q->snap = wf_xmalloc(sizeof w->xchg_put);
            memcpy(q->snap, w->xchg_put, sizeof w->xchg_put);
            WF_EACH_LANE(q->mask, lane)
                w->xchg_group[lane] = met & p.want ? met & p.want : met;
        }
        exec__progress(w);
        exec__refresh(w);
        return true;
    }
    return false;
}

// Lanes released at one place run on together, each with its own group. They may have met at different
// moments: each brings the values of its group along.
static void join_released(struct wf_warp *w)
{
    for (uint32_t i = 0; i < w->n_paths; i++)
        for (uint32_t k = i + 1; k < w->n_paths;) {
            struct wf_path *a = &w->path[i], *b = &w->path[k];
            bool same = (a->pc & WF_PC_RELEASED) && a->pc == b->pc && a->frame == b->frame && a->state == b->state && exec__may_join(a, b);
            if (!same) {
                k++;
                continue;
            }
            uint32_t met = 0;
            WF_EACH_LANE(b->mask, lane)
                met |= w->xchg_group[lane];
            WF_EACH_LANE(met, lane)
                a->snap[lane] = b->snap[lane];
            a->mask |= b->mask;
            free(b->snap);
            w->path[k] = w->path[--w->n_paths];
        }
}

uint64_t wf_x_warp_wait(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, const uint32_t *masks, const uint64_t *value)
{
    uint32_t left = mask;
    const struct wf_site *s = site_of(w, site);
    WF_EACH_LANE(mask, lane) {
        if (value)
            w->xchg_put[lane] = value[lane];
        w->xchg_mask[lane] = masks[lane];
    }
    while (left) { // one path for each mask
        uint32_t want = masks[wf_ctz32(left)], same = 0;
        WF_EACH_LANE(left, lane)
            if (masks[lane] == want)
                same |= 1u << lane;
        left &= ~same;
        if (grid_of(w)->ev || (same & ~want))
            check_mask(w, s, same, want);
        // Lanes outside their own mask (undefined) take part all the same, so that the run goes on.
        exec__add_path(w, (struct wf_path){.pc = pc, .mask = same, .frame = w->cur, .state = WF_PATH_SYNC, .site = site,
                                           .want = want, .yields = x_of(w)->turn - 1});
    }
    while (try_release(w))
        ;
    join_released(w);
    exec__refresh(w);
    return exec__next(w);
}

// Exited lanes are not waited for.
void exec__warp_exit(struct wf_warp *w)
{
    bool any = false;
    while (try_release(w))
        any = true;
    if (any) {
        join_released(w);
        exec__refresh(w);
    }
}

// bar.warp.sync of lanes that run together.
void wf_x_warp_met(struct wf_warp *w, uint32_t site, uint32_t mask)
{
    const struct wf_events *ev = grid_of(w)->ev;
    if (ev && ev->warp_sync)
        ev->warp_sync(ev->arg, &x_of(w)->ev, site_of(w, site), mask);
}

// Values from beyond a group are often read and not used. But a value that all lanes take from one lane is.
void wf_x_shuffle_outside(struct wf_warp *w, uint32_t site, uint32_t mask, uint32_t outside, const uint32_t *group,
                          const uint32_t *source)
{
    uint32_t first = wf_ctz32(outside), all = group[first] & mask;
    WF_EACH_LANE(all, lane)
        if (!(outside >> lane & 1) || source[lane] != source[first])
            return;
    char text[200], list[100];
    lane_list(all, list, sizeof list);
    snprintf(text, sizeof text, "lanes %s take the value of lane %u, which %s", list, source[first],
             w->existing >> source[first] & 1 ? "does not take part" : "does not exist in this warp");
    wrong_mask(w, site_of(w, site), all, WF_SEV_ERROR, text,
               "name a source lane that executes the shuffle and is in its mask (with a width: counted within the group)");
}

void wf_x_match(const uint64_t *v, const uint32_t *group, uint32_t mask, uint32_t *out, uint32_t any)
{
    memset(out, 0, 32 * sizeof *out);
    WF_EACH_LANE(mask, a) {
        WF_EACH_LANE(group[a], b)
            if (v[a] == v[b])
                out[a] |= 1u << b;
        if (!any && out[a] != group[a])
            out[a] = 0;
    }
}

static uint32_t fold(uint16_t sub, bool is_signed, uint32_t x, uint32_t y)
{
    bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
    if (PTX_IS(sub, ADD))
        return x + y;
    if (PTX_IS(sub, MIN))
        return less ? x : y;
    if (PTX_IS(sub, MAX))
        return less ? y : x;
    return PTX_IS(sub, AND) ? x & y : PTX_IS(sub, OR) ? x | y : x ^ y;
}

void wf_x_redux(const uint32_t *v, const uint32_t *group, uint32_t mask, uint32_t *out, uint32_t how)
{
    uint32_t left = mask;
    memset(out, 0, 32 * sizeof *out);
    while (left) { // lanes of one group have one result
        uint32_t g = group[wf_ctz32(left)], r = 0, first = 1;
        WF_EACH_LANE(g, lane) {
            r = first ? v[lane] : fold((uint16_t)how, how >> 16 & 1, r, v[lane]);
            first = 0;
        }
        WF_EACH_LANE(left, lane)
            if (group[lane] == g) {
                out[lane] = r;
                left &= ~(1u << lane);
            }
    }
}
