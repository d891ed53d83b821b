// SPDX-License-Identifier: Apache-2.0
// What a node of a graph does: checked and copied when it is made. Memory that a graph allocates lies
// at one address from the making of the node on; a launch makes it live, a release ends that.
#include <stdlib.h> // free

#include "base/arena.h"     // wf_xcalloc
#include "exec/condition.h" // wf_condition_is
#include "rt/graph_priv.h"
#include "rt/memory.h" // wf__memory_device

char wf__graph_pool;

static struct block_list {
    struct wf__graph_block *block;
    struct block_list *next;
} *blocks;
static uint64_t used, used_high, reserved, reserved_high;

static struct wf__graph_block *find_block(uint64_t addr)
{
    for (struct block_list *l = blocks; l; l = l->next)
        if (l->block->addr == addr)
            return l->block;
    return NULL;
}

static enum wf_cu make_block(uint64_t bytes, struct wf__graph_block **out)
{
    uint64_t addr;
    enum wf_cu e = bytes ? wf__memory_device(bytes, &wf__graph_pool, "cudaGraphAddMemAllocNode", &addr) : WF_CU_INVALID_VALUE;
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf__graph_block *b = wf_xcalloc(1, sizeof *b);
    struct block_list *l = wf_xcalloc(1, sizeof *l);
    *b = (struct wf__graph_block){.addr = addr, .bytes = bytes, .refs = 1};
    *l = (struct block_list){b, blocks};
    blocks = l;
    reserved += bytes;
    reserved_high = reserved > reserved_high ? reserved : reserved_high;
    *out = b;
    return WF_CU_SUCCESS;
}

// Memory that a launch has left allocated stays until the program frees it, with or without the graph.
static void let_go(struct wf__graph_block *b)
{
    if (!b || b->refs || b->is_live)
        return;
    for (struct block_list **p = &blocks; *p; p = &(*p)->next)
        if ((*p)->block == b) {
            struct block_list *l = *p;
            *p = l->next;
            free(l);
            break;
        }
    reserved -= b->bytes;
    wf__memory_drop(b->addr, "cudaGraphDestroy");
    free(b);
}

bool wf__graph_block_live(struct wf__graph_block *b, bool is_live)
{
    if (b->is_live == is_live)
        return false;
    b->is_live = is_live;
    used = is_live ? used + b->bytes : used - b->bytes;
    used_high = used > used_high ? used : used_high;
    if (!is_live)
        let_go(b);
    return true;
}

void wf__graph_memory_freed(uint64_t addr)
{
    wf__lock();
    struct wf__graph_block *b = find_block(addr);
    if (b)
        wf__graph_block_live(b, false);
    wf__unlock();
}

uint64_t wf_rt_graph_memory(enum wf_rt_graph_memory what)
{
    wf__lock();
    const uint64_t values[] = {used, used_high, reserved, reserved_high};
    uint64_t v = values[what];
    wf__unlock();
    return v;
}

void wf_rt_graph_memory_reset(bool is_reserved)
{
    wf__lock();
    if (is_reserved)
        reserved_high = reserved;
    else
        used_high = used;
    wf__unlock();
}

void wf_rt_graph_memory_trim(void)
{
    // What no graph needs has been given back already.
}

static enum wf_cu fill_condition(struct wf__node *v, struct wf_rt_node *p)
{
    unsigned n = p->of.condition.n;
    bool is_count = p->of.condition.type == WF_RT_WHILE ? n == 1
                    : p->of.condition.type == WF_RT_IF  ? n == 1 || n == 2
                                                        : n >= 1 && n < 1u << 16;
    if (!wf_condition_is(p->of.condition.handle) || p->of.condition.type > WF_RT_SWITCH || !is_count)
        return WF_CU_INVALID_VALUE;
    v->bodies = wf_xcalloc(n, sizeof(struct wf__graph *));
    v->body_handles = wf_xcalloc(n, sizeof *v->body_handles);
    for (unsigned i = 0; i < n; i++) {
        v->bodies[i] = wf__graph_new();
        v->bodies[i]->is_part = true;
        v->body_handles[i] = v->bodies[i]->handle;
    }
    v->p.of.condition.bodies = p->of.condition.bodies = v->body_handles;
    return WF_CU_SUCCESS;
}

static enum wf_cu fill_memory(struct wf__node *v, struct wf_rt_node *p)
{
    if (p->kind == WF_RT_NODE_ALLOC) {
        enum wf_cu e = make_block(p->of.memory.bytes, &v->block);
        if (e == WF_CU_SUCCESS)
            v->p.of.memory.addr = p->of.memory.addr = v->block->addr;
        return e;
    }
    v->block = find_block(p->of.memory.addr);
    if (!v->block)
        return WF_CU_INVALID_VALUE; // only what a graph has allocated
    v->block->refs++;
    return WF_CU_SUCCESS;
}

enum wf_cu wf__node_fill(struct wf__node *v, struct wf_rt_node *p)
{
    enum wf_cu e = WF_CU_SUCCESS;
    struct wf__op *trial = NULL;
    v->p = *p;
    switch (p->kind) {
    case WF_RT_NODE_KERNEL:
        e = wf__launch_check(p->of.kernel.f, &p->of.kernel.l);
        if (e == WF_CU_SUCCESS)
            e = wf__launch_args(p->of.kernel.f, p->of.kernel.l.args, &v->args);
        v->p.of.kernel.l.args = v->args;
        break;
    case WF_RT_NODE_COPY:
        e = wf__copy_op(&p->of.copy, &trial);
        break;
    case WF_RT_NODE_FILL:
        e = wf__fill_op(&p->of.fill.dst, p->of.fill.width, p->of.fill.height, p->of.fill.depth, p->of.fill.value,
                        p->of.fill.value_bytes, &trial);
        break;
    case WF_RT_NODE_HOST:
        e = p->of.host.fn ? WF_CU_SUCCESS : WF_CU_INVALID_VALUE;
        break;
    case WF_RT_NODE_CHILD: {
        struct wf__graph *g = wf__graph_find(p->of.child);
        if (!g)
            return WF_CU_INVALID_VALUE;
        v->child = wf__graph_copy(g);
        v->p.of.child = v->child->handle;
        break;
    }
    case WF_RT_NODE_EMPTY:
    case WF_RT_NODE_WAIT:
    case WF_RT_NODE_RECORD:
        break;
    case WF_RT_NODE_ALLOC:
    case WF_RT_NODE_FREE:
        e = fill_memory(v, p);
        break;
    case WF_RT_NODE_CONDITION:
        e = fill_condition(v, p);
        break;
    }
    if (trial)
        trial->free(trial);
    return e;
}

void wf__node_fini(struct wf__node *v)
{
    free(v->args);
    v->args = NULL;
    if (v->child)
        wf__graph_free(v->child);
    for (unsigned i = 0; v->bodies && i < v->p.of.condition.n; i++)
        wf__graph_free(v->bodies[i]);
    free(v->bodies);
    free(v->body_handles);
    if (v->block) {
        v->block->refs--;
        let_go(v->block);
    }
}
