// SPDX-License-Identifier: Apache-2.0
// Bump arena over a list of chunks, newest first, and the heap calls that never return NULL.
// Invariant: the bytes of a chunk behind `pos` are zero, so that allocation need not clear.
#include "base/arena.h"

#include <stdalign.h> // alignas, max_align_t
#include <stdarg.h>   // va_list
#include <stdint.h>   // SIZE_MAX
#include <stdio.h>    // vsnprintf
#include <stdlib.h>   // malloc, abort
#include <string.h>   // memcpy

#define CHUNK_BYTES ((size_t)64 << 10)
#define ARENA_ALIGN ((size_t)16)

struct wf_arena_chunk {
    struct wf_arena_chunk *older;
    size_t pos, bytes;
    alignas(16) char data[];
};

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "warpfence: out of memory (a request of %zu bytes failed)\n", bytes);
    abort();
}

void *wf_xmalloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p)
        out_of_memory(bytes);
    return p;
}

void *wf_xcalloc(size_t n, size_t bytes)
{
    void *p = calloc(n ? n : 1, bytes ? bytes : 1);
    if (!p)
        out_of_memory(n && bytes > SIZE_MAX / n ? SIZE_MAX : n * bytes);
    return p;
}

void *wf_xrealloc(void *p, size_t bytes)
{
    void *q = realloc(p, bytes ? bytes : 1);
    if (!q)
        out_of_memory(bytes);
    return q;
}

char *wf_xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(wf_xmalloc(n), s, n);
}

void wf_arena_init(struct wf_arena *a, const char *name)
{
    *a = (struct wf_arena){.name = name};
}

void wf_arena_fini(struct wf_arena *a)
{
    wf_arena_rewind(a, (struct wf_arena_mark){0});
}

static struct wf_arena_chunk *chunk_new(struct wf_arena *a, size_t want)
{
    size_t bytes = want > CHUNK_BYTES ? want : CHUNK_BYTES;
    struct wf_arena_chunk *c = wf_xcalloc(1, sizeof *c + bytes);
    c->bytes = bytes;
    c->older = a->head;
    a->head = c;
    return c;
}

void *wf_arena_alloc(struct wf_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        out_of_memory(bytes);
    size_t want = (bytes + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
    struct wf_arena_chunk *c = a->head;
    if (!c || c->bytes - c->pos < want)
        c = chunk_new(a, want);
    void *p = c->data + c->pos;
    c->pos += want;
    a->used_bytes += want;
    return p;
}

char *wf_arena_strndup(struct wf_arena *a, const char *s, size_t n)
{
    char *p = wf_arena_alloc(a, n + 1);
    if (n)
        memcpy(p, s, n);
    return p;
}

char *wf_arena_strdup(struct wf_arena *a, const char *s)
{
    return wf_arena_strndup(a, s, strlen(s));
}

char *wf_arena_printf(struct wf_arena *a, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    char *p = wf_arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
    if (n > 0)
        vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

struct wf_arena_mark wf_arena_mark(const struct wf_arena *a)
{
    return (struct wf_arena_mark){
        .chunk = a->head, .pos = a->head ? a->head->pos : 0, .used_bytes = a->used_bytes};
}

void wf_arena_rewind(struct wf_arena *a, struct wf_arena_mark m)
{
    while (a->head != m.chunk) {
        struct wf_arena_chunk *c = a->head;
        a->head = c->older;
        free(c);
    }
    if (a->head) {
        memset(a->head->data + m.pos, 0, a->head->pos - m.pos);
        a->head->pos = m.pos;
    }
    a->used_bytes = m.used_bytes;
}
