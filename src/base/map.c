// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing, at most 3/4 full. Deletion moves later entries of the run
// back, so there are no tombstones. An empty slot has value NULL.
#include "base/map.h"

#include <stdlib.h> // free
#include <string.h> // memcmp

#include "base/arena.h" // wf_xcalloc

struct wf_map_slot {
    uint64_t key;
    void *value;
};

static size_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return (size_t)x;
}

void wf_map_fini(struct wf_map *m)
{
    free(m->slot);
    *m = (struct wf_map){0};
}

static size_t map_find(const struct wf_map *m,
                       uint64_t key) // the key's slot, or the empty one for it
{
    size_t i = mix(key) & (m->cap - 1);
    while (m->slot[i].value && m->slot[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

void *wf_map_get(const struct wf_map *m, uint64_t key)
{
    return m->n ? m->slot[map_find(m, key)].value : NULL;
}

static void map_grow(struct wf_map *m)
{
    struct wf_map old = *m;
    m->cap = old.cap ? 2 * old.cap : 16;
    m->slot = wf_xcalloc(m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slot[i].value)
            m->slot[map_find(m, old.slot[i].key)] = old.slot[i];
    free(old.slot);
}

void wf_map_put(struct wf_map *m, uint64_t key, void *value)
{
    if (4 * (m->n + 1) > 3 * m->cap)
        map_grow(m);
    struct wf_map_slot *s = &m->slot[map_find(m, key)];
    m->n += !s->value;
    *s = (struct wf_map_slot){key, value};
}

void *wf_map_del(struct wf_map *m, uint64_t key)
{
    if (!m->n)
        return NULL;
    size_t hole = map_find(m, key);
    void *value = m->slot[hole].value;
    if (!value)
        return NULL;
    for (size_t i = (hole + 1) & (m->cap - 1); m->slot[i].value; i = (i + 1) & (m->cap - 1)) {
        size_t home = mix(m->slot[i].key) & (m->cap - 1);
        if (((i - home) & (m->cap - 1)) >= ((i - hole) & (m->cap - 1))) {
            m->slot[hole] = m->slot[i];
            hole = i;
        }
    }
    m->slot[hole] = (struct wf_map_slot){0};
    m->n--;
    return value;
}

int wf_map_next(const struct wf_map *m, size_t *pos, uint64_t *key, void **value)
{
    for (; *pos < m->cap; (*pos)++) {
        const struct wf_map_slot *s = &m->slot[*pos];
        if (s->value) {
            *key = s->key;
            *value = s->value;
            (*pos)++;
            return 1;
        }
    }
    return 0;
}

struct wf_smap_slot {
    const char *key;
    void *value;
    size_t n;
    uint64_t hash;
};

static uint64_t hash_text(const char *s, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) + n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
    return h;
}

void wf_smap_fini(struct wf_smap *m)
{
    free(m->slot);
    *m = (struct wf_smap){0};
}

static size_t smap_find(const struct wf_smap *m, const char *key, size_t n, uint64_t hash)
{
    size_t i = mix(hash) & (m->cap - 1);
    for (; m->slot[i].value; i = (i + 1) & (m->cap - 1)) {
        const struct wf_smap_slot *s = &m->slot[i];
        if (s->hash == hash && s->n == n && memcmp(s->key, key, n) == 0)
            break;
    }
    return i;
}

void *wf_smap_getn(const struct wf_smap *m, const char *key, size_t n)
{
    return m->n ? m->slot[smap_find(m, key, n, hash_text(key, n))].value : NULL;
}

void *wf_smap_get(const struct wf_smap *m, const char *key)
{
    return wf_smap_getn(m, key, strlen(key));
}

static void smap_grow(struct wf_smap *m)
{
    struct wf_smap old = *m;
    m->cap = old.cap ? 2 * old.cap : 16;
    m->slot = wf_xcalloc(m->cap, sizeof *m->slot);
    for (size_t i = 0; i < old.cap; i++) {
        const struct wf_smap_slot *s = &old.slot[i];
        if (s->value)
            m->slot[smap_find(m, s->key, s->n, s->hash)] = *s;
    }
    free(old.slot);
}

void wf_smap_put(struct wf_smap *m, const char *key, void *value)
{
    if (4 * (m->n + 1) > 3 * m->cap)
        smap_grow(m);
    size_t n = strlen(key);
    uint64_t hash = hash_text(key, n);
    struct wf_smap_slot *s = &m->slot[smap_find(m, key, n, hash)];
    if (s->value) { // the old key stays: its owner may outlive the new one's
        s->value = value;
        return;
    }
    *s = (struct wf_smap_slot){key, value, n, hash};
    m->n++;
}
