// SPDX-License-Identifier: Apache-2.0
// The treap of segments. Priorities come from a small generator with a fixed seed: shapes, and with
// first fit the addresses, are the same in every run.
#include "mem/block.h"

#include <string.h> // memset

#include "base/arena.h" // wf_xcalloc
#include "base/bits.h"  // wf_align_up

#define GRAIN 256 // every segment starts on this

static struct wf__seg *node_new(struct wf__tree *t, uint64_t addr, uint64_t bytes, bool is_free)
{
    struct wf__seg *s = t->spare;
    if (s) {
        t->spare = s->left;
        memset(s, 0, sizeof *s);
    } else {
        s = wf_xcalloc(1, sizeof *s);
    }
    t->seed ^= t->seed << 13;
    t->seed ^= t->seed >> 17;
    t->seed ^= t->seed << 5;
    s->priority = t->seed;
    s->addr = addr;
    s->bytes = bytes;
    s->is_free = is_free;
    return s;
}

static void node_drop(struct wf__tree *t, struct wf__seg *s)
{
    s->left = t->spare;
    t->spare = s;
}

static uint64_t largest(const struct wf__seg *s)
{
    return s ? s->max_free : 0;
}

static void pull(struct wf__seg *s)
{
    uint64_t m = s->is_free ? s->bytes : 0;
    m = largest(s->left) > m ? largest(s->left) : m;
    s->max_free = largest(s->right) > m ? largest(s->right) : m;
}

static struct wf__seg *rotate_right(struct wf__seg *s)
{
    struct wf__seg *l = s->left;
    s->left = l->right;
    l->right = s;
    pull(s);
    pull(l);
    return l;
}

static struct wf__seg *rotate_left(struct wf__seg *s)
{
    struct wf__seg *r = s->right;
    s->right = r->left;
    r->left = s;
    pull(s);
    pull(r);
    return r;
}

static struct wf__seg *insert(struct wf__seg *at, struct wf__seg *s)
{
    if (!at) {
        pull(s);
        return s;
    }
    if (s->addr < at->addr) {
        at->left = insert(at->left, s);
        if (at->left->priority > at->priority)
            return rotate_right(at);
    } else {
        at->right = insert(at->right, s);
        if (at->right->priority > at->priority)
            return rotate_left(at);
    }
    pull(at);
    return at;
}

static struct wf__seg *join(struct wf__seg *a, struct wf__seg *b)
{
    if (!a || !b)
        return a ? a : b;
    if (a->priority > b->priority) {
        a->right = join(a->right, b);
        pull(a);
        return a;
    }
    b->left = join(a, b->left);
    pull(b);
    return b;
}

static struct wf__seg *erase(struct wf__seg *at, const struct wf__seg *s)
{
    if (at == s)
        return join(at->left, at->right);
    if (s->addr < at->addr)
        at->left = erase(at->left, s);
    else
        at->right = erase(at->right, s);
    pull(at);
    return at;
}

// Recomputes the path from the root to s, whose size or state has changed.
static void refresh(struct wf__seg *at, const struct wf__seg *s)
{
    if (at != s)
        refresh(s->addr < at->addr ? at->left : at->right, s);
    pull(at);
}

static void link_after(struct wf__seg *s, struct wf__seg *n)
{
    n->prev = s;
    n->next = s->next;
    if (s->next)
        s->next->prev = n;
    s->next = n;
}

void wf__tree_init(struct wf__tree *t, uint64_t lo, uint64_t hi)
{
    *t = (struct wf__tree){.seed = 2463534242u};
    t->root = insert(NULL, node_new(t, lo, hi - lo, true));
}

static struct wf__seg *first_fit(struct wf__seg *s, uint64_t need)
{
    while (s && s->max_free >= need) {
        if (largest(s->left) >= need)
            s = s->left;
        else if (s->is_free && s->bytes >= need)
            return s;
        else
            s = s->right;
    }
    return NULL;
}

// Cuts the segment at `at` (inside it); the new upper part is returned and is in the tree.
static struct wf__seg *cut(struct wf__tree *t, struct wf__seg *s, uint64_t at)
{
    struct wf__seg *n = node_new(t, at, s->addr + s->bytes - at, s->is_free);
    s->bytes = at - s->addr;
    refresh(t->root, s);
    t->root = insert(t->root, n);
    link_after(s, n);
    return n;
}

struct wf__seg *wf__tree_take(struct wf__tree *t, uint64_t bytes, uint64_t align)
{
    uint64_t slack = align > GRAIN ? align - GRAIN : 0;
    struct wf__seg *s = first_fit(t->root, bytes + slack);
    if (!s)
        return NULL;
    uint64_t at = wf_align_up(s->addr, align > GRAIN ? align : GRAIN);
    if (at > s->addr)
        s = cut(t, s, at);
    if (s->bytes > bytes)
        cut(t, s, s->addr + bytes);
    s->is_free = false;
    refresh(t->root, s);
    return s;
}

// Appends the segment behind s to s.
static void swallow_next(struct wf__tree *t, struct wf__seg *s)
{
    struct wf__seg *n = s->next;
    t->root = erase(t->root, n);
    s->bytes += n->bytes;
    s->next = n->next;
    if (n->next)
        n->next->prev = s;
    node_drop(t, n);
}

struct wf__seg *wf__tree_give(struct wf__tree *t, struct wf__seg *s)
{
    s->is_free = true;
    if (s->next && s->next->is_free)
        swallow_next(t, s);
    if (s->prev && s->prev->is_free) {
        s = s->prev;
        swallow_next(t, s);
    }
    refresh(t->root, s);
    return s;
}

struct wf__seg *wf__tree_at(const struct wf__tree *t, uint64_t addr)
{
    struct wf__seg *s = t->root;
    while (s) {
        if (addr < s->addr)
            s = s->left;
        else if (addr - s->addr >= s->bytes)
            s = s->right;
        else
            return s;
    }
    return NULL;
}
