// SPDX-License-Identifier: Apache-2.0
// A kernel's facts and its compiled variants: built on first need, then kept.

#include <stdio.h>  // snprintf
#include <stdlib.h> // free
#include <string.h> // strcmp

#include "base/str.h"
#include "exec/exec_priv.h"
#include "exec/func.h"
#include "mem/fault.h"

static const struct wf_loc unknown_loc;

// Resolved source positions live as long as the process: findings and sites point at them.
const struct wf_loc *exec__loc(const struct ir_program *p, uint32_t loc, uint32_t ptx_line, const char *kernel)
{
    struct wf_loc *l = wf_xcalloc(1, sizeof *l);
    l->ptx_line = ptx_line;
    l->function = kernel;
    if (!loc || loc >= p->n_locs)
        return l;
    const struct ptx_loc *x = &p->locs[loc];
    struct wf_loc *to = l;
    for (;; x = x->inlined_at) {
        const char *file = x->file ? p->files[x->file] : NULL;
        to->file = file ? wf_xstrdup(file) : NULL;
        to->line = x->line;
        to->col = x->col;
        if (x->function)
            to->function = wf_xstrdup(x->function);
        if (!x->inlined_at)
            break;
        struct wf_loc *up = wf_xcalloc(1, sizeof *up);
        to->inlined = up;
        to = up;
    }
    return l;
}

static enum wf_order order_of(const struct ir_site *s)
{
    switch (s->sem) {
    case PTX_SEM_RELAXED:
    case PTX_SEM_MMIO:
        return WF_ORD_RELAXED;
    case PTX_SEM_ACQUIRE:
        return WF_ORD_ACQUIRE;
    case PTX_SEM_RELEASE:
        return WF_ORD_RELEASE;
    case PTX_SEM_ACQ_REL:
        return WF_ORD_ACQ_REL;
    case PTX_SEM_SC:
        return WF_ORD_SC;
    case PTX_SEM_VOLATILE:
        return WF_ORD_RELAXED;
    default:
        break;
    }
    if (s->op == PTX_O_MEMBAR)
        return WF_ORD_SC;
    if (s->op == PTX_O_FENCE)
        return WF_ORD_ACQ_REL;
    return s->is_atomic ? WF_ORD_RELAXED : WF_ORD_WEAK;
}

static enum wf_scope_kind scope_of(const struct ir_site *s, enum wf_order o)
{
    switch (s->scope) {
    case PTX_SC_CTA:
        return WF_SCOPE_CTA;
    case PTX_SC_CLUSTER:
        return WF_SCOPE_CLUSTER;
    case PTX_SC_GPU:
        return WF_SCOPE_GPU;
    case PTX_SC_SYS:
        return WF_SCOPE_SYS;
    default:
        break;
    }
    if (s->is_volatile || s->sem == PTX_SEM_MMIO)
        return WF_SCOPE_SYS;
    return o == WF_ORD_WEAK ? WF_SCOPE_NONE : WF_SCOPE_GPU;
}

static void name_site(const struct ir_site *s, struct wf_site *t)
{
    const char *sub = s->sub ? ptx_mod_name((enum ptx_mod)(s->sub - 1)) : "";
    static const char *const space[] = {"", "", ".global", ".shared", ".shared::cluster", ".local", ".const", ".param"};
    const char *sp = s->space < 8 ? space[s->space] : "";
    const char *op = ptx_op_name((enum ptx_op)s->op);
    if (s->kind == IR_SITE_MEM && s->is_atomic)
        snprintf(t->what, sizeof t->what, "%s%s.%s.%s", op, sp, sub, ptx_type_name((enum ptx_type)s->type));
    else if (s->kind == IR_SITE_MEM)
        snprintf(t->what, sizeof t->what, "%s%s%s.%s", op, s->is_volatile ? ".volatile" : "", sp,
                 ptx_type_name((enum ptx_type)s->type));
    else if (s->kind == IR_SITE_WARP && (s->op == PTX_O_BAR || s->op == PTX_O_BARRIER))
        snprintf(t->what, sizeof t->what, "__syncwarp()");
    else if (s->kind == IR_SITE_BAR)
        snprintf(t->what, sizeof t->what, "%s", s->op == PTX_O_BAR ? "__syncthreads()" : "barrier.sync");
    else
        snprintf(t->what, sizeof t->what, "%s", op);
}

static bool is_add(const struct ir_site *s)
{
    return s->is_atomic && (PTX_IS(s->sub, ADD) || PTX_IS(s->sub, INC) || PTX_IS(s->sub, DEC));
}

static const struct wf_site *make_site(const struct ir_program *p, const struct ir_func *f, const struct ir_site *s)
{
    static _Atomic uint32_t next_id = 1;
    bool is_texel = s->op == PTX_O_TEX || s->op == PTX_O_TLD4;
    struct wf_site *t = wf_xcalloc(is_texel ? EXEC__TEXEL_SITES : 1, sizeof *t);
    t->id = atomic_fetch_add(&next_id, is_texel ? EXEC__TEXEL_SITES : 1);
    t->kernel = wf_xstrdup(p->funcs[0]->name);
    t->loc = exec__loc(p, s->loc, s->ptx_line, t->kernel);
    if (!t->loc)
        t->loc = &unknown_loc;
    t->kind = s->kind == IR_SITE_MEM     ? WF_SITE_ACCESS
              : s->kind == IR_SITE_FENCE ? WF_SITE_FENCE
              : s->kind == IR_SITE_BAR   ? WF_SITE_BARRIER
                                         : WF_SITE_WARP;
    name_site(s, t);
    t->order = order_of(s);
    t->scope = scope_of(s, t->order);
    t->bytes = s->bytes;
    t->elements = s->vec;
    t->is_read = s->is_read;
    t->is_write = s->is_write;
    t->is_atomic = s->is_atomic;
    t->result_unused = s->is_unread;
    t->is_exchange = s->is_atomic && PTX_IS(s->sub, EXCH);
    t->is_cas = s->is_atomic && PTX_IS(s->sub, CAS);
    t->is_add = is_add(s);
    t->is_float_add = s->is_atomic && PTX_IS(s->sub, ADD) &&
                      (s->type == PTX_T_F32 || s->type == PTX_T_F64 || s->type == PTX_T_F16 || s->type == PTX_T_BF16);
    t->is_volatile = s->is_volatile;
    t->is_nc = s->is_nc;
    t->is_proxy = s->is_proxy;
    t->is_red = s->is_red;
    t->is_cas_guess = s->is_cas_guess;
    t->is_aligned = s->is_aligned;
    t->used_bytes = s->used_bytes_mask;
    t->is_used = s->is_used;
    t->is_texel = is_texel;
    for (uint32_t k = 1; is_texel && k < EXEC__TEXEL_SITES; k++) {
        t[k] = *t;
        t[k].id += k;
        t[k].bytes = (uint8_t)(1u << k);
    }
    (void)f;
    return t;
}

bool exec__has_resets(const struct ir_program *p)
{
    bool resets = false, adds = false;
    for (uint32_t i = 0; i < p->n_funcs; i++)
        for (uint32_t k = 0; k < p->funcs[i]->n_sites; k++) {
            const struct ir_site *s = &p->funcs[i]->sites[k];
            adds |= is_add(s);
            resets |= s->is_atomic ? PTX_IS(s->sub, EXCH) && s->is_unread
                                   : s->is_write && !s->is_volatile && order_of(s) != WF_ORD_WEAK;
        }
    return resets && adds;
}

static void make_sites(struct build_of *b)
{
    for (uint32_t i = 0; i < b->prog->n_funcs; i++) {
        const struct ir_func *f = b->prog->funcs[i];
        const struct wf_site **s = wf_xcalloc(f->n_sites + 1, sizeof *s);
        for (uint32_t k = 0; k < f->n_sites; k++)
            s[k] = make_site(b->prog, f, &f->sites[k]);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            if (f->blocks[k].is_poll_loop && f->blocks[k].poll_site < f->n_sites)
                ((struct wf_site *)s[f->blocks[k].poll_site])->is_poll = true;
        b->code[i].sites = s;
    }
}

static uint64_t address_of(const struct wf_module *m, const struct ptx_var *v)
{
    for (size_t i = 0; i < m->places.n; i++)
        if (m->places.at[i].var == v && !m->places.at[i].is_extern)
            return m->places.at[i].addr;
    for (size_t i = 0; i < m->places.n; i++)
        if (!m->places.at[i].is_extern && !strcmp(m->places.at[i].name, v->name))
            return m->places.at[i].addr;
    return 0;
}

static enum wf_status build_variant(struct wf_kernel *k, struct ir_blocks blocks, struct build_of *b, struct wf_err *err)
{
    const struct wf_settings *s = wf_settings();
    struct ir_opts o = {.blocks = blocks, .may_preempt = s->seed != 0};
    if (s->without && *s->without)
        o.without = s->without;
    struct wf_module *m = k->module;
    enum wf_status st = ir_build(&m->arena, m->mods, m->n_mods, k->home, k->func, &o, &b->prog, err);
    if (st)
        return st;
    k->info.shared_static = b->prog->funcs[0]->shared_bytes;
    k->info.local_bytes = b->prog->funcs[0]->local_bytes;
    b->syms = wf_xcalloc(b->prog->n_syms + b->prog->n_funcs, sizeof *b->syms); // handles of functions behind
    for (uint32_t i = 0; i < b->prog->n_funcs; i++)
        b->syms[b->prog->n_syms + i] = exec__func_handle(b->prog->funcs[i]->source);
    for (uint32_t i = 0; i < b->prog->n_syms; i++) {
        b->syms[i] = address_of(m, b->prog->syms[i].var);
        if (!b->syms[i])
            return wf_err_set(err, WF_E_UNSUPPORTED, "%s uses %s, which no translation unit defines", k->func->name,
                              b->prog->syms[i].var->name);
    }
    b->is_built = true;
    return WF_OK;
}

static enum wf_status compile_variant(struct wf_kernel *k, struct build_of *b, enum watch watch, struct wf_err *err)
{
    const struct wf_settings *s = wf_settings();
    struct wf_module *m = k->module;
    if (s->dump && !strcmp(s->dump, "ir")) {
        struct wf_str text = {0};
        ir_print(b->prog, &text);
        fputs(wf_str_get(&text), stderr);
        wf_str_fini(&text);
    }
    char dir[1024] = "";
    if (s->cache_dir && *s->cache_dir && !(s->dump && *s->dump)) // what comes from the cache shows nothing
        snprintf(dir, sizeof dir, "%s/kernels", s->cache_dir);
    struct jit_opts jo = {.is_checked = watch == WATCH_ALL, .is_guarded = watch == WATCH_ATOMICS,
                          .opt_level = (int)s->jit_opt,
                          .cache_dir = *dir ? dir : NULL, .dump = s->dump && !strcmp(s->dump, "llvm"),
                          .dump_asm = s->dump && !strcmp(s->dump, "asm")};
    struct jit_result r;
    enum wf_status st = jit_compile(b->prog, &jo, &r, err);
    if (st)
        return st;
    b->code = r.code;
    if (jo.is_checked)
        ir_find_uses(&m->arena, b->prog);
    make_sites(b);
    exec__register_functions(b, m);
    if (s->is_verbose)
        fprintf(stderr, "warpfence: compiled %s in %.1f ms%s\n", k->func->name, r.compile_ms,
                r.was_cached ? " (cached)" : "");
    b->is_made = true;
    return WF_OK;
}

enum wf_status exec__variant(struct wf_kernel *k, struct ir_blocks blocks, enum watch watch, bool has_code,
                             const struct build_of **out, struct wf_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, exec__announce_symbols);
    struct build_of *b = &k->variant[watch][blocks.affine_tid ? 2 : blocks.rows_of_16 ? 1 : 0][blocks.whole_warps];
    enum wf_status st = WF_OK;
    struct wf_mem_work before = wf_mem_fault_work((struct wf_mem_work){"compiling", k->func->name});
    pthread_mutex_lock(&k->module->lock);
    if (!b->is_built)
        st = build_variant(k, blocks, b, err);
    if (!st && has_code && !b->is_made)
        st = compile_variant(k, b, watch, err);
    pthread_mutex_unlock(&k->module->lock);
    wf_mem_fault_work(before);
    *out = b;
    return st;
}

enum wf_status wf_kernel_compile(struct wf_kernel *k, struct wf_err *err)
{
    const struct build_of *b;
    return exec__variant(k, (struct ir_blocks){.affine_tid = true, .whole_warps = true}, exec__events ? WATCH_ALL : WATCH_NOTHING, true, &b, err);
}

void wf_kernel_set_regs(struct wf_kernel *k, uint32_t regs)
{
    k->info.regs = regs;
}

// Static shared memory without compiling: the variables that the entry and what it may call declare.
static uint32_t shared_of(const struct wf_kernel *k)
{
    uint64_t off = 0;
    for (uint32_t i = 0; i < k->func->n_vars; i++) {
        const struct ptx_var *v = k->func->vars[i];
        if (v->space == PTX_SP_SHARED && !v->is_extern)
            off = wf_align_up(off, v->align ? v->align : 1) + v->bytes;
    }
    return (uint32_t)off;
}

const struct wf_kernel_info *wf_kernel_info(const struct wf_kernel *ck)
{
    struct wf_kernel *k = (struct wf_kernel *)ck;
    const struct ptx_func *f = k->func;
    pthread_mutex_lock(&k->module->lock);
    if (!k->info.name) {
        k->info.name = f->name;
        k->info.n_params = f->sig.n_param;
        k->offsets = wf_xcalloc(f->sig.n_param + 1u, sizeof *k->offsets);
        k->sizes = wf_xcalloc(f->sig.n_param + 1u, sizeof *k->sizes);
        uint64_t off = 0;
        for (uint32_t i = 0; i < f->sig.n_param; i++) {
            const struct ptx_var *v = f->sig.param[i];
            off = wf_align_up(off, v->align ? v->align : 1);
            k->offsets[i] = (uint32_t)off;
            k->sizes[i] = (uint32_t)v->bytes;
            off += v->bytes;
        }
        k->info.param_offset = k->offsets;
        k->info.param_bytes = k->sizes;
        k->info.param_total = (uint32_t)off;
        for (int d = 0; d < 3; d++) {
            k->info.maxntid[d] = f->maxntid[d];
            k->info.reqntid[d] = f->reqntid[d];
            k->info.cluster[d] = f->reqnctapercluster[d];
        }
        k->info.minnctapersm = f->minnctapersm;
        k->info.ptx_version = k->home->version;
        k->info.sm = k->home->sm;
        if (!k->info.shared_static)
            k->info.shared_static = shared_of(k);
    }
    pthread_mutex_unlock(&k->module->lock);
    return &k->info;
}
