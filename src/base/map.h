// SPDX-License-Identifier: Apache-2.0
// Hash maps: 64-bit integer key -> pointer, and string key -> pointer (keys are borrowed).
#ifndef WF_BASE_MAP_H
#define WF_BASE_MAP_H

#include <stddef.h> // size_t
#include <stdint.h> // uint64_t

struct wf_map_slot;
struct wf_map {
    struct wf_map_slot *slot;
    size_t n, cap; // cap is a power of two or 0
};

void wf_map_fini(struct wf_map *m);
void *wf_map_get(const struct wf_map *m, uint64_t key);       // NULL when absent
void wf_map_put(struct wf_map *m, uint64_t key, void *value); // value must not be NULL; replaces
void *wf_map_del(struct wf_map *m, uint64_t key);             // the old value, or NULL
// Walk in unspecified order: for (size_t i = 0; wf_map_next(m, &i, &key, &value);)
int wf_map_next(const struct wf_map *m, size_t *pos, uint64_t *key, void **value);

struct wf_smap_slot;
struct wf_smap {
    struct wf_smap_slot *slot;
    size_t n, cap;
};

void wf_smap_fini(struct wf_smap *m);
void *wf_smap_get(const struct wf_smap *m, const char *key);
void *wf_smap_getn(const struct wf_smap *m, const char *key, size_t n);
void wf_smap_put(struct wf_smap *m, const char *key, void *value);

#endif
