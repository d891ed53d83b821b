// SPDX-License-Identifier: Apache-2.0
// Proofs of launches, kept: a program makes the same launch again and again.
#include <string.h> // memcmp

#include "exec/exec_priv.h"
#include "prove/prove.h"

#define KEPT 32

struct kept { // one launch and what is known of it
    struct wf_dim3 grid, block;
    uint32_t dynamic_shared;
    void *params;
    bool was_watched; // atomics: how often each address is hit is learned once
    struct prove_result r;
};

struct proofs {
    bool is_hopeless;
    uint32_t n, next;
    uint32_t fails, pause; // in a row; launches that are not tried
    struct kept at[KEPT];
};

static bool is_same(const struct kept *k, const struct wf_launch *l)
{
    return !memcmp(&k->grid, &l->grid, sizeof k->grid) && !memcmp(&k->block, &l->block, sizeof k->block) &&
           k->dynamic_shared == l->dynamic_shared &&
           (!l->param_bytes || !memcmp(k->params, l->params, l->param_bytes));
}

static void forget(struct kept *k)
{
    free(k->r.rows);
    free(k->r.guards);
    free(k->params);
    *k = (struct kept){.params = NULL};
}

static void prove(struct grid *g, bool is_fine, struct prove_result *out)
{
    const struct wf_grid_ctx *c = &g->ctx;
    struct prove_facts x = {.launch = g->launch, .syms = g->code->syms, .param_addr = c->param_addr, .is_fine = is_fine,
                            .shared_window = c->base + WF_SHARED_OFFSET, .shared_bytes = c->shared_bytes,
                            .heap_lo = c->base + WF_HEAP_OFFSET, .heap_hi = c->base + c->bytes - WF_HEAP_MARGIN};
    prove_launch(g->code->prog, &x, out);
}

static struct kept *try(struct grid *g, struct proofs *p)
{
    const struct wf_launch *l = g->launch;
    if (p->pause) {
        p->pause--;
        return NULL;
    }
    struct kept *k = &p->at[p->n < KEPT ? p->n++ : p->next++ % KEPT];
    forget(k);
    k->grid = l->grid;
    k->block = l->block;
    k->dynamic_shared = l->dynamic_shared;
    k->params = wf_xmalloc(l->param_bytes + 1u);
    if (l->param_bytes)
        memcpy(k->params, l->params, l->param_bytes);
    prove(g, false, &k->r);
    if (wf_settings()->is_verbose && k->r.is_proven)
        fprintf(stderr, "warpfence: %s is proven free of races (%u rows of memory)\n", l->kernel, k->r.n_rows);
    else if (wf_settings()->is_verbose)
        fprintf(stderr, "warpfence: %s is watched, not proven: %s (PTX line %u)\n", l->kernel, k->r.why_not, k->r.line);
    p->fails = k->r.is_proven ? 0 : p->fails + 1;
    p->pause = p->fails ? (1u << (p->fails < 10 ? p->fails : 10)) - 2 : 0;
    return k;
}

static void *copy_of(const void *from, size_t bytes)
{
    void *to = wf_xmalloc(bytes + 1);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

// What atomics give may hang on the order of the threads though there is no race: other orders are tried.
static bool hangs_on_order(const struct grid *g)
{
    const struct ir_program *p = g->code->prog;
    for (uint32_t i = 0; wf_settings()->seed && i < p->n_funcs; i++)
        for (uint32_t k = 0; k < p->funcs[i]->n_sites; k++)
            if (p->funcs[i]->sites[k].is_atomic)
                return true;
    return false;
}

// A copy, the caller's: another thread's launch may take the place of what is kept.
static bool find(struct grid *g, struct prove_result *out)
{
    struct wf_kernel *kernel = g->kernel;
    struct kept *k = NULL;
    pthread_mutex_lock(&kernel->module->lock);
    struct proofs *p = kernel->proofs;
    if (!p) {
        p = kernel->proofs = wf_xcalloc(1, sizeof *p);
        const char *why = prove_hopeless(g->code->prog);
        p->is_hopeless = why != NULL;
        if (why && wf_settings()->is_verbose)
            fprintf(stderr, "warpfence: %s is watched, not proven: %s\n", g->launch->kernel, why);
    }
    for (uint32_t i = 0; i < p->n && !k && !p->is_hopeless; i++)
        if (is_same(&p->at[i], g->launch))
            k = &p->at[i];
    if (!k && !p->is_hopeless)
        k = try(g, p);
    bool found = k && k->r.is_proven && (!k->r.has_atomics || k->was_watched);
    if (found) {
        *out = k->r;
        out->rows = copy_of(k->r.rows, k->r.n_rows * sizeof *out->rows);
        out->guards = copy_of(k->r.guards, k->r.n_guards * sizeof *out->guards);
    }
    if (k)
        k->was_watched = true;
    pthread_mutex_unlock(&kernel->module->lock);
    return found;
}

// The last byte has to be inside, too.
static void guard(struct grid *g, uint32_t site, uint64_t lo, uint64_t hi)
{
    const struct ir_func *f = g->code->prog->funcs[0];
    uint64_t more = f->sites[site].bytes - 1u;
    if (!g->guards)
        g->guards = wf_xcalloc(f->n_sites + 1u, sizeof *g->guards);
    g->guards[site] = (struct wf_guard){lo, hi - lo > more ? hi - more : lo};
}

// Asks the checkers, and frees what r holds.
static bool ask(struct grid *g, struct prove_result *r)
{
    bool ok = exec__events->trusts(exec__events->arg, &g->evg, r->rows, r->n_rows);
    for (uint32_t i = 0; i < r->n_rows && ok; i++)
        if (r->rows[i].is_guarded)
            guard(g, r->rows[i].site, r->rows[i].lo, r->rows[i].hi);
    g->is_ordered = r->is_ordered;
    for (uint32_t i = 0; i < r->n_guards && ok; i++)
        guard(g, r->guards[i].site, r->guards[i].lo, r->guards[i].hi);
    free(r->rows);
    free(r->guards);
    return ok;
}

// Some of the bytes between an access's first and last one may be nobody's, or not written yet.
static bool ask_more_closely(struct grid *g)
{
    struct prove_result r;
    prove(g, true, &r);
    return r.is_proven && ask(g, &r);
}

bool exec__is_proven(struct grid *g)
{
    struct prove_result r;
    if (wf_settings()->proofs != WF_PROOFS_BOTH && hangs_on_order(g))
        return false;
    bool ok = find(g, &r) && (ask(g, &r) || ask_more_closely(g));
    g->evg.is_proven = ok;
    if (wf_settings()->proofs != WF_PROOFS_BOTH)
        return ok;
    free(g->guards);
    g->guards = NULL;
    return false;
}

void exec__proofs_free(struct proofs *p)
{
    for (uint32_t i = 0; p && i < p->n; i++)
        forget(&p->at[i]);
    free(p);
}
