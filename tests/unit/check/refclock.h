// SPDX-License-Identifier: Apache-2.0
// The reference detector: full vector clocks, all accesses remembered, every rule written down as
// plainly as it can be. Slow on purpose. docs/memory-model.md has the rules.
#ifndef WF_TESTS_CHECK_REFCLOCK_H
#define WF_TESTS_CHECK_REFCLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"

#define RT 80    // threads and copies
#define RA 16384 // accesses a program may make
#define RL 1200  // locations

struct vc {
    uint32_t c[RT];
};
struct rmsg { // what an edge carries
    struct vc c, s[2], o[2];
    int block, owner, level;
};
struct racc {
    int thread;
    uint32_t time;
    uint64_t addr;
    uint32_t bytes, elem; // elem: of the strong element
    bool writes, strong, strong_ptx, guess, nc, pending, rmw;
    int level;
    int loc;
    uint32_t seq, gone; // gone: bytes that a later access stands for
};
struct rwatch {
    int thread;
    uint32_t time, lo, hi;
};
struct rloc {
    uint64_t addr;
    uint32_t bytes;
    bool strong;
    int last, level; // thread that wrote last, -1 nobody
    uint32_t seq, brk;
    struct rmsg *att;
    int n_att;
    struct vc sw[2], sr[2];
    int sc_block;
    struct rwatch *watch;
    int n_watch;
};
struct rpend {
    int loc;
    struct rmsg m;
};
struct rthread {
    struct vc c, s[2], o[2];
    int block, cluster;
    bool live, has_fence[4];
    struct rmsg fence[4];
    struct rpend *pend, *rel;
    int n_pend, n_rel;
};
struct ref {
    int n, n_all; // threads; with copies
    struct rthread t[RT];
    struct racc *acc;
    int n_acc;
    struct rloc loc[RL];
    int n_loc;
    bool volatile_relaxed;
};

static inline void vc_join(struct vc *a, const struct vc *b)
{
    for (int i = 0; i < RT; i++)
        if (b->c[i] > a->c[i])
            a->c[i] = b->c[i];
}

static inline void ref_init(struct ref *r, int n)
{
    memset(r, 0, sizeof *r);
    r->n = r->n_all = n;
    r->acc = calloc(RA, sizeof *r->acc);
    for (int i = 0; i < n; i++) {
        r->t[i].live = true;
        r->t[i].c.c[i] = 1;
    }
}

static inline void ref_fini(struct ref *r)
{
    for (int i = 0; i < r->n_loc; i++) {
        free(r->loc[i].att);
        free(r->loc[i].watch);
    }
    for (int i = 0; i < r->n; i++) {
        free(r->t[i].pend);
        free(r->t[i].rel);
    }
    free(r->acc);
}

static inline bool ref_holds(const struct ref *r, int level, int a, int b)
{
    if (level >= WF_SCOPE_GPU || r->t[a].block == r->t[b].block)
        return true;
    return level == WF_SCOPE_CLUSTER && r->t[a].cluster == r->t[b].cluster;
}

static inline bool ref_mutual(const struct ref *r, int la, int a, int lb, int b)
{
    return ref_holds(r, la, a, b) && ref_holds(r, lb, b, a);
}

static inline struct rmsg ref_publish(const struct ref *r, int t, int level)
{
    const struct rthread *x = &r->t[t];
    struct rmsg m = {.c = x->c, .block = x->block, .owner = t, .level = level};
    memcpy(m.s, x->s, sizeof m.s);
    memcpy(m.o, x->o, sizeof m.o);
    return m;
}

static inline void ref_learn(struct ref *r, int t, const struct rmsg *m)
{
    struct rthread *x = &r->t[t];
    vc_join(&x->c, &m->c);
    for (int i = m->block == x->block ? 0 : 1; i < 2; i++) {
        vc_join(&x->s[i], &m->s[i]);
        vc_join(&x->o[i], &m->o[i]);
    }
}

// Everybody in `from` publishes, then everybody in `to` learns.
static inline void ref_meet(struct ref *r, const bool *from, const bool *to,
                            const struct rmsg *early, int n_early)
{
    static struct rmsg m[RT];
    for (int i = 0; i < r->n; i++)
        if (from[i]) {
            m[i] = ref_publish(r, i, 0);
            r->t[i].c.c[i]++;
        }
    for (int i = 0; i < r->n; i++) {
        for (int j = 0; to[i] && j < r->n; j++)
            if (from[j])
                ref_learn(r, i, &m[j]);
        for (int j = 0; to[i] && j < n_early; j++)
            ref_learn(r, i, &early[j]);
    }
}

static inline int ref_loc(struct ref *r, uint64_t addr, uint32_t bytes)
{
    for (int i = 0; i < r->n_loc; i++)
        if (r->loc[i].addr == addr && r->loc[i].bytes == bytes)
            return i;
    if (r->n_loc == RL)
        abort();
    struct rloc *l = &r->loc[r->n_loc];
    l->addr = addr;
    l->bytes = bytes;
    l->last = -1;
    l->sc_block = -1;
    return r->n_loc++;
}

static inline bool ref_ordered(const struct ref *r, const struct racc *e, int t)
{
    if (e->pending)
        return false;
    if (e->thread == t)
        return true;
    if (e->nc)
        return false;
    return r->t[t].c.c[e->thread] >= e->time;
}

// Causality by observation: somebody whom t is after has read e's write.
static inline bool ref_seen(const struct ref *r, const struct racc *e, int t)
{
    if (!e->writes || !e->strong_ptx)
        return false;
    const struct rloc *l = &r->loc[e->loc];
    for (int i = 0; i < l->n_watch; i++) {
        const struct rwatch *w = &l->watch[i];
        if (w->thread != t && r->t[t].c.c[w->thread] < w->time)
            continue;
        if (w->lo < e->seq && e->seq <= w->hi)
            return true;
    }
    return false;
}

// Bytes (from addr on) of an access by t that race.
static inline uint32_t ref_check(struct ref *r, int t, const struct racc *y)
{
    uint32_t bad = 0;
    for (int i = 0; i < r->n_acc; i++) {
        const struct racc *e = &r->acc[i];
        uint64_t lo = e->addr > y->addr ? e->addr : y->addr;
        uint64_t he = e->addr + e->bytes, hy = y->addr + y->bytes, hi = he < hy ? he : hy;
        if (lo >= hi || !(e->writes || y->writes))
            continue;
        if (e->strong && y->strong && e->elem == y->elem &&
            ref_mutual(r, e->level, e->thread, y->level, t))
            continue;
        bool guess = (e->guess && y->strong) || (y->guess && e->strong);
        if (guess || ref_ordered(r, e, t) || ref_seen(r, e, t))
            continue;
        for (uint64_t b = lo; b < hi; b++)
            if (!(e->gone >> (b - e->addr) & 1))
                bad |= 1u << (b - y->addr);
    }
    return bad;
}

// A strong write stands for the writes of its class that it comes after: whoever has read it need
// not have read those. (For all other accesses remembering the old ones changes nothing.)
static inline void ref_supersede(struct ref *r, int t, const struct racc *y)
{
    for (int i = 0; i < r->n_acc; i++) {
        struct racc *e = &r->acc[i];
        bool alike = !y->strong || (e->strong && e->elem == y->elem && e->level == y->level);
        if (!alike || e->nc || !ref_ordered(r, e, t) || (e->writes && !y->writes))
            continue;
        for (uint64_t b = y->addr; b < y->addr + y->bytes; b++)
            if (b >= e->addr && b < e->addr + e->bytes)
                e->gone |= 1u << (b - e->addr);
    }
}

static inline void ref_sc_access(struct ref *r, int t, struct rloc *l, bool writes, bool linked)
{
    struct rthread *x = &r->t[t];
    if (l->sc_block != x->block) {
        memset(&l->sw[0], 0, sizeof l->sw[0]);
        memset(&l->sr[0], 0, sizeof l->sr[0]);
        l->sc_block = x->block;
    }
    for (int i = 0; i < 2; i++) {
        if (linked) {
            vc_join(&x->o[i], &l->sw[i]);
            if (writes)
                vc_join(&x->o[i], &l->sr[i]);
        }
        if (writes) {
            vc_join(&l->sw[i], &l->sr[i]);
            vc_join(&l->sw[i], &x->s[i]);
            memset(&l->sr[i], 0, sizeof l->sr[i]);
        } else {
            vc_join(&l->sr[i], &x->s[i]);
        }
    }
}

static inline void ref_attach(struct rloc *l, const struct rmsg *m)
{
    l->att = realloc(l->att, (size_t)(l->n_att + 1) * sizeof *l->att);
    l->att[l->n_att++] = *m;
}

static inline void ref_pend(struct rpend **p, int *n, int loc, const struct rmsg *m)
{
    *p = realloc(*p, (size_t)(*n + 1) * sizeof **p);
    (*p)[*n].loc = loc;
    (*p)[(*n)++].m = *m;
}

// The synchronizing side of a strong element access; y was checked and stored already.
static inline void ref_strong(struct ref *r, int t, const struct wf_site *s, struct racc *y,
                              bool reads)
{
    struct rthread *x = &r->t[t];
    struct rloc *l = &r->loc[y->loc];
    bool linked = l->last >= 0 && l->strong &&
                  (l->last == t || ref_mutual(r, l->level, l->last, (int)s->scope, t));
    bool acquires = s->order == WF_ORD_ACQUIRE || s->order >= WF_ORD_ACQ_REL;
    if (reads && !s->is_red) {
        if (linked) {
            for (int i = 0; i < l->n_att; i++)
                ref_pend(&x->pend, &x->n_pend, y->loc, &l->att[i]);
            if (!s->result_unused) { // who does not look at the value has not observed
                l->watch = realloc(l->watch, (size_t)(l->n_watch + 1) * sizeof *l->watch);
                l->watch[l->n_watch++] = (struct rwatch){t, x->c.c[t], l->brk, l->seq};
            }
        }
        for (int i = 0; acquires && i < x->n_pend; i++)
            if (x->pend[i].loc == y->loc &&
                ref_mutual(r, x->pend[i].m.level, x->pend[i].m.owner, (int)s->scope, t))
                ref_learn(r, t, &x->pend[i].m);
    }
    ref_sc_access(r, t, l, y->writes, linked);
    if (!y->writes)
        return;
    if (!(reads && linked)) {
        l->n_att = 0;
        l->brk = l->seq;
    }
    y->seq = ++l->seq;
    bool releases = s->order >= WF_ORD_RELEASE;
    if (releases) {
        struct rmsg m = ref_publish(r, t, (int)s->scope);
        ref_pend(&x->rel, &x->n_rel, y->loc, &m);
    }
    for (int i = 0; i < x->n_rel; i++)
        if (x->rel[i].loc == y->loc)
            ref_attach(l, &x->rel[i].m);
    for (int v = 0; v < 4; v++)
        if (x->has_fence[v])
            ref_attach(l, &x->fence[v]);
    l->last = t;
    l->strong = true;
    l->level = (int)s->scope;
    if (releases)
        x->c.c[t]++;
}

static inline void ref_unlink(struct ref *r, uint64_t addr, uint32_t bytes, int but)
{
    for (int i = 0; i < r->n_loc; i++) {
        struct rloc *l = &r->loc[i];
        if (i == but || l->addr >= addr + bytes || addr >= l->addr + l->bytes)
            continue;
        l->n_att = 0;
        l->strong = false;
    }
}

// An access by one thread. Returns the racing bytes.
static inline uint32_t ref_access(struct ref *r, int t, const struct wf_site *s, uint64_t addr,
                                  bool writes)
{
    uint32_t bad = 0;
    bool ptx = s->is_atomic || s->is_volatile || s->order != WF_ORD_WEAK;
    uint32_t parts = ptx ? s->elements : 1,
             size = ptx ? s->bytes : (uint32_t)s->bytes * s->elements;
    for (uint32_t k = 0; k < parts; k++) {
        struct racc y = {.thread = t,
                         .time = r->t[t].c.c[t],
                         .addr = addr + k * size,
                         .bytes = size,
                         .elem = size,
                         .writes = writes,
                         .guess = s->is_cas_guess,
                         .nc = s->is_nc,
                         .level = (int)s->scope,
                         .loc = -1,
                         .rmw = s->is_atomic,
                         .strong_ptx = ptx};
        y.strong = ptx && (!s->is_volatile || s->is_atomic || r->volatile_relaxed);
        if (ptx)
            y.loc = ref_loc(r, y.addr, size);
        bad |= ref_check(r, t, &y) << k * size;
        if (ptx && writes)
            ref_supersede(r, t, &y);
        if (r->n_acc == RA)
            abort();
        struct racc *a = &r->acc[r->n_acc++];
        *a = y;
        if (writes)
            ref_unlink(r, y.addr, size, y.loc);
        if (ptx)
            ref_strong(r, t, s, a, s->is_atomic || s->is_read);
        r->t[t].c.c[t]++;
    }
    return bad;
}

static inline void ref_fence(struct ref *r, int t, const struct wf_site *s)
{
    struct rthread *x = &r->t[t];
    bool wide = s->scope >= WF_SCOPE_GPU;
    if (s->order != WF_ORD_RELEASE)
        for (int i = 0; i < x->n_pend; i++)
            if (ref_mutual(r, x->pend[i].m.level, x->pend[i].m.owner, (int)s->scope, t))
                ref_learn(r, t, &x->pend[i].m);
    if (s->order == WF_ORD_SC)
        for (int i = 0; i < (wide ? 2 : 1); i++) {
            vc_join(&x->c, &x->o[i]);
            memset(&x->o[i], 0, sizeof x->o[i]);
        }
    if (s->order != WF_ORD_ACQUIRE) {
        if (s->order == WF_ORD_SC)
            for (int i = 0; i < (wide ? 2 : 1); i++)
                vc_join(&x->s[i], &x->c);
        int v = (int)s->scope - (int)WF_SCOPE_CTA;
        x->fence[v] = ref_publish(r, t, (int)s->scope);
        x->has_fence[v] = true;
        x->c.c[t]++;
    }
}

// A copy: forked now. Returns its number as a thread.
static inline int ref_copy(struct ref *r, int t, const struct wf_site *s, uint64_t dst,
                           uint64_t src, uint32_t bytes, uint32_t *bad_dst, uint32_t *bad_src)
{
    (void)s;
    int p = r->n_all++;
    if (p >= RT)
        abort();
    r->t[p].block = r->t[t].block;
    r->t[p].cluster = r->t[t].cluster;
    struct racc y = {.thread = p,
                     .time = 1,
                     .addr = dst,
                     .bytes = bytes,
                     .elem = bytes,
                     .writes = true,
                     .pending = true,
                     .loc = -1};
    *bad_dst = ref_check(r, t, &y);
    ref_supersede(r, t, &y); // who knows of the copy need not know what it replaced
    r->acc[r->n_acc++] = y;
    ref_unlink(r, dst, bytes, -1);
    y.addr = src;
    y.writes = false;
    *bad_src = ref_check(r, t, &y);
    ref_supersede(r, t, &y);
    r->acc[r->n_acc++] = y;
    return p;
}

static inline void ref_copy_done(struct ref *r, int p, int t)
{
    for (int i = 0; i < r->n_acc; i++)
        if (r->acc[i].thread == p)
            r->acc[i].pending = false;
    r->t[t].c.c[p] = 1;
}

#endif
