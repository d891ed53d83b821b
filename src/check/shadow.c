// SPDX-License-Identifier: Apache-2.0
// Memory of the shadow: reserved cells, record pools, spilled words, unions of readers.
#include "check/shadow.h"

#include <stdlib.h> // free
#include <string.h> // memset

#include "base/bits.h"  // wf_align_up
#include "base/err.h"   // WF_ASSERT
#include "base/os.h"    // wf_os_reserve
#include "check/crowd.h" // wf__crowd_free
#include "check/line.h" // wf__cell_at
#include "check/sync.h" // wf__loc_free

#define WORD_CHUNK 1024u
#define MEMO_BITS 14 // unions remembered
#define SLOT_MEMO_BITS 8
#define SLOT_RECS (1u << 22)
#define SLOT_KEPT 4096u

static void *reserve(size_t bytes)
{
    void *p = wf_os_reserve(bytes);
    if (p && wf_os_commit(p, bytes) != 0) {
        wf_os_release(p, bytes);
        p = NULL;
    }
    return p;
}

static void pool_init(struct wf__pool *p, uint32_t cap)
{
    uint32_t bits = cap == SLOT_RECS ? SLOT_MEMO_BITS : MEMO_BITS;
    *p = (struct wf__pool){.cap_rec = cap, .memo_bits = bits, .limit = WF__FIRST_LIMIT, .n_rec = 1, .first = 1, .gone = 1};
    p->rec = reserve((size_t)cap * sizeof *p->rec);
    WF_ASSERT(p->rec);
    if (cap == WF__MAX_REC)
        wf_os_want_huge(p->rec, (size_t)cap * sizeof *p->rec); // filled from one end to the other
}

static void locs_drop(struct wf__pool *p)
{
    while (p->locs) {
        struct wf__loc *next = p->locs->next;
        wf__loc_free(p->locs);
        p->locs = next;
    }
}

void wf__shadow_unlink(struct wf__shadow *s)
{
    struct wf__pool *p = &s->pool;
    if (!p->locs)
        return;
    for (uint32_t i = 0; i < p->n_word; i++)
        p->word[i / WORD_CHUNK][i % WORD_CHUNK].n_loc = 0;
    locs_drop(p);
}

static void words_drop(struct wf__pool *p)
{
    for (uint32_t i = 0; i < p->n_word; i++) {
        struct wf__word *w = &p->word[i / WORD_CHUNK][i % WORD_CHUNK];
        w->n = 0;
        w->n_loc = 0;
        w->cell = NULL;
    }
    locs_drop(p);
    p->n_word = p->free_word = 0;
}

static void pool_fini(struct wf__pool *p)
{
    words_drop(p);
    for (uint32_t i = 0; i < p->cap_word; i++) {
        free(p->word[i / WORD_CHUNK][i % WORD_CHUNK].at);
        free(p->word[i / WORD_CHUNK][i % WORD_CHUNK].loc);
        wf__crowd_free(&p->word[i / WORD_CHUNK][i % WORD_CHUNK]);
    }
    for (uint32_t i = 0; i < p->cap_word / WORD_CHUNK; i++)
        free(p->word[i]);
    free(p->word);
    free(p->memo);
    wf_os_release(p->rec, (size_t)p->cap_rec * sizeof *p->rec);
}

void wf__shadow_init(struct wf__shadow *s, uint64_t base, uint64_t bytes)
{
    *s = (struct wf__shadow){.base = base, .bytes = bytes};
    pool_init(&s->pool, WF__MAX_REC);
    s->cell = reserve(bytes * 2);
    s->touched = wf_xcalloc((bytes >> 20) + 1, 1);
}

void wf__shadow_fini(struct wf__shadow *s)
{
    pool_fini(&s->pool);
    if (s->cell)
        wf_os_release(s->cell, s->bytes * 2);
    for (uint32_t i = 0; i < s->n_slots; i++) {
        if (!s->slot[i])
            continue;
        pool_fini(&s->slot[i]->pool);
        if (s->slot[i]->cell)
            wf_os_release(s->slot[i]->cell, s->slot[i]->reserved);
        free(s->slot[i]->init);
        free(s->slot[i]->heard.at);
        free(s->slot[i]);
    }
    free(s->slot);
    free(s->touched);
}

void wf__shadow_count(const struct wf__shadow *s, uint64_t *words, uint64_t *page_bytes)
{
    *words = *page_bytes = 0;
    for (uint64_t i = 0; s->cell && i <= s->bytes >> 20; i++) {
        if (!s->touched[i])
            continue;
        uint64_t at = i << 18, n = s->bytes / 4 - at < 1u << 18 ? s->bytes / 4 - at : 1u << 18;
        for (uint64_t page = 0; page < n; page += 512) { // cells of one page
            uint64_t used = 0;
            for (uint64_t k = page; k < page + 512 && k < n; k++) {
                bool is_line = wf__line_is(s->cell[at + k]);
                used += is_line ? WF__LINE_WORDS : s->cell[at + k] != 0;
                k += is_line ? WF__LINE_WORDS - 1 : 0;
            }
            *words += used;
            *page_bytes += used ? 4096 : 0;
        }
    }
}

void wf__shadow_age(struct wf__shadow *s)
{
    struct wf__pool *p = &s->pool;
    words_drop(p);
    if (p->n_rec > p->cap_rec / 2) { // start numbering again: old handles must go
        for (uint64_t i = 0; i <= s->bytes >> 20; i++) {
            if (!s->touched[i])
                continue;
            s->touched[i] = 0;
            uint64_t at = i << 18,
                     n = (s->bytes / 4 - at) < (1u << 18) ? s->bytes / 4 - at : 1u << 18;
            WF_ASSERT(wf_os_decommit(s->cell + at, n * 8) == 0 &&
                      wf_os_commit(s->cell + at, n * 8) == 0);
        }
        WF_ASSERT(wf_os_decommit(p->rec, (size_t)p->cap_rec * sizeof *p->rec) == 0 &&
                  wf_os_commit(p->rec, (size_t)p->cap_rec * sizeof *p->rec) == 0);
        p->n_rec = 1;
        p->closed = 0;
        wf__memo_clear(p);
    }
    p->first = p->gone = p->n_rec;
}

void wf__shadow_wipe(struct wf__shadow *s, uint64_t addr, uint64_t bytes)
{
    if (!s->cell || addr < s->base || addr - s->base >= s->bytes)
        return;
    uint64_t at = addr - s->base, end = at + bytes < s->bytes ? at + bytes : s->bytes;
    for (uint64_t next; at < end; at = next) {
        next = (at | ((UINT64_C(1) << 20) - 1)) + 1;
        if (!s->touched[at >> 20])
            continue;
        for (uint64_t i = at / 4, stop = ((next < end ? next : end) + 3) / 4; i < stop; i++) {
            uint64_t *cell = &s->cell[i];
            if (i % WF__LINE_WORDS == 0 && stop - i >= WF__LINE_WORDS && wf__line_is(*cell)) {
                *cell = WF__LINE; // nobody
                i += WF__LINE_WORDS - 1;
                continue;
            }
            cell = wf__cell_at(&s->pool, s->cell, i);
            struct wf__word *w = *cell ? wf__word_of(&s->pool, cell) : NULL;
            if (w)
                wf__word_free(&s->pool, w);
            s->cell[i] = 0;
        }
    }
}

struct wf__slot *wf__slot_get(struct wf__shadow *s, uint32_t number, uint32_t shared_bytes)
{
    if (number >= s->n_slots) {
        s->slot = wf_xrealloc(s->slot, (number + 1) * sizeof *s->slot);
        while (s->n_slots <= number)
            s->slot[s->n_slots++] = NULL;
    }
    struct wf__slot *t = s->slot[number];
    if (!t) {
        t = s->slot[number] = wf_xcalloc(1, sizeof *t);
        pool_init(&t->pool, SLOT_RECS);
    }
    uint64_t words = ((uint64_t)shared_bytes + 3) / 4;
    if (words * 8 > t->reserved) {
        if (t->cell)
            wf_os_release(t->cell, t->reserved);
        free(t->init);
        t->init = NULL;
        t->reserved = wf_align_up(words * 8, 4096); // whole lines
        t->cell = reserve(t->reserved);
        WF_ASSERT(t->cell);
    }
    t->words = words;
    return t;
}

static void slot_wipe(struct wf__slot *s)
{
    words_drop(&s->pool);
    if (s->pool.n_rec > SLOT_KEPT) { // start numbering again, in memory that the caches know
        if (s->cell)
            memset(s->cell, 0, wf_align_up(s->words * 8, 256)); // whole lines
        s->pool.n_rec = 1;
        s->pool.closed = 0;
        wf__memo_clear(&s->pool);
    }
    s->pool.first = s->pool.gone = s->pool.n_rec;
    s->heard.n = 0;
    s->heard.is_on = true;
}

void wf__slot_begin(struct wf__slot *s)
{
    s->is_visited = false;
    slot_wipe(s);
}

void wf__slot_barrier(struct wf__slot *s, uint32_t oldest)
{
    if (oldest == UINT32_MAX)
        slot_wipe(s);
    else if (oldest > s->pool.first)
        s->pool.first = s->pool.gone = oldest;
}

uint32_t wf__rec_new(struct wf__pool *p)
{
    WF_ASSERT(p->n_rec < p->cap_rec); // room is made before each access
    p->rec[p->n_rec] = (struct wf__rec){0};
    return p->n_rec++;
}

struct wf__word *wf__word_of(struct wf__pool *p, uint64_t *cell)
{
    uint32_t i = (uint32_t)*cell & ~WF__SPILL;
    if (!((uint32_t)*cell & WF__SPILL) || i >= p->n_word)
        return NULL;
    struct wf__word *w = &p->word[i / WORD_CHUNK][i % WORD_CHUNK];
    return w->cell == cell ? w : NULL;
}

struct wf__word *wf__word_at(struct wf__pool *p, uint32_t i)
{
    return &p->word[i / WORD_CHUNK][i % WORD_CHUNK];
}

void wf__memo_clear(struct wf__pool *p)
{
    if (p->memo)
        memset(p->memo, 0, (sizeof *p->memo) << p->memo_bits);
}

struct wf__word *wf__word_new(struct wf__pool *p, uint64_t *cell)
{
    uint32_t i = p->free_word ? p->free_word - 1 : p->n_word;
    struct wf__word *w;
    if (i == p->cap_word) {
        p->word = wf_xrealloc(p->word, (p->cap_word / WORD_CHUNK + 1) * sizeof *p->word);
        p->word[p->cap_word / WORD_CHUNK] = wf_xcalloc(WORD_CHUNK, sizeof **p->word);
        p->cap_word += WORD_CHUNK;
    }
    w = &p->word[i / WORD_CHUNK][i % WORD_CHUNK];
    if (p->free_word)
        p->free_word = w->next_free;
    else
        p->n_word++;
    p->made++;
    struct wf__word was = *w;
    *w = (struct wf__word){.cell = cell, .at = was.at, .cap = was.cap, .loc = was.loc, .crowd = was.crowd};
    wf__crowd_reset(w);
    *cell = WF__SPILL | i;
    return w;
}

void wf__word_free(struct wf__pool *p, struct wf__word *w)
{
    uint32_t i = (uint32_t)*w->cell & ~WF__SPILL;
    w->cell = NULL;
    w->n = 0;
    w->next_free = p->free_word;
    p->free_word = i + 1;
}
