// SPDX-License-Identifier: Apache-2.0
// mbarrier objects (PTX ISA 9.7.13.15). Their state lives beside the block; the 8 bytes in shared memory only
// mark that an object is there. A phase is complete when no arrival and no byte is missing; copies that complete
// on one are made when somebody asks for the phase.

#include <string.h> // memcpy

#include "exec/async.h"

struct cta *exec__shared_owner(struct wf_warp *w, uint64_t addr, unsigned space, uint64_t *off, uint32_t *rank)
{
    const struct wf_grid_ctx *g = w->block->grid;
    struct cta *c = cta_of(w);
    *rank = w->block->rank;
    *off = addr;
    if (space == PTX_SP_GENERIC) {
        uint64_t o = addr - g->base - WF_SHARED_OFFSET;
        if (o < WF_SHARED_WINDOW) {
            *rank = (uint32_t)(o / WF_SHARED_STRIDE);
            *off = o % WF_SHARED_STRIDE;
        }
    } else if (addr >> 24 && addr >> 24 <= w->block->n_ranks) {
        *rank = (uint32_t)(addr >> 24) - 1;
        *off = addr & 0xffffff;
    }
    if (*rank != w->block->rank && w->block->peers && *rank < w->block->n_ranks)
        c = w->block->peers[*rank]->exec;
    return c;
}

void exec__mbar_bad(struct wf_warp *w, const struct wf_site *s, unsigned lane, const char *sentence)
{
    struct grid *g = grid_of(w);
    struct wf_finding f = wf_finding_make(WF_F_BARRIER_MISUSE, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_ACCESS, w, s, 1u << lane, "mbarrier");
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    snprintf(f.space, sizeof f.space, "shared");
    snprintf(f.fix, sizeof f.fix, "initialise the mbarrier once, by one thread, and __syncthreads() before it is used");
    wf_finding_add(&f);
}

// Nothing that comes after this would mean anything.
void exec__mbar_none(struct wf_warp *w, const struct wf_site *s, unsigned lane, const char *what)
{
    struct grid *g = grid_of(w);
    const struct ir_program *p = g->code->prog;
    const struct ir_insn *init = NULL;
    struct wf_finding f = wf_finding_make(WF_F_BARRIER_MISUSE, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_ACCESS, w, s, 1u << lane, what);
    for (uint32_t i = 0; i < p->n_funcs && !init; i++)
        for (uint32_t k = 0; k < p->funcs[i]->n_blocks && !init; k++)
            for (uint32_t n = 0; n < p->funcs[i]->blocks[k].n_insns && !init; n++) {
                const struct ir_insn *in = &p->funcs[i]->blocks[k].insns[n];
                if (in->kind == IR_K_OP && in->op == PTX_O_MBARRIER && ptx_has(&in->m, PTX_M_INIT))
                    init = in;
            }
    if (init) {
        struct wf_party *q = wf_finding_party(&f, WF_PARTY_NOTE, exec__loc(p, init->loc, init->ptx_line, g->launch->kernel));
        snprintf(q->note, sizeof q->note, "is initialised here, which had not happened yet");
    }
    snprintf(f.sentence, sizeof f.sentence, "%s on shared memory that holds no barrier object (mbarrier)", what);
    snprintf(f.why, sizeof f.why, init ? "nothing makes this thread wait for the initialisation" : "nothing initialises one");
    snprintf(f.fix, sizeof f.fix, "initialise the object once, by one thread, and put __syncthreads() between that and its first use");
    snprintf(f.space, sizeof f.space, "shared");
    wf_finding_add(&f);
    cta_of(w)->ev.is_mixed_up = true;
    exec__stop(g, WF_RUN_ILLEGAL);
}

struct mbar *exec__mbar_find(struct cta *own, uint64_t off)
{
    return wf_map_get(&own->mbars, off + 1);
}

void exec__mbar_try(struct cta *c, struct mbar *m)
{
    if (m->pending || m->tx)
        return;
    m->phase++;
    m->pending = m->expected;
    c->moved = true;
    atomic_fetch_add_explicit(&c->grid->progress, 1, memory_order_relaxed);
}

void exec__mbar_told(const struct async_call *c, unsigned lane, uint32_t rank, uint64_t off, uint64_t phase)
{
    const struct wf_events *ev = grid_of(c->w)->ev;
    if (ev && ev->mbar_arrive)
        ev->mbar_arrive(ev->arg, &x_of(c->w)->ev, c->s, lane, rank, off, phase, !async_is(c, F_RELAXED));
}

uint64_t exec__mbarrier(const struct async_call *c, unsigned lane)
{
    struct cta *own;
    uint64_t off;
    uint32_t rank;
    if (async_is(c, F_PENDING))
        return c->arg[0][lane] & 0xfffff;
    own = exec__shared_owner(c->w, c->arg[0][lane], c->code >> 32 & 0xf, &off, &rank);
    struct mbar *m = exec__mbar_find(own, off);
    if (async_is(c, F_INIT)) {
        const char *why;
        uint8_t *p = exec__pointer(c->w, PTX_SP_GENERIC, c->w->block->grid->base + WF_SHARED_OFFSET + rank * WF_SHARED_STRIDE + off, 8, &why);
        if (!p || off % 8) {
            exec__mem_fault(c->w, c->site, lane, off, 8, true, p ? WF_F_MEM_MISALIGNED : WF_F_MEM_BOUNDS, p ? "is misaligned" : why);
            return 0;
        }
        if (!m) {
            m = wf_xcalloc(1, sizeof *m);
            wf_map_put(&own->mbars, off + 1, m);
            own->has_async = true;
        }
        *m = (struct mbar){.expected = (uint32_t)c->arg[1][lane], .pending = (uint32_t)c->arg[1][lane], .init = c->s};
        const struct wf_events *ev = grid_of(c->w)->ev;
        if (ev && ev->mbar_init)
            ev->mbar_init(ev->arg, &x_of(c->w)->ev, c->s, lane, rank, off);
        return 0;
    }
    if (!m) {
        exec__mbar_none(c->w, c->s, lane, async_is(c, F_TEST_WAIT) || async_is(c, F_TRY_WAIT) ? "wait" : "arrival");
        return async_is(c, F_TEST_WAIT) || async_is(c, F_TRY_WAIT);
    }
    if (async_is(c, F_INVAL)) {
        wf_map_del(&own->mbars, off + 1);
        free(m);
        return 0;
    }
    if (async_is(c, F_TEST_WAIT) || async_is(c, F_TRY_WAIT)) {
        uint64_t want = c->arg[1][lane];
        exec__bulk_arrive(c->w, own, off);
        bool done = async_is(c, F_PARITY) ? (m->phase & 1) != (want & 1) : m->phase > want >> 20;
        uint64_t seen = async_is(c, F_PARITY) ? m->phase - 1 : want >> 20;
        const struct wf_events *ev = grid_of(c->w)->ev;
        if (done && ev && ev->mbar_wait)
            ev->mbar_wait(ev->arg, &x_of(c->w)->ev, c->s, lane, rank, off, seen, !async_is(c, F_RELAXED));
        if (!done && async_is(c, F_TRY_WAIT))
            c->w->block->clock += 1000;
        return done;
    }
    if (!m->pending) // only bytes are missing: what is under way comes in before anybody arrives anew
        exec__bulk_arrive(c->w, own, off);
    uint64_t state = m->phase << 20 | (m->pending & 0xfffff);
    if (async_is(c, F_EXPECT_TX) && !async_is(c, F_ARRIVE) && !async_is(c, F_DROP)) {
        m->tx += (int64_t)c->arg[1][lane];
        return 0;
    }
    if (async_is(c, F_COMPLETE_TX) && !async_is(c, F_ARRIVE)) {
        m->tx -= (int64_t)c->arg[1][lane];
        exec__mbar_try(own, m);
        return 0;
    }
    uint32_t count = 1;
    if (async_is(c, F_EXPECT_TX))
        m->tx += (int64_t)c->arg[1][lane];
    else if (c->n > 1)
        count = (uint32_t)c->arg[1][lane];
    if (async_is(c, F_DROP))
        m->expected -= count < m->expected ? count : m->expected;
    if (count > m->pending) {
        exec__mbar_bad(c->w, c->s, lane, "more arrivals at an mbarrier than its phase expects");
        count = m->pending;
    }
    exec__mbar_told(c, lane, rank, off, m->phase);
    m->pending -= count;
    exec__mbar_try(own, m);
    return state;
}

void exec__mbar_hang(struct cta *c, struct wf_finding *f)
{
    size_t pos = 0;
    uint64_t key, best = UINT64_MAX;
    void *v;
    const struct mbar *m = NULL;
    while (wf_map_next(&c->mbars, &pos, &key, &v)) {
        const struct mbar *x = v;
        bool is_begun = x->pending < x->expected || x->tx; // the phase under way lacks something
        if (is_begun && key < best) {
            best = key;
            m = x;
        }
    }
    if (!m) {
        snprintf(f->sentence, sizeof f->sentence, "deadlock: threads wait for a phase of an mbarrier at which nobody arrives");
        snprintf(f->fix, sizeof f->fix, "let as many threads arrive as the mbarrier was initialised for, and check the parity waited for");
        return;
    }
    snprintf(f->sentence, sizeof f->sentence,
             "deadlock: threads wait for the barrier object (mbarrier) at shared memory + %llu, which lacks", (unsigned long long)best - 1);
    size_t at = strlen(f->sentence);
    if (m->pending)
        at += (size_t)snprintf(f->sentence + at, sizeof f->sentence - at, " %u of %u arrivals", m->pending, m->expected);
    if (m->tx)
        snprintf(f->sentence + at, sizeof f->sentence - at, "%s %lld bytes", m->pending ? " and" : "", (long long)m->tx);
    snprintf(f->why, sizeof f->why, "a phase is complete only when every arrival that it counts has come, and every byte");
    if (m->tx)
        snprintf(f->fix, sizeof f->fix, "expect exactly the bytes that the copies bring (mbarrier.arrive.expect_tx, cuda::device::barrier_arrive_tx)");
    else
        snprintf(f->fix, sizeof f->fix, "let as many threads arrive as the mbarrier was initialised for, or initialise it for %u",
                 m->expected - m->pending);
    if (m->init) {
        struct wf_party *q = wf_finding_party(f, WF_PARTY_NOTE, m->init->loc);
        snprintf(q->note, sizeof q->note, "initialised here, for %u arrivals", m->expected);
    }
}
