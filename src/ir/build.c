// SPDX-License-Identifier: Apache-2.0
// Entry of IR building: expands an entry with its direct calls into one flat list, then runs the
// passes that make blocks, shapes and liveness of it. Knows nothing of LLVM.

#include <stdio.h>  // snprintf
#include <string.h> // memset, strcmp

#include "ir/ir_priv.h"

#define MAX_INLINE_DEPTH 64
#define MAX_FLAT 400000

uint32_t ir__new_reg(struct build *b, unsigned bits)
{
    WF_PUSH(&b->regs, (struct ir_reg){.bits = (uint8_t)bits, .shape = IR_VEC, .slot = IR_NONE});
    return (uint32_t)b->regs.n - 1;
}

struct flat *ir__push(struct build *b, uint8_t kind)
{
    WF_PUSH(&b->flat, (struct flat){.kind = kind});
    struct flat *x = &b->flat.at[b->flat.n - 1];
    x->in.guard = x->in.site = IR_NONE;
    for (int i = 0; i < 8; i++)
        x->in.dst[i] = IR_NONE;
    return x;
}

// The definition of a function that may only be declared where it is called (-rdc: another module).
const struct ptx_func *ir__find_func(struct build *b, const struct ptx_module *home,
                                     const struct ptx_func *f, const struct ptx_module **mod)
{
    *mod = home;
    if (f->has_body)
        return f;
    for (uint32_t i = 0; i < home->n_funcs; i++)
        if (home->funcs[i]->has_body && !strcmp(home->funcs[i]->name, f->name))
            return home->funcs[i];
    for (uint32_t m = 0; m < b->n_modules; m++)
        for (uint32_t i = 0; i < b->modules[m]->n_funcs; i++) {
            const struct ptx_func *g = b->modules[m]->funcs[i];
            if (g->has_body && (g->is_visible || g->is_weak) && !strcmp(g->name, f->name)) {
                *mod = b->modules[m];
                return g;
            }
        }
    return NULL;
}

// Number of a real (not inlined) function of the program; queued for building when it is new.
uint32_t ir__func_index(struct build *b, const struct ptx_func *f, const struct ptx_module *m)
{
    for (size_t i = 1; i < b->func_src.n; i++)
        if (b->func_src.at[i] == f)
            return (uint32_t)i;
    WF_PUSH(&b->func_src, f);
    WF_PUSH(&b->func_mod, m);
    return (uint32_t)b->func_src.n - 1;
}

uint32_t ir__loc(struct build *b, const struct inst *in, uint32_t loc)
{
    if (!loc || !in->call_loc)
        return loc ? in->loc_base + loc : in->call_loc;
    uint64_t key = (uint64_t)(in->loc_base + loc) << 32 | in->call_loc;
    void *have = wf_map_get(&b->loc_at, key);
    if (have)
        return (uint32_t)(uintptr_t)have;
    struct ptx_loc l = b->locs.at[in->loc_base + loc], *end = &l;
    while (end->inlined_at) { // copy the chain that is there, put the call site behind it
        struct ptx_loc *up = WF_NEW(b->arena, struct ptx_loc);
        *up = *end->inlined_at;
        end->inlined_at = up;
        end = up;
    }
    struct ptx_loc *site = WF_NEW(b->arena, struct ptx_loc);
    *site = b->locs.at[in->call_loc];
    end->inlined_at = site;
    if (!end->function)
        end->function = in->fn->name;
    WF_PUSH(&b->locs, l);
    wf_map_put(&b->loc_at, key, (void *)(uintptr_t)(b->locs.n - 1));
    return (uint32_t)b->locs.n - 1;
}

static uint64_t place_locals(struct build *b, struct inst *in)
{
    uint64_t off = wf_align_up(b->local_bytes, 16);
    in->local_base = off;
    for (uint32_t i = 0; i < in->fn->n_vars; i++) {
        const struct ptx_var *v = in->fn->vars[i];
        if (v->space == PTX_SP_LOCAL)
            off = wf_align_up(off, v->align ? v->align : 1) + v->bytes;
    }
    return off;
}

static bool lists(const char *places, const char *file, uint32_t line)
{
    char place[4200];
    int n = snprintf(place, sizeof place, "%s:%u", file, line);
    for (const char *p = places; n > 0 && *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (strcspn(p, "\n") == (size_t)n && !memcmp(p, place, (size_t)n))
            return true;
    return false;
}

// A plain barrier of a line that the run is to do without.
static bool is_left_out(struct build *b, const struct inst *in, const struct ptx_insn *x)
{
    if ((x->op != PTX_O_BAR && x->op != PTX_O_BARRIER) || ptx_has(&x->m, PTX_M_RED) || ptx_has(&x->m, PTX_M_ARRIVE) ||
        ptx_has(&x->m, PTX_M_WARP) || ptx_has(&x->m, PTX_M_CLUSTER))
        return false;
    uint32_t loc = ir__loc(b, in, x->loc);
    for (const struct ptx_loc *l = loc ? &b->locs.at[loc] : NULL; l; l = l->inlined_at)
        if (l->file && lists(b->opts->without, b->prog->files[l->file], l->line))
            return true;
    return false;
}

enum wf_status ir__expand(struct build *b, struct inst *in)
{
    const struct ptx_func *f = in->fn;
    if (in->depth > MAX_INLINE_DEPTH || b->flat.n > MAX_FLAT)
        return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, f->line, 0,
                         "kernel %s is too large after inlining (%zu instructions)", b->f->name,
                         b->flat.n);
    in->reg_base = (uint32_t)b->regs.n;
    for (uint32_t i = 0; i < f->n_regs; i++) {
        uint32_t bits = ptx_type_bits(f->regs[i]->type);
        ir__new_reg(b, bits);
    }
    in->label_base = b->n_labels;
    b->n_labels += f->n_labels;
    in->ret_label = b->n_labels++;
    b->local_bytes = place_locals(b, in);

    if (!in->parent && !b->f->is_entry)
        ir__func_enter(b, in);
    uint32_t next_label = 0;
    // Labels by position: sort them once by index through a counting walk.
    uint32_t *at = wf_arena_alloc(b->arena, sizeof *at * (f->n_insns + 2));
    uint32_t *order = wf_arena_alloc(b->arena, sizeof *order * (f->n_labels + 1));
    for (uint32_t i = 0; i < f->n_labels; i++)
        at[f->labels[i]->index + 1]++;
    for (uint32_t i = 0; i <= f->n_insns; i++)
        at[i + 1] += at[i];
    for (uint32_t i = 0; i < f->n_labels; i++)
        order[at[f->labels[i]->index]++] = i;
    for (uint32_t i = 0; i <= f->n_insns; i++) {
        for (; next_label < f->n_labels && f->labels[order[next_label]]->index == i; next_label++)
            ir__push(b, FLAT_LABEL)->label = in->label_base + order[next_label];
        if (i == f->n_insns)
            break;
        if (b->opts->without && is_left_out(b, in, &f->insns[i]))
            continue;
        enum wf_status st = ir__insn(b, in, &f->insns[i]);
        if (st)
            return st;
    }
    // Falling off the end is a return.
    if (in->parent) {
        ir__push(b, FLAT_LABEL)->label = in->ret_label;
    } else if (!b->f->is_entry) {
        ir__push(b, FLAT_LABEL)->label = in->ret_label;
        ir__func_exit(b, in);
    } else {
        ir__push(b, FLAT_EXIT);
    }
    return WF_OK;
}

static void finish_func(struct build *b)
{
    struct ir_func *f = b->f;
    ir__resolve_pvars(b);
    f->shared_bytes = (uint32_t)b->shared_bytes;
    f->shared_dynamic_offset = (uint32_t)wf_align_up(b->shared_bytes, b->dyn_align);
    f->local_bytes = (uint32_t)wf_align_up(b->local_bytes, 16);
    f->n_regs = (uint32_t)b->regs.n;
    f->regs = WF_NEW_N(b->arena, struct ir_reg, b->regs.n + 1);
    if (b->regs.n)
        memcpy(f->regs, b->regs.at, sizeof *f->regs * b->regs.n);
    f->n_sites = (uint32_t)b->sites.n;
    f->sites = WF_NEW_N(b->arena, struct ir_site, b->sites.n + 1);
    if (b->sites.n)
        memcpy(f->sites, b->sites.at, sizeof *f->sites * b->sites.n);
    ir__make_blocks(b);
    ir__constants(b->arena, f);
    ir__drop_unread_results(f);
    ir__spaces(f);
    ir__cas_guesses(b->arena, f);
    ir__loops(b->arena, f);
    ir__liveness(b->arena, f);
    ir__shapes(b->arena, f, b->opts);
    ir__if_convert(b->arena, f);
    ir__loops(b->arena, f);
    ir__liveness(b->arena, f);
    ir__joins(b->arena, f);
    ir__blockwide(b->arena, f);
    ir__rows(b->arena, f, b->opts);
}

static enum wf_status build_func(struct build *b, const struct ptx_module *mod,
                                 const struct ptx_func *fn, bool is_entry, uint32_t loc_base)
{
    struct ir_func *f = WF_NEW(b->arena, struct ir_func);
    b->f = f;
    f->name = fn->name;
    f->source = fn;
    f->is_entry = is_entry;
    b->flat.n = b->regs.n = b->sites.n = b->pvars.n = 0;
    b->n_labels = 0;
    b->local_bytes = 0;
    b->cc_reg = IR_NONE;
    struct inst top = {.mod = mod, .fn = fn, .loc_base = loc_base};
    enum wf_status st = ir__expand(b, &top);
    wf_map_fini(&top.pvars);
    if (st)
        return st;
    finish_func(b);
    WF_PUSH(&b->funcs, f);
    return WF_OK;
}

static void layout_params(struct build *b, const struct ptx_func *f)
{
    struct ir_program *p = b->prog;
    p->n_params = f->sig.n_param;
    p->param_offset = WF_NEW_N(b->arena, uint32_t, p->n_params + 1u);
    p->param_size = WF_NEW_N(b->arena, uint32_t, p->n_params + 1u);
    uint64_t off = 0;
    for (uint32_t i = 0; i < p->n_params; i++) {
        const struct ptx_var *v = f->sig.param[i];
        off = wf_align_up(off, v->align ? v->align : 1);
        p->param_offset[i] = (uint32_t)off;
        p->param_size[i] = (uint32_t)v->bytes;
        off += v->bytes;
    }
    p->param_bytes = (uint32_t)off;
}

// All modules' locations in one table, so that inlined code of another module keeps its lines.
static void merge_locs(struct build *b, uint32_t *base)
{
    uint32_t n_locs = 1, n_files = 1;
    for (uint32_t m = 0; m < b->n_modules; m++) {
        n_locs += b->modules[m]->n_locs;
        n_files += b->modules[m]->n_files;
    }
    struct ptx_loc *locs = WF_NEW_N(b->arena, struct ptx_loc, n_locs);
    const char **files = WF_NEW_N(b->arena, const char *, n_files);
    uint32_t l = 1, fi = 1;
    for (uint32_t m = 0; m < b->n_modules; m++) {
        const struct ptx_module *x = b->modules[m];
        base[m] = l;
        for (uint32_t i = 0; i < x->n_locs; i++) {
            locs[l] = x->locs[i];
            if (locs[l].file)
                locs[l].file += fi;
            // Call-site chains point into the module's own table: copied with the file moved as well.
            for (struct ptx_loc *c = &locs[l]; c->inlined_at;) {
                struct ptx_loc *up = WF_NEW(b->arena, struct ptx_loc);
                *up = *c->inlined_at;
                if (up->file)
                    up->file += fi;
                c->inlined_at = up;
                c = up;
            }
            l++;
        }
        for (uint32_t i = 0; i < x->n_files; i++)
            files[fi + i] = x->files[i];
        fi += x->n_files;
    }
    for (uint32_t i = 0; i < n_locs; i++)
        WF_PUSH(&b->locs, locs[i]);
    b->prog->files = files;
}

enum wf_status ir_build(struct wf_arena *arena, const struct ptx_module *const *modules,
                        uint32_t n_modules, const struct ptx_module *home, const struct ptx_func *f,
                        const struct ir_opts *o, struct ir_program **out, struct wf_err *err)
{
    struct build b = {.arena = arena, .modules = modules, .n_modules = n_modules, .opts = o, .err = err,
                      .dyn_align = 16};
    b.prog = WF_NEW(arena, struct ir_program);
    b.prog->arena = arena;
    b.prog->blocks = o->blocks;
    uint32_t *loc_base = WF_NEW_N(arena, uint32_t, n_modules + 1);
    merge_locs(&b, loc_base);
    b.mod_loc_base = loc_base;
    layout_params(&b, f);
    WF_PUSH(&b.func_src, f);
    WF_PUSH(&b.func_mod, home);
    enum wf_status st = WF_OK;
    for (size_t i = 0; i < b.func_src.n && !st; i++) {
        uint32_t base = 0;
        for (uint32_t m = 0; m < n_modules; m++)
            if (modules[m] == b.func_mod.at[i])
                base = loc_base[m];
        st = build_func(&b, b.func_mod.at[i], b.func_src.at[i], i == 0, base);
    }
    if (!st) {
        b.prog->n_funcs = (uint32_t)b.funcs.n;
        b.prog->funcs = WF_NEW_N(arena, struct ir_func *, b.funcs.n);
        memcpy(b.prog->funcs, b.funcs.at, sizeof *b.funcs.at * b.funcs.n);
        // Shared memory is one layout for the whole program.
        for (size_t i = 0; i < b.funcs.n; i++) {
            b.funcs.at[i]->shared_bytes = (uint32_t)b.shared_bytes;
            b.funcs.at[i]->shared_dynamic_offset =
                (uint32_t)wf_align_up(b.shared_bytes, b.dyn_align);
        }
        b.prog->n_locs = (uint32_t)b.locs.n;
        struct ptx_loc *locs = WF_NEW_N(arena, struct ptx_loc, b.locs.n + 1);
        memcpy(locs, b.locs.at, sizeof *locs * b.locs.n);
        b.prog->locs = locs;
        b.prog->n_syms = (uint32_t)b.syms.n;
        b.prog->syms = WF_NEW_N(arena, struct ir_symbol, b.syms.n + 1);
        if (b.syms.n)
            memcpy(b.prog->syms, b.syms.at, sizeof *b.syms.at * b.syms.n);
        *out = b.prog;
    }
    WF_VEC_FINI(&b.locs);
    wf_map_fini(&b.loc_at);
    WF_VEC_FINI(&b.flat);
    WF_VEC_FINI(&b.regs);
    WF_VEC_FINI(&b.sites);
    WF_VEC_FINI(&b.pvars);
    WF_VEC_FINI(&b.syms);
    WF_VEC_FINI(&b.funcs);
    WF_VEC_FINI(&b.func_src);
    WF_VEC_FINI(&b.func_mod);
    wf_map_fini(&b.shared_off);
    return st;
}
