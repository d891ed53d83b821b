// SPDX-License-Identifier: Apache-2.0
// Hot atomics: how many go to one address in a launch, and how many would be left if each block (or
// warp) combined its own first.
#include <inttypes.h> // PRIu64
#include <stdio.h>    // snprintf
#include <stdlib.h>   // qsort
#include <string.h>   // memset

#include "base/bits.h"    // WF_EACH_LANE
#include "base/map.h"     // struct wf_map
#include "check/advice.h" // wf__contend_access
#include "check/where.h"  // wf__where_object
#include "core/finding.h" // wf_finding_add

#define SLOTS 65536u // addresses counted in a launch; those that find no room are not hot
#define PROBES 4u
#define MIN_DEFAULT 1024u

struct hot {
    uint64_t addr, count, blocks;
    const struct wf_site *site;
    uint32_t serial; // of the block that came last
    bool is_shared;
};
static struct hot *table;
static bool is_used; // in this launch

static struct hot *slot(uint64_t addr, const struct wf_site *s)
{
    uint64_t h = (addr >> 2) * UINT64_C(0x9E3779B97F4A7C15) >> 48;
    for (uint32_t i = 0; i < PROBES; i++) {
        struct hot *t = &table[(h + i) % SLOTS];
        if (t->count && (t->addr != addr || t->site != s))
            continue;
        t->addr = addr;
        t->site = s;
        return t;
    }
    return NULL;
}

// What each warp's lanes last waited for; warps of the blocks that are resident, few of which wait.
struct wait {
    const struct wf_site *site;
    uint64_t addr[32];
};
static struct wf_map waits; // warp -> struct wait

static void note_wait(const struct wf_ev_access *a)
{
    uint64_t key = (uint64_t)(uintptr_t)a->warp;
    struct wait *t = wf_map_get(&waits, key);
    if (!t) {
        t = wf_xcalloc(1, sizeof *t);
        wf_map_put(&waits, key, t);
    }
    t->site = a->site;
    WF_EACH_LANE(a->mask, l)
    {
        t->addr[l] = a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l];
    }
}

static void forget_waits(void)
{
    uint64_t key;
    void *v;
    for (size_t i = 0; wf_map_next(&waits, &i, &key, &v);)
        free(v);
    wf_map_fini(&waits);
    waits = (struct wf_map){0};
}

// Atomics of other sites on the address that is waited for: they could end the wait, or undid what would have.
void wf__contend_explain(struct wf_ev_warp *w, const struct wf_site *s, uint32_t mask, struct wf_finding *f)
{
    const struct wait *t = wf_map_get(&waits, (uint64_t)(uintptr_t)w);
    if (!t || t->site != s || !mask)
        return;
    uint64_t addr = t->addr[wf_ctz32(mask)];
    wf__where_object(f, false, addr);
    for (uint32_t i = 0; table && i < SLOTS && f->n_parties < WF_MAX_PARTIES; i++) {
        if (!table[i].count || table[i].addr != addr || table[i].site->is_poll)
            continue;
        struct wf_party *p = wf_finding_party(f, WF_PARTY_RELEASER, table[i].site->loc);
        snprintf(p->op, sizeof p->op, "%s", table[i].site->what);
        snprintf(p->note, sizeof p->note, "writes what is waited for; done %" PRIu64 " times", table[i].count);
    }
}

void wf__contend_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    const struct wf__warp *w = a->warp->user;
    (void)c;
    if (a->site->is_poll)
        note_wait(a);
    if (a->space != WF_SPACE_GLOBAL) // shared memory is where one goes to avoid this
        return;
    if (!table)
        table = wf_xcalloc(SLOTS, sizeof *table);
    is_used = true;
    struct hot *t = NULL;
    uint64_t last = 0;
    if (a->is_linear && !a->stride && a->mask & a->writes) { // all of them at once
        t = slot(a->addr[0], a->site);
        if (!t)
            return;
        t->blocks += !t->count || t->serial != w->block->serial;
        t->serial = w->block->serial;
        t->count += wf_popcount32(a->mask & a->writes);
        return;
    }
    // A failed CAS changed nothing: threads that wait for a lock are another matter than hot counters.
    WF_EACH_LANE(a->mask & a->writes, l)
    {
        uint64_t addr = a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l];
        if (addr != last) {
            t = slot(addr, a->site);
            last = addr;
        }
        if (!t)
            continue;
        t->blocks += !t->count || t->serial != w->block->serial;
        t->serial = w->block->serial;
        t->count++;
    }
}

static int by_count(const void *a, const void *b)
{
    const struct hot *x = *(struct hot *const *)a, *y = *(struct hot *const *)b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void wf__contend_grid_end(const struct wf__ctx *c, const struct wf__grid *g)
{
    struct hot *top[64];
    uint32_t n = 0;
    uint64_t least = c->o.contention_min ? c->o.contention_min : MIN_DEFAULT;
    forget_waits();
    if (!is_used)
        return;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct hot *t = &table[i];
        if (t->blocks > g->n_blocks)
            t->blocks = g->n_blocks;
        if (t->count >= least && t->count >= 4 * t->blocks && n < 64 && !t->site->is_poll)
            top[n++] = t;
    }
    qsort(top, n, sizeof *top, by_count);
    for (uint32_t i = 0; i < n; i++) {
        const struct hot *t = top[i];
        bool told = false;
        for (uint32_t j = 0; j < i; j++)
            told |= top[j]->site == t->site;
        if (told)
            continue; // the hottest address of a line speaks for it
        struct wf_finding f = wf_finding_make(WF_F_CONTENTION, t->site->kernel, g->ev->launch->id);
        struct wf_party *a = wf_finding_party(&f, WF_PARTY_ACCESS, t->site->loc);
        snprintf(a->op, sizeof a->op, "%s", t->site->what);
        wf__where_object(&f, false, t->addr);
        snprintf(f.sentence, sizeof f.sentence,
                 "%" PRIu64 " atomic operations by %" PRIu64 " block%s go to one address.",
                 t->count, t->blocks, t->blocks == 1 ? "" : "s");
        snprintf(f.why, sizeof f.why, "atomics on one address are done one after another");
        snprintf(f.fix, sizeof f.fix,
                 "combine the values within each block first: %" PRIu64
                 " atomics would be left of %" PRIu64,
                 t->blocks, t->count);
        wf_finding_add(&f);
    }
    memset(table, 0, SLOTS * sizeof *table);
    is_used = false;
}

void wf__contend_fini(void)
{
    forget_waits();
    free(table);
    table = NULL;
}
