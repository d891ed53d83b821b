// SPDX-License-Identifier: Apache-2.0
// Graphs and their nodes. Edges are kept at the later node. A graph is small, so questions about it
// are answered by walking.
#include "rt/graph_priv.h"

#include <stdlib.h> // free

#include "base/arena.h"    // wf_xcalloc
#include "exec/condition.h" // wf_condition_create
#include "rt/ctx.h"        // wf_rt_enter
#include "rt/table.h"      // struct wf__table

static struct wf__table graphs = {.tag = WF__TAG_GRAPH};
static struct wf__table nodes = {.tag = WF__TAG_NODE};

struct wf__graph *wf__graph_new(void)
{
    struct wf__graph *g = wf_xcalloc(1, sizeof *g);
    g->handle = wf__table_put(&graphs, g);
    return g;
}

struct wf__graph *wf__graph_find(uint64_t handle)
{
    return wf__table_get(&graphs, handle);
}

struct wf__node *wf__graph_node(uint64_t handle)
{
    return wf__table_get(&nodes, handle);
}

static void node_free(struct wf__node *v)
{
    wf__table_drop(&nodes, v->handle);
    wf__node_fini(v);
    free(v->pred);
    free(v);
}

void wf__graph_free(struct wf__graph *g)
{
    for (struct wf__node *v = g->first, *next; v; v = next) {
        next = v->next;
        node_free(v);
    }
    wf__table_drop(&graphs, g->handle);
    free(g);
}

void wf__node_add_pred(struct wf__node *v, struct wf__node *pred)
{
    for (uint32_t i = 0; i < v->n_pred; i++)
        if (v->pred[i] == pred)
            return;
    if (v->n_pred == v->cap_pred) {
        v->cap_pred = v->cap_pred ? 2 * v->cap_pred : 4;
        v->pred = wf_xrealloc(v->pred, v->cap_pred * sizeof(struct wf__node *));
    }
    v->pred[v->n_pred++] = pred;
}

static struct wf__node *link_node(struct wf__graph *g, struct wf__node *v)
{
    v->graph = g;
    v->handle = wf__table_put(&nodes, v);
    v->prev = g->last;
    if (g->last)
        g->last->next = v;
    else
        g->first = v;
    g->last = v;
    g->n++;
    return v;
}

enum wf_cu wf__graph_append(struct wf__graph *g, struct wf__node *const *pred, uint32_t n_pred,
                            struct wf_rt_node *p, struct wf__node **out)
{
    struct wf__node *v = wf_xcalloc(1, sizeof *v);
    enum wf_cu e = wf__node_fill(v, p);
    if (e != WF_CU_SUCCESS) {
        free(v);
        return e;
    }
    link_node(g, v);
    for (uint32_t i = 0; i < n_pred; i++)
        wf__node_add_pred(v, pred[i]);
    *out = v;
    return WF_CU_SUCCESS;
}

static struct wf__node *copy_node(struct wf__graph *to, struct wf__node *v)
{
    struct wf__node *c = wf_xcalloc(1, sizeof *c);
    c->origin = v->handle;
    c->p = v->p;
    if (v->block)
        (c->block = v->block)->refs++;
    if (v->child) {
        c->child = wf__graph_copy(v->child);
        c->p.of.child = c->child->handle;
    }
    if (v->p.kind == WF_RT_NODE_KERNEL) {
        wf__launch_args(v->p.of.kernel.f, v->args, &c->args);
        c->p.of.kernel.l.args = c->args;
    }
    if (v->bodies) {
        unsigned n = v->p.of.condition.n;
        c->bodies = wf_xcalloc(n, sizeof(struct wf__graph *));
        c->body_handles = wf_xcalloc(n, sizeof *c->body_handles);
        for (unsigned i = 0; i < n; i++) {
            c->bodies[i] = wf__graph_copy(v->bodies[i]);
            c->body_handles[i] = c->bodies[i]->handle;
        }
        c->p.of.condition.bodies = c->body_handles;
    }
    return link_node(to, c);
}

struct wf__graph *wf__graph_copy(const struct wf__graph *g)
{
    struct wf__graph *c = wf__graph_new();
    struct wf__node **twin = wf_xcalloc(g->n + 1, sizeof(struct wf__node *));
    uint32_t i = 0;
    c->origin = g->handle;
    c->is_part = true;
    for (struct wf__node *v = g->first; v; v = v->next, i++) {
        v->index = i;
        twin[i] = copy_node(c, v);
    }
    for (struct wf__node *v = g->first; v; v = v->next) // edges may lead to later nodes
        for (uint32_t k = 0; k < v->n_pred; k++)
            wf__node_add_pred(twin[v->index], twin[v->pred[k]->index]);
    free(twin);
    return c;
}

bool wf__node_reaches(struct wf__node *from, const struct wf__node *to)
{
    if (from == to)
        return true;
    for (uint32_t i = 0; i < from->n_pred; i++)
        if (wf__node_reaches(from->pred[i], to))
            return true;
    return false;
}

// ---- the API ----

enum wf_cu wf_rt_graph_create(uint64_t *out, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || flags)
        return WF_CU_INVALID_VALUE;
    wf__lock();
    *out = wf__graph_new()->handle;
    wf__unlock();
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_graph_destroy(uint64_t graph)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct wf__graph *g = wf__graph_find(graph);
    if (!g || g->is_part)
        e = WF_CU_INVALID_VALUE;
    else
        wf__graph_free(g);
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_graph_clone(uint64_t *out, uint64_t graph)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct wf__graph *g = wf__graph_find(graph);
    for (const struct wf__node *v = g ? g->first : NULL; v; v = v->next)
        if (v->p.kind == WF_RT_NODE_ALLOC || v->p.kind == WF_RT_NODE_FREE || v->p.kind == WF_RT_NODE_CONDITION)
            e = WF_CU_NOT_SUPPORTED; // as CUDA says: their objects exist once
    if (!g || !out) {
        e = WF_CU_INVALID_VALUE;
    } else if (e == WF_CU_SUCCESS) {
        struct wf__graph *c = wf__graph_copy(g);
        c->is_part = false;
        *out = c->handle;
    }
    wf__unlock();
    return e;
}

static uint64_t find_copy(const struct wf__graph *g, uint64_t node)
{
    for (const struct wf__node *v = g->first; v; v = v->next) {
        if (v->origin == node)
            return v->handle;
        uint64_t inside = v->child ? find_copy(v->child, node) : 0;
        if (inside)
            return inside;
    }
    return 0;
}

enum wf_cu wf_rt_graph_find_in_clone(uint64_t *out, uint64_t node, uint64_t clone)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    const struct wf__graph *g = wf__graph_find(clone);
    uint64_t found = g ? find_copy(g, node) : 0;
    wf__unlock();
    if (!out || !found)
        return WF_CU_INVALID_VALUE;
    *out = found;
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_graph_add(uint64_t *out, uint64_t graph, const uint64_t *deps, uint64_t n_deps,
                           struct wf_rt_node *p)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out || (n_deps && !deps) || n_deps > UINT32_MAX)
        return WF_CU_INVALID_VALUE;
    struct wf__node **pred = wf_xcalloc(n_deps + 1, sizeof(struct wf__node *)), *v;
    wf__lock();
    struct wf__graph *g = wf__graph_find(graph);
    if (!g)
        e = WF_CU_INVALID_VALUE;
    for (uint64_t i = 0; i < n_deps && e == WF_CU_SUCCESS; i++) {
        pred[i] = wf__graph_node(deps[i]);
        if (!pred[i] || pred[i]->graph != g)
            e = WF_CU_INVALID_VALUE;
    }
    if (e == WF_CU_SUCCESS)
        e = wf__graph_append(g, pred, (uint32_t)n_deps, p, &v);
    if (e == WF_CU_SUCCESS)
        *out = v->handle;
    wf__unlock();
    free(pred);
    return e;
}

enum wf_cu wf_rt_graph_get(uint64_t node, struct wf_rt_node *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    const struct wf__node *v = wf__graph_node(node);
    if (v && out)
        *out = v->p;
    wf__unlock();
    return v && out ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_graph_set(uint64_t node, const struct wf_rt_node *p)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct wf__node *v = wf__graph_node(node), fresh = {0};
    struct wf_rt_node wanted = *p;
    bool is_fixed = p->kind >= WF_RT_NODE_ALLOC || p->kind == WF_RT_NODE_CHILD;
    if (!v || v->p.kind != p->kind || is_fixed)
        e = WF_CU_INVALID_VALUE;
    else
        e = wf__node_fill(&fresh, &wanted);
    if (e == WF_CU_SUCCESS) {
        wf__node_fini(v);
        v->p = fresh.p;
        v->args = fresh.args;
    }
    wf__unlock();
    return e;
}

static void forget(struct wf__node *v, const struct wf__node *pred)
{
    for (uint32_t i = 0; i < v->n_pred; i++)
        if (v->pred[i] == pred) {
            v->pred[i] = v->pred[--v->n_pred];
            return;
        }
}

enum wf_cu wf_rt_graph_drop(uint64_t node)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct wf__node *v = wf__graph_node(node);
    if (!v) {
        e = WF_CU_INVALID_VALUE;
    } else {
        struct wf__graph *g = v->graph;
        for (struct wf__node *w = g->first; w; w = w->next)
            forget(w, v);
        *(v->prev ? &v->prev->next : &g->first) = v->next;
        *(v->next ? &v->next->prev : &g->last) = v->prev;
        g->n--;
        node_free(v);
    }
    wf__unlock();
    return e;
}

// ---- lists ----

struct list {
    uint64_t *a, *b, room, n;
};

static void put(struct list *l, uint64_t a, uint64_t b)
{
    if (l->n < l->room) {
        l->a[l->n] = a;
        if (l->b)
            l->b[l->n] = b;
    }
    l->n++;
}

// What is asked for beyond what there is becomes 0, as CUDA says.
static void close_list(struct list *l, uint64_t *n)
{
    for (uint64_t i = l->n; l->a && i < l->room; i++) {
        l->a[i] = 0;
        if (l->b)
            l->b[i] = 0;
    }
    *n = l->a && l->n > l->room ? l->room : l->n;
}

enum wf_cu wf_rt_graph_nodes(uint64_t graph, bool only_roots, uint64_t *list, uint64_t *n)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !n)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    struct list l = {list, NULL, list ? *n : 0, 0};
    wf__lock();
    const struct wf__graph *g = wf__graph_find(graph);
    for (const struct wf__node *v = g ? g->first : NULL; v; v = v->next)
        if (!only_roots || !v->n_pred)
            put(&l, v->handle, 0);
    wf__unlock();
    close_list(&l, n);
    return g ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_graph_edges(uint64_t graph, uint64_t *from, uint64_t *to, uint64_t *n)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !n || !from != !to)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    struct list l = {from, to, from ? *n : 0, 0};
    wf__lock();
    const struct wf__graph *g = wf__graph_find(graph);
    for (const struct wf__node *v = g ? g->first : NULL; v; v = v->next)
        for (uint32_t i = 0; i < v->n_pred; i++)
            put(&l, v->pred[i]->handle, v->handle);
    wf__unlock();
    close_list(&l, n);
    return g ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_graph_neighbours(uint64_t node, bool is_after, uint64_t *list, uint64_t *n)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS || !n)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    struct list l = {list, NULL, list ? *n : 0, 0};
    wf__lock();
    const struct wf__node *v = wf__graph_node(node);
    for (uint32_t i = 0; v && !is_after && i < v->n_pred; i++)
        put(&l, v->pred[i]->handle, 0);
    for (const struct wf__node *w = v && is_after ? v->graph->first : NULL; w; w = w->next)
        for (uint32_t i = 0; i < w->n_pred; i++)
            if (w->pred[i] == v)
                put(&l, w->handle, 0);
    wf__unlock();
    close_list(&l, n);
    return v ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_graph_edge(uint64_t graph, const uint64_t *from, const uint64_t *to, uint64_t n,
                            bool is_added)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (n && (!from || !to))
        return WF_CU_INVALID_VALUE;
    wf__lock();
    const struct wf__graph *g = wf__graph_find(graph);
    if (!g)
        e = WF_CU_INVALID_VALUE;
    for (uint64_t i = 0; i < n && e == WF_CU_SUCCESS; i++) {
        struct wf__node *a = wf__graph_node(from[i]), *b = wf__graph_node(to[i]);
        if (!a || !b || a->graph != g || b->graph != g || (is_added && wf__node_reaches(a, b)))
            e = WF_CU_INVALID_VALUE; // no circles
        else if (is_added)
            wf__node_add_pred(b, a);
        else
            forget(b, a);
    }
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_graph_condition(uint64_t *out, uint64_t graph, unsigned value, unsigned flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    bool is_graph = wf__graph_find(graph) != NULL;
    wf__unlock();
    if (!out || !is_graph || flags > 1)
        return WF_CU_INVALID_VALUE;
    *out = wf_condition_create(value, flags & 1);
    return *out ? WF_CU_SUCCESS : WF_CU_MEMORY_ALLOCATION;
}

void wf__graph_reset(void)
{
    wf__lock();
    for (uint32_t i = 0; i < graphs.n; i++) {
        struct wf__graph *g = graphs.slot[i].object;
        if (g && !g->is_part)
            wf__graph_free(g);
    }
    wf__unlock();
}
