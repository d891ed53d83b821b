// SPDX-License-Identifier: Apache-2.0
// Instances of graphs. Child graphs are opened, so an instance is one list of steps, each behind the
// steps it depends on. Steps that follow each other go into one stream, the first such chain into the
// stream of the launch; other chains have streams of their own, so that what the graph leaves
// unordered is unordered for checkers as well. A conditional step runs its body as an instance of its
// own, from the thread that performs it.
#include <stdlib.h> // free

#include "base/arena.h"     // wf_xcalloc
#include "exec/condition.h" // wf_condition_get
#include "rt/ctx.h"         // wf_rt_enter
#include "rt/event.h"       // wf__event_point
#include "rt/graph_priv.h"
#include "rt/order.h" // wf__order_fork
#include "rt/table.h" // struct wf__table

struct step {
    struct wf__node *node; // in the instance's own copy; NULL: nothing to do (ends of child graphs)
    uint32_t *pred, n_pred, cap_pred;
    uint32_t lane;
    bool is_off, is_last;   // last: no step waits for it
    struct exec **bodies;   // of a conditional
    struct wf__stream *at;  // this launch
    uint64_t number;
};

struct exec {
    uint64_t handle;
    uint64_t flags;
    struct wf__graph *graph;
    bool is_own_graph; // a copy
    struct step *step;
    uint32_t n, cap;
    struct wf__stream **lane; // [0] is the launch's
    uint32_t n_lanes;
    struct wf__stream *last; // where the last launch ended; counted
    uint64_t last_number;
};

static struct wf__table execs = {.tag = WF__TAG_GRAPH_EXEC};

// ---- making ----

static void add_pred(struct step *s, uint32_t pred)
{
    for (uint32_t i = 0; i < s->n_pred; i++)
        if (s->pred[i] == pred)
            return;
    if (s->n_pred == s->cap_pred) {
        s->cap_pred = s->cap_pred ? 2 * s->cap_pred : 4;
        s->pred = wf_xrealloc(s->pred, s->cap_pred * sizeof *s->pred);
    }
    s->pred[s->n_pred++] = pred;
}

static uint32_t add_step(struct exec *x, struct wf__node *v)
{
    if (x->n == x->cap) {
        x->cap = x->cap ? 2 * x->cap : 16;
        x->step = wf_xrealloc(x->step, x->cap * sizeof *x->step);
    }
    x->step[x->n] = (struct step){.node = v, .is_last = true};
    return x->n++;
}

static struct exec *exec_new(struct wf__graph *g, bool is_own);

static void make_bodies(struct step *s)
{
    const struct wf__node *v = s->node;
    if (!v || !v->bodies)
        return;
    s->bodies = wf_xcalloc(v->p.of.condition.n, sizeof(struct exec *));
    for (unsigned i = 0; i < v->p.of.condition.n; i++)
        s->bodies[i] = exec_new(v->bodies[i], false);
}

// The steps of a graph behind step `before` (UINT32_MAX: none). Returns the step behind all of them,
// or UINT32_MAX when the whole graph is at top level.
static void open_graph(struct exec *x, struct wf__graph *g, uint32_t before)
{
    // Nodes in an order in which each follows what it depends on.
    uint32_t left = g->n;
    for (struct wf__node *v = g->first; v; v = v->next)
        v->index = UINT32_MAX;
    while (left) {
        uint32_t was = left;
        for (struct wf__node *v = g->first; v; v = v->next) {
            bool is_ready = v->index == UINT32_MAX;
            for (uint32_t i = 0; i < v->n_pred; i++)
                is_ready &= v->pred[i]->index != UINT32_MAX;
            if (!is_ready)
                continue;
            uint32_t s = add_step(x, v->child ? NULL : v);
            for (uint32_t i = 0; i < v->n_pred; i++)
                add_pred(&x->step[s], v->pred[i]->index);
            if (!v->n_pred && before != UINT32_MAX)
                add_pred(&x->step[s], before);
            if (v->child) { // an empty step before it and one behind
                uint32_t first = x->n;
                open_graph(x, v->child, s);
                uint32_t end = add_step(x, NULL);
                add_pred(&x->step[end], s);
                for (uint32_t i = first; i < end; i++)
                    add_pred(&x->step[end], i);
                s = end;
            }
            v->index = s;
            left--;
        }
        if (left == was)
            break; // a circle: edges are checked, so there is none
    }
}

// A step goes on in the stream of a predecessor that nobody else went on from.
static void choose_lanes(struct exec *x)
{
    bool *is_taken = wf_xcalloc(x->n + 1, sizeof *is_taken);
    for (uint32_t i = 0; i < x->n; i++) {
        struct step *s = &x->step[i];
        s->lane = UINT32_MAX;
        for (uint32_t k = 0; k < s->n_pred; k++) {
            uint32_t p = s->pred[k];
            x->step[p].is_last = false;
            if (s->lane == UINT32_MAX && !is_taken[p]) {
                s->lane = x->step[p].lane;
                is_taken[p] = true;
            }
        }
        if (s->lane == UINT32_MAX)
            s->lane = x->n_lanes++;
    }
    free(is_taken);
    x->lane = wf_xcalloc(x->n_lanes + 1, sizeof(struct wf__stream *));
    for (uint32_t i = 1; i < x->n_lanes; i++)
        x->lane[i] = wf__queue_new(1, 0);
}

// The instance of a body works on the node's graph, which lives as long.
static struct exec *exec_new(struct wf__graph *g, bool is_own)
{
    struct exec *x = wf_xcalloc(1, sizeof *x);
    x->is_own_graph = is_own;
    x->graph = is_own ? wf__graph_copy(g) : g;
    open_graph(x, x->graph, UINT32_MAX);
    choose_lanes(x);
    for (uint32_t i = 0; i < x->n; i++)
        make_bodies(&x->step[i]);
    return x;
}

static void exec_free(struct exec *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        struct step *s = &x->step[i];
        for (unsigned k = 0; s->bodies && k < s->node->p.of.condition.n; k++)
            exec_free(s->bodies[k]);
        free(s->bodies);
        free(s->pred);
    }
    for (uint32_t i = 1; i < x->n_lanes; i++)
        wf__queue_retire(x->lane[i]);
    if (x->last)
        wf__queue_unref(x->last);
    if (x->is_own_graph)
        wf__graph_free(x->graph);
    free(x->lane);
    free(x->step);
    free(x);
}

// ---- launching ----

static void free_op(struct wf__op *op)
{
    free(op);
}

static struct wf__op *empty_op(void)
{
    struct wf__op *op = wf_xcalloc(1, sizeof *op);
    op->free = free_op;
    return op;
}

struct branch_op {
    struct wf__op op;
    struct step *step;
    struct wf__stream *stream; // for the bodies; counted
};

static enum wf_cu launch_locked(struct exec *x, struct wf__stream *s);

static void run_body(const struct branch_op *b, unsigned i)
{
    if (i >= b->step->node->p.of.condition.n)
        return;
    wf__lock();
    struct exec *body = b->step->bodies[i];
    wf__order_fork(b->stream, b->op.order);
    wf__order_within(b->op.order);
    enum wf_cu e = launch_locked(body, b->stream);
    wf__order_within(NULL);
    if (e == WF_CU_SUCCESS)
        wf__queue_wait_within(b->stream, b->stream->put);
    if (b->op.order)
        wf__order_join(b->op.order, b->stream->last);
    wf__unlock();
}

static void run_branch(struct wf__op *op)
{
    const struct branch_op *b = (const struct branch_op *)op;
    uint64_t handle = b->step->node->p.of.condition.handle;
    switch (b->step->node->p.of.condition.type) {
    case WF_RT_IF:
        run_body(b, wf_condition_get(handle) ? 0 : 1);
        break;
    case WF_RT_WHILE:
        while (wf_condition_get(handle) && wf_rt_broken() == WF_CU_SUCCESS)
            run_body(b, 0);
        break;
    case WF_RT_SWITCH:
        run_body(b, wf_condition_get(handle));
        break;
    }
}

static void free_branch(struct wf__op *op)
{
    wf__lock();
    wf__queue_retire(((struct branch_op *)op)->stream);
    wf__unlock();
    free(op);
}

static struct wf__op *branch_op(struct step *s)
{
    struct branch_op *b = wf_xcalloc(1, sizeof *b);
    *b = (struct branch_op){{.run = run_branch, .free = free_branch}, s, wf__queue_new(1, 0)};
    return &b->op;
}

// The operation of a step; EMPTY ones for what only orders. Record nodes get theirs when they are put.
static enum wf_cu op_of(struct step *s, struct wf__op **out)
{
    const struct wf_rt_node *p = s->node && !s->is_off ? &s->node->p : NULL;
    *out = NULL;
    if (!p) {
        *out = empty_op();
        return WF_CU_SUCCESS;
    }
    switch (p->kind) {
    case WF_RT_NODE_KERNEL:
        return wf__launch_op(p->of.kernel.f, &p->of.kernel.l, out);
    case WF_RT_NODE_COPY:
        return wf__copy_op(&p->of.copy, out);
    case WF_RT_NODE_FILL:
        return wf__fill_op(&p->of.fill.dst, p->of.fill.width, p->of.fill.height, p->of.fill.depth, p->of.fill.value,
                           p->of.fill.value_bytes, out);
    case WF_RT_NODE_HOST:
        *out = wf__host_op(p->of.host.fn, p->of.host.user);
        return WF_CU_SUCCESS;
    case WF_RT_NODE_CONDITION:
        *out = branch_op(s);
        return WF_CU_SUCCESS;
    case WF_RT_NODE_RECORD:
        return WF_CU_SUCCESS;
    case WF_RT_NODE_CHILD:
    case WF_RT_NODE_EMPTY:
    case WF_RT_NODE_WAIT:
    case WF_RT_NODE_ALLOC:
    case WF_RT_NODE_FREE:
        *out = empty_op();
        return WF_CU_SUCCESS;
    }
    return WF_CU_INVALID_VALUE;
}

// Does the graph release what it allocates at this step? Else it must be free before the next launch.
static enum wf_cu note_memory(struct exec *x)
{
    for (uint32_t i = 0; i < x->n; i++) {
        struct wf__node *v = x->step[i].node;
        if (v && v->p.kind == WF_RT_NODE_ALLOC && v->block->is_live && !(x->flags & WF_RT_GRAPH_AUTO_FREE))
            return WF_CU_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        struct wf__node *v = x->step[i].node;
        if (v && v->p.kind == WF_RT_NODE_ALLOC)
            wf__graph_block_live(v->block, true);
        if (v && v->p.kind == WF_RT_NODE_FREE)
            wf__graph_block_live(v->block, false);
        if (v && v->p.kind == WF_RT_NODE_CONDITION)
            wf_condition_restore(v->p.of.condition.handle);
    }
    return WF_CU_SUCCESS;
}

static void after_event(struct wf__op *op, uint64_t event)
{
    struct wf__stream *from;
    uint64_t number;
    if (wf__event_point(event, &from, &number) && from)
        wf__op_after(op, from, number);
}

static void put_step(struct exec *x, struct step *s, struct wf__op *op, struct wf__stream *stream, uint64_t start)
{
    s->at = s->lane ? x->lane[s->lane] : stream;
    const struct wf_rt_node *p = s->node && !s->is_off ? &s->node->p : NULL;
    if (!op)
        op = wf__event_op(p->of.event, s->at);
    if (!op)
        op = empty_op(); // the event is gone
    if (p && p->kind == WF_RT_NODE_WAIT)
        after_event(op, p->of.event);
    if (!s->n_pred && s->lane)
        wf__op_after(op, stream, start);
    for (uint32_t i = 0; i < s->n_pred; i++) {
        const struct step *q = &x->step[s->pred[i]];
        if (q->at != s->at)
            wf__op_after(op, q->at, q->number);
    }
    s->number = wf__queue_put(s->at, op, false);
}

static enum wf_cu launch_locked(struct exec *x, struct wf__stream *s)
{
    struct wf__op **op = wf_xcalloc(x->n + 1, sizeof(struct wf__op *)), *join;
    enum wf_cu e = WF_CU_SUCCESS;
    uint32_t n = 0;
    for (; n < x->n && e == WF_CU_SUCCESS; n++)
        e = op_of(&x->step[n], &op[n]);
    if (e == WF_CU_SUCCESS)
        e = note_memory(x);
    if (e != WF_CU_SUCCESS) {
        for (uint32_t i = 0; i < n; i++)
            if (op[i])
                op[i]->free(op[i]);
        free(op);
        return e;
    }
    // Launches of one instance follow each other, wherever they are put.
    if (x->last && x->last != s && (x->last->done < x->last_number || wf__order_events())) {
        join = empty_op();
        wf__op_after(join, x->last, x->last_number);
        wf__queue_put(s, join, false);
    }
    // What an operation waits for on account of its stream (the default stream, or all others) is found when it is put: one
    // in front of all roots has it for those in other lanes, too.
    if (x->n_lanes > 1)
        wf__queue_put(s, empty_op(), false);
    uint64_t start = s->put;
    bool is_forked = false;
    for (uint32_t i = 0; i < x->n; i++) {
        put_step(x, &x->step[i], op[i], s, start);
        is_forked |= x->step[i].at != s;
    }
    free(op);
    if (is_forked) {
        join = empty_op();
        for (uint32_t i = 0; i < x->n; i++)
            if (x->step[i].is_last && x->step[i].at != s)
                wf__op_after(join, x->step[i].at, x->step[i].number);
        wf__queue_put(s, join, false);
    }
    wf__queue_ref(s);
    if (x->last)
        wf__queue_unref(x->last);
    x->last = s;
    x->last_number = s->put;
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_graph_launch(uint64_t exec, uint64_t stream)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct exec *x = wf__table_get(&execs, exec);
    uint64_t source = x ? x->graph->handle : 0;
    wf__unlock();
    if (!x)
        return WF_CU_INVALID_VALUE;
    struct wf_rt_node child = {.kind = WF_RT_NODE_CHILD, .of.child = source};
    if (wf__capture_take(stream, &child, &e))
        return e;
    wf__order_not_here(); // of a launch that was captured
    wf__lock();
    struct wf__stream *s = wf__stream_find(stream);
    e = s ? launch_locked(x, s) : WF_CU_INVALID_RESOURCE_HANDLE;
    wf__unlock();
    return e;
}

// ---- the API of instances ----

enum wf_cu wf_rt_graph_instantiate(uint64_t *out, uint64_t graph, uint64_t flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (flags & 4)
        return WF_CU_NOT_SUPPORTED; // launches of graphs from kernels
    wf__lock();
    struct wf__graph *g = wf__graph_find(graph);
    if (g && out && flags < 16) {
        struct exec *x = exec_new(g, true);
        x->flags = flags;
        *out = x->handle = wf__table_put(&execs, x);
    } else {
        e = WF_CU_INVALID_VALUE;
    }
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_graph_exec_destroy(uint64_t exec)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct exec *x = wf__table_get(&execs, exec);
    if (x) {
        wf__table_drop(&execs, exec);
        if (x->last) // a conditional step reads the instance while it runs
            wf__queue_wait(x->last, x->last_number);
        exec_free(x);
    }
    wf__unlock();
    return x ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_graph_exec_check(uint64_t exec)
{
    uint64_t flags;
    return wf_rt_graph_exec_flags(exec, &flags);
}

enum wf_cu wf_rt_graph_exec_flags(uint64_t exec, uint64_t *flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    const struct exec *x = wf__table_get(&execs, exec);
    if (x && flags)
        *flags = x->flags;
    wf__unlock();
    return x && flags ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

static struct step *step_of(struct exec *x, uint64_t node)
{
    for (uint32_t i = 0; x && i < x->n; i++) {
        struct step *s = &x->step[i], *inside = NULL;
        if (s->node && s->node->origin == node)
            return s;
        for (unsigned k = 0; s->bodies && !inside && k < s->node->p.of.condition.n; k++)
            inside = step_of(s->bodies[k], node);
        if (inside)
            return inside;
    }
    return NULL;
}

static enum wf_cu replace(struct wf__node *v, const struct wf_rt_node *p)
{
    struct wf__node fresh = {0};
    struct wf_rt_node wanted = *p;
    if (v->p.kind != p->kind)
        return WF_CU_INVALID_VALUE;
    if (p->kind >= WF_RT_NODE_ALLOC || p->kind == WF_RT_NODE_CHILD || p->kind == WF_RT_NODE_EMPTY)
        return WF_CU_SUCCESS; // looked at by those who may change them
    enum wf_cu e = wf__node_fill(&fresh, &wanted);
    if (e == WF_CU_SUCCESS) {
        wf__node_fini(v);
        v->p = fresh.p;
        v->args = fresh.args;
    }
    return e;
}

enum wf_cu wf_rt_graph_exec_set(uint64_t exec, uint64_t node, const struct wf_rt_node *p)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct step *s = step_of(wf__table_get(&execs, exec), node);
    bool is_free = p->kind < WF_RT_NODE_ALLOC && p->kind != WF_RT_NODE_CHILD;
    e = s && is_free ? replace(s->node, p) : WF_CU_INVALID_VALUE;
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_graph_exec_enable(uint64_t exec, uint64_t node, bool is_on)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct step *s = step_of(wf__table_get(&execs, exec), node);
    if (!s || s->node->p.kind > WF_RT_NODE_FILL) // kernels, copies and fills alone
        e = WF_CU_INVALID_VALUE;
    else
        s->is_off = !is_on;
    wf__unlock();
    return e;
}

enum wf_cu wf_rt_graph_exec_enabled(uint64_t exec, uint64_t node, bool *is_on)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    const struct step *s = step_of(wf__table_get(&execs, exec), node);
    if (s)
        *is_on = !s->is_off;
    wf__unlock();
    return s ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
}

// Pairs nodes in the order of their making. Returns the first that does not fit.
static const struct wf__node *compare(const struct wf__graph *own, const struct wf__graph *g,
                                      enum wf_rt_graph_update *why)
{
    struct wf__node *a = own->first, *b = g->first;
    uint32_t i = 0;
    for (; a && b; a = a->next, b = b->next, i++) {
        a->index = b->index = i;
        if (a->p.kind != b->p.kind) {
            *why = WF_RT_UPDATE_KIND;
            return b;
        }
    }
    *why = WF_RT_UPDATE_TOPOLOGY;
    if (a || b)
        return b;
    for (a = own->first, b = g->first; b; a = a->next, b = b->next) {
        bool is_alike = a->n_pred == b->n_pred;
        for (uint32_t k = 0; is_alike && k < a->n_pred; k++)
            is_alike = a->pred[k]->index == b->pred[k]->index;
        if (!is_alike)
            return b;
        if (b->child && compare(a->child, b->child, why))
            return b;
        for (unsigned k = 0; b->bodies && k < b->p.of.condition.n; k++)
            if (a->p.of.condition.n != b->p.of.condition.n || compare(a->bodies[k], b->bodies[k], why))
                return b;
    }
    *why = WF_RT_UPDATE_SUCCESS;
    return NULL;
}

static enum wf_cu adopt(struct wf__graph *own, const struct wf__graph *g, const struct wf__node **bad)
{
    for (struct wf__node *a = own->first, *b = g->first; a && b; a = a->next, b = b->next) {
        enum wf_cu e = b->child ? adopt(a->child, b->child, bad) : replace(a, &b->p);
        for (unsigned k = 0; b->bodies && e == WF_CU_SUCCESS && k < b->p.of.condition.n; k++)
            e = adopt(a->bodies[k], b->bodies[k], bad);
        if (e != WF_CU_SUCCESS) {
            *bad = b;
            return e;
        }
        a->origin = b->handle;
    }
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_graph_exec_update(uint64_t exec, uint64_t graph, enum wf_rt_graph_update *result,
                                   uint64_t *node)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__lock();
    struct exec *x = wf__table_get(&execs, exec);
    const struct wf__graph *g = wf__graph_find(graph);
    *result = WF_RT_UPDATE_ERROR;
    *node = 0;
    if (!x || !g) {
        e = WF_CU_INVALID_VALUE;
    } else {
        const struct wf__node *bad = compare(x->graph, g, result);
        if (*result == WF_RT_UPDATE_SUCCESS && adopt(x->graph, g, &bad) != WF_CU_SUCCESS)
            *result = WF_RT_UPDATE_PARAMETERS;
        *node = bad ? bad->handle : 0;
        e = *result == WF_RT_UPDATE_SUCCESS ? WF_CU_SUCCESS : WF_CU_GRAPH_EXEC_UPDATE_FAILURE;
    }
    wf__unlock();
    return e;
}
