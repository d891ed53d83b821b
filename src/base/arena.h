// SPDX-License-Identifier: Apache-2.0
// Bump arena: objects of one lifetime, freed together. Not thread-safe. Never returns NULL.
#ifndef WF_BASE_ARENA_H
#define WF_BASE_ARENA_H

#include <stddef.h> // size_t

struct wf_arena_chunk;
struct wf_arena {
    const char *name; // shown by --stats
    struct wf_arena_chunk *head;
    size_t used_bytes; // over all chunks
};
struct wf_arena_mark {
    struct wf_arena_chunk *chunk;
    size_t pos, used_bytes;
};

void wf_arena_init(struct wf_arena *a, const char *name);
void wf_arena_fini(struct wf_arena *a);
void *wf_arena_alloc(struct wf_arena *a, size_t bytes); // zeroed, aligned to 16
char *wf_arena_strdup(struct wf_arena *a, const char *s);
char *wf_arena_strndup(struct wf_arena *a, const char *s, size_t n); // NUL added
char *wf_arena_printf(struct wf_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct wf_arena_mark wf_arena_mark(const struct wf_arena *a);
void wf_arena_rewind(struct wf_arena *a, struct wf_arena_mark m);
#define WF_NEW(a, T) ((T *)wf_arena_alloc((a), sizeof(T)))
#define WF_NEW_N(a, T, n) ((T *)wf_arena_alloc((a), sizeof(T) * (size_t)(n)))

// Heap calls that never return NULL (print one line and abort when memory is exhausted).
void *wf_xmalloc(size_t bytes);
void *wf_xcalloc(size_t n, size_t bytes);
void *wf_xrealloc(void *p, size_t bytes);
char *wf_xstrdup(const char *s);

#endif
