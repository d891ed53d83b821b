// SPDX-License-Identifier: Apache-2.0
// Handle tables. Slots are reused in last-out order; the generation tells old handles from new.
#include "rt/table.h"

#include <stddef.h> // NULL

#include "base/arena.h" // wf_xrealloc
#include "base/err.h"   // WF_ASSERT

#define INDEX_BITS 24
#define INDEX_MASK ((UINT64_C(1) << INDEX_BITS) - 1)

static struct wf__slot *find(const struct wf__table *t, uint64_t handle)
{
    uint64_t i = handle & INDEX_MASK;
    if (handle >> 56 != (uint64_t)t->tag || i >= t->n)
        return NULL;
    struct wf__slot *s = &t->slot[i];
    return s->object && s->generation == (uint32_t)(handle >> INDEX_BITS) ? s : NULL;
}

uint64_t wf__table_put(struct wf__table *t, void *object)
{
    uint32_t i;
    if (t->first_free) {
        i = t->first_free - 1;
        t->first_free = t->slot[i].next_free;
    } else {
        if (t->n == t->cap) {
            WF_ASSERT(t->cap < INDEX_MASK / 2);
            t->cap = t->cap ? 2 * t->cap : 16;
            t->slot = wf_xrealloc(t->slot, t->cap * sizeof *t->slot);
        }
        i = t->n++;
        t->slot[i] = (struct wf__slot){0};
    }
    t->slot[i].object = object;
    t->slot[i].generation++;
    return (uint64_t)t->tag << 56 | (uint64_t)t->slot[i].generation << INDEX_BITS | i;
}

void *wf__table_get(const struct wf__table *t, uint64_t handle)
{
    struct wf__slot *s = find(t, handle);
    return s ? s->object : NULL;
}

void wf__table_drop_at(struct wf__table *t, uint32_t i)
{
    t->slot[i].object = NULL;
    t->slot[i].next_free = t->first_free;
    t->first_free = i + 1;
}

void wf__table_drop(struct wf__table *t, uint64_t handle)
{
    struct wf__slot *s = find(t, handle);
    if (s)
        wf__table_drop_at(t, (uint32_t)(s - t->slot));
}

void wf__table_clear(struct wf__table *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->slot[i].object)
            wf__table_drop_at(t, i);
}
