// SPDX-License-Identifier: Apache-2.0
// See pattern.h.
#include "check/pattern.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/arena.h" // wf_xcalloc
#include "base/bits.h"  // WF_EACH_LANE
#include "check/site.h" // wf__site_get

#define BUCKETS 4096u
#define MOST 8192u       // patterns
#define PATIENCE 32u     // unknown shapes in a row before an instruction is asked less often
#define FAR (INT64_C(1) << 20)

static struct wf__pattern *bucket[BUCKETS];
static const struct wf__pattern *all[MOST];
static uint32_t n_all;

static inline bool matches(const struct wf__pattern *p, const uint64_t *addr, uint64_t first)
{
    uint64_t bad = 0;
    if (p->mask == UINT32_MAX) {
        for (uint32_t l = 0; l < 32; l++)
            bad |= (addr[l] - first) ^ p->want[l];
        return !bad;
    }
    for (uint32_t l = 0; l < 32; l++)
        bad |= ((addr[l] - first) ^ p->want[l]) & p->care[l];
    return !bad;
}

static inline bool is_it(const struct wf__pattern *p, const uint64_t *addr, uint32_t mask, uint32_t size)
{
    return p && p->mask == mask && p->size == size && matches(p, addr, addr[wf_ctz32(mask)]);
}

// The words of a new pattern, whose mask, size, want and care are set.
static void take_apart(struct wf__pattern *p)
{
    uint32_t rep[32] = {0}, n = 0;
    WF_EACH_LANE(p->mask, l)
    {
        uint32_t k = 0;
        while (k < n && p->want[rep[k]] != p->want[l])
            k++;
        if (k == n) { // keep them in the order of their places
            for (; k > 0 && (int64_t)p->want[rep[k - 1]] > (int64_t)p->want[l]; k--)
                rep[k] = rep[k - 1];
            rep[k] = l;
            n++;
        }
        p->group[rep[k]] |= 1u << l;
        p->is_grouped |= rep[k] != l;
    }
    p->low = (int64_t)p->want[rep[0]];
    p->least = 31;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t w = 0; w < p->size / 4; w++) {
            p->idx[p->n] = (uint32_t)(((int64_t)p->want[rep[k]] - p->low) / 4) + w;
            p->lane[p->n++] = rep[k];
            p->least = rep[k] < p->least ? rep[k] : p->least;
            p->most = rep[k] > p->most ? rep[k] : p->most;
        }
    p->span = p->idx[p->n - 1] + 1;
    p->is_dense = p->span == p->n;
}

static const struct wf__pattern *find(const uint64_t *addr, uint32_t mask, uint32_t size)
{
    uint32_t first = wf_ctz32(mask);
    uint64_t hash = mask;
    if (addr[first] % size)
        return NULL;
    WF_EACH_LANE(mask, l)
    {
        int64_t d = (int64_t)(addr[l] - addr[first]);
        if (d % (int64_t)size || d > FAR || d < -FAR)
            return NULL;
        hash = (hash ^ (uint64_t)d) * UINT64_C(0x9E3779B97F4A7C15);
        hash ^= hash >> 29;
    }
    struct wf__pattern **at = &bucket[(hash >> 32) % BUCKETS];
    for (const struct wf__pattern *p = *at; p; p = p->next)
        if (is_it(p, addr, mask, size))
            return p;
    if (n_all == MOST)
        return NULL;
    struct wf__pattern *p = wf_xcalloc(1, sizeof *p);
    p->id = n_all;
    p->mask = mask;
    p->lanes = wf_popcount32(mask);
    p->size = size;
    WF_EACH_LANE(mask, l)
    {
        p->want[l] = addr[l] - addr[first];
        p->care[l] = UINT64_MAX;
    }
    take_apart(p);
    p->stride = INT64_MAX;
    if (mask & (mask - 1)) { // of the first two, and then of all?
        uint32_t second = wf_ctz32(mask & (mask - 1));
        p->stride = (int64_t)p->want[second] / (int64_t)(second - first);
        WF_EACH_LANE(mask, l)
        {
            if ((int64_t)p->want[l] != p->stride * (int64_t)(l - first)) {
                p->stride = INT64_MAX;
                break;
            }
        }
    }
    p->next = *at;
    *at = p;
    all[n_all++] = p;
    return p;
}

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
const struct wf__pattern *
wf__pattern_of(const struct wf_site *s, const uint64_t *addr, uint32_t mask)
{
    struct wf__site *t = wf__site_get(s);
    uint32_t size = (uint32_t)s->bytes * s->elements;
    if (t->what != WF__SITE_PLAIN || size < 4)
        return NULL;
    if (is_it(t->pattern[0], addr, mask, size)) {
        t->misses = 0;
        return addr[wf_ctz32(mask)] % size ? NULL : t->pattern[0];
    }
    if (!is_it(t->pattern[1], addr, mask, size)) {
        if (t->misses++ > PATIENCE && t->misses % PATIENCE) // indices out of data: no shape twice
            return NULL;
        const struct wf__pattern *p = find(addr, mask, size);
        if (!p)
            return NULL;
        t->pattern[1] = p;
    }
    const struct wf__pattern *p = t->pattern[1];
    t->pattern[1] = t->pattern[0];
    t->pattern[0] = p;
    return addr[wf_ctz32(mask)] % size ? NULL : p;
}

const struct wf__pattern *wf__pattern_of_linear(const struct wf_site *s, uint64_t addr, int64_t stride, uint32_t mask)
{
    const struct wf__pattern *p = wf__site_get(s)->pattern[0];
    uint32_t size = (uint32_t)s->bytes * s->elements;
    uint64_t each[32];
    if (wf__site_get(s)->what != WF__SITE_PLAIN)
        return NULL;
    if (p && p->stride == stride && p->mask == mask && p->size == size)
        return (addr + (uint64_t)stride * wf_ctz32(mask)) % size ? NULL : p;
    for (uint32_t l = 0; l < 32; l++)
        each[l] = addr + (uint64_t)stride * l;
    return wf__pattern_of(s, each, mask);
}

const struct wf__pattern *wf__pattern_get(uint32_t id)
{
    return all[id];
}

void wf__pattern_fini(void)
{
    for (uint32_t i = 0; i < n_all; i++)
        free((void *)(uintptr_t)all[i]);
    n_all = 0;
    memset(bucket, 0, sizeof bucket);
}
