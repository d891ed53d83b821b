// SPDX-License-Identifier: Apache-2.0
// Float additions in order of arrival: the addends of an address are kept (up to a limit) and
// summed again in other orders at the end of the launch. Only a sum whose bits change is worth a
// word.
#include <inttypes.h> // PRIu64
#include <stdio.h>    // snprintf
#include <stdlib.h>   // free
#include <string.h>   // memcpy

#include "base/bits.h"    // WF_EACH_LANE
#include "base/map.h"     // struct wf_map
#include "check/advice.h" // wf__order_access
#include "check/where.h"  // wf__where_object
#include "core/finding.h" // wf_finding_add

#define PLACES 64u  // addresses followed in a launch
#define TERMS 2048u // addends kept of each
#define ORDERS 16u

struct place {
    const struct wf_site *site;
    uint64_t addr;
    bool is_shared, has_values, is_many; // many: from more than one warp
    uint32_t serial, warp;               // of the first one
    uint64_t count;
    uint32_t n;
    uint64_t term[];
};
static struct wf_map places; // address (shared: of the block too) -> struct place
static uint32_t n_places;

void wf__order_access(struct wf__ctx *c, const struct wf_ev_access *a)
{
    const struct wf__warp *w = a->warp->user;
    bool shared = a->space == WF_SPACE_SHARED;
    (void)c;
    WF_EACH_LANE(a->mask, l)
    {
        uint64_t addr = a->is_linear ? a->addr[0] + (uint64_t)a->stride * l : a->addr[l];
        uint64_t key =
            shared ? (UINT64_C(1) << 62) + ((uint64_t)w->block->serial << 24) + addr : addr;
        struct place *p = wf_map_get(&places, key + 1);
        if (!p) {
            if (n_places == PLACES)
                return;
            p = wf_xcalloc(1, sizeof *p + TERMS * sizeof *p->term);
            *p = (struct place){.site = a->site,
                                .addr = addr,
                                .is_shared = shared,
                                .has_values = a->value != NULL,
                                .serial = w->block->serial,
                                .warp = w->index};
            wf_map_put(&places, key + 1, p);
            n_places++;
        }
        p->count++;
        p->is_many |= p->serial != w->block->serial || p->warp != w->index;
        if (a->value && p->n < TERMS)
            p->term[p->n++] = a->value[l];
    }
}

static double sum(const struct place *p, const uint32_t *order)
{
    float f = 0;
    double d = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->site->bytes == 8) {
            double t;
            memcpy(&t, &p->term[order[i]], sizeof t);
            d += t;
        } else {
            float t;
            memcpy(&t, &p->term[order[i]], sizeof t);
            f += t;
        }
    }
    return p->site->bytes == 8 ? d : (double)f;
}

// Least and greatest sum over some orders: as it came, backwards, and shuffled with a fixed seed.
static void spread(const struct place *p, double *lo, double *hi)
{
    uint32_t order[TERMS];
    uint64_t seed = 1;
    for (uint32_t k = 0; k < ORDERS; k++) {
        for (uint32_t i = 0; i < p->n; i++)
            order[i] = k == 1 ? p->n - 1 - i : i;
        for (uint32_t i = p->n; k > 1 && i > 1; i--) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            uint32_t j = (uint32_t)((seed >> 33) % i), t = order[i - 1];
            order[i - 1] = order[j];
            order[j] = t;
        }
        double s = sum(p, order);
        *lo = k == 0 || s < *lo ? s : *lo;
        *hi = k == 0 || s > *hi ? s : *hi;
    }
}

static void tell(const struct place *p, const struct wf__grid *g)
{
    double lo = 0, hi = 0;
    if (p->has_values && p->site->bytes >= 4) {
        spread(p, &lo, &hi);
        if (!(lo < hi))
            return;
    }
    struct wf_finding f = wf_finding_make(WF_F_ORDER_FLOAT, p->site->kernel, g->ev->launch->id);
    struct wf_party *a = wf_finding_party(&f, WF_PARTY_ACCESS, p->site->loc);
    snprintf(a->op, sizeof a->op, "%s", p->site->what);
    wf__where_object(&f, p->is_shared, p->addr);
    if (lo < hi)
        snprintf(f.sentence, sizeof f.sentence,
                 "%" PRIu64
                 " floating-point additions to one address; in %u orders of arrival%s the sum "
                 "lies between %.9g and %.9g.",
                 p->count, ORDERS, p->count > p->n ? " of the first ones" : "", lo, hi);
    else
        snprintf(f.sentence, sizeof f.sentence,
                 "%" PRIu64 " floating-point additions to one address in order of arrival.",
                 p->count);
    snprintf(f.why, sizeof f.why,
             "floating-point addition rounds, so the result depends on which thread comes first");
    snprintf(
        f.fix, sizeof f.fix,
        "let each block store its part and add the parts in a fixed order in one block or launch");
    wf_finding_add(&f);
}

static int by_address(const void *a, const void *b)
{
    const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void wf__order_grid_end(const struct wf__grid *g)
{
    struct place *all[PLACES];
    uint32_t n = 0;
    uint64_t key;
    void *v;
    for (size_t i = 0; wf_map_next(&places, &i, &key, &v) && n < PLACES;)
        all[n++] = v;
    qsort(all, n, sizeof *all, by_address);
    for (uint32_t i = 0; i < n; i++) {
        if (all[i]->is_many && all[i]->count > 2)
            tell(all[i], g);
        free(all[i]);
    }
    wf_map_fini(&places);
    places = (struct wf_map){0};
    n_places = 0;
}
