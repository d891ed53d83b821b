// SPDX-License-Identifier: Apache-2.0
// Calls. A direct call is inlined, its parameters becoming pvars that caller and callee share; a
// recursive, very deep or indirect one stays a real call whose arguments travel in registers; calls of
// the device runtime (vprintf, malloc, ...) become CALL instructions with a builtin number.

#include <string.h> // strcmp

#include "ir/ir_priv.h"

static uint32_t new_pvar(struct build *b, const struct ptx_var *v)
{
    WF_PUSH(&b->pvars, (struct pvar){.var = v, .bytes = v->bytes, .local_off = IR_NONE});
    return (uint32_t)b->pvars.n - 1;
}

// The pvar of a .param variable in this activation; made on first use.
uint32_t ir__pvar(struct build *b, struct inst *in, const struct ptx_var *v)
{
    uint64_t key = (uint64_t)(uintptr_t)v;
    void *have = wf_map_get(&in->pvars, key);
    if (have)
        return (uint32_t)(uintptr_t)have - 1;
    uint32_t p = new_pvar(b, v);
    wf_map_put(&in->pvars, key, (void *)(uintptr_t)(p + 1));
    return p;
}

static void bind(struct inst *in, const struct ptx_var *v, uint32_t p)
{
    wf_map_put(&in->pvars, (uint64_t)(uintptr_t)v, (void *)(uintptr_t)(p + 1));
}

static enum ptx_type bits_type(unsigned bits)
{
    return bits == 1 ? PTX_T_PRED : bits == 8 ? PTX_T_B8 : bits == 16 ? PTX_T_B16
         : bits == 64 ? PTX_T_B64 : bits == 128 ? PTX_T_B128 : PTX_T_B32;
}

static void access_pvar(struct build *b, const struct ptx_insn *x, uint32_t p, uint64_t off,
                        unsigned bits, uint32_t reg, bool is_store)
{
    struct ir_insn d = {.op = is_store ? PTX_O_ST : PTX_O_LD, .guard = IR_NONE, .site = IR_NONE};
    for (int i = 0; i < 8; i++)
        d.dst[i] = IR_NONE;
    d.type = d.m.type[0] = (uint8_t)bits_type(bits);
    d.m.n_types = 1;
    d.space = PTX_SP_PARAM;
    d.src[0] = (struct ir_src){.kind = IR_S_PARAM, .sym = p + 1};
    d.n_src = 1;
    d.off = (int64_t)off;
    d.ptx_line = x->line;
    if (is_store)
        d.src[d.n_src++] = (struct ir_src){.kind = IR_S_REG, .reg = reg};
    else
        d.dst[d.n_dst++] = reg;
    ir__push(b, FLAT_INSN)->in = d;
}

static void move_operand(struct build *b, const struct ir_src *s, unsigned bits, uint32_t reg)
{
    struct flat *f = ir__push(b, FLAT_INSN);
    f->in.kind = IR_K_MOVE;
    f->in.op = PTX_O_MOV;
    f->in.type = f->in.m.type[0] = (uint8_t)bits_type(bits);
    f->in.n_dst = f->in.n_src = 1;
    f->in.dst[0] = reg;
    f->in.src[0] = *s;
}

// Binds an actual to a formal: a .param variable is shared, a register or an immediate is copied in.
static enum wf_status bind_arg(struct build *b, struct inst *caller, struct inst *callee,
                               const struct ptx_insn *x, const struct ptx_operand *o,
                               const struct ptx_var *formal, bool is_result)
{
    if (formal->space == PTX_SP_REG) { // .reg parameters of a .func
        uint32_t freg = callee->reg_base + formal->id;
        struct ir_src s;
        if (o->kind == PTX_X_VAR && o->var->space == PTX_SP_PARAM) {
            if (!is_result)
                access_pvar(b, x, ir__pvar(b, caller, o->var), 0, b->regs.at[freg].bits, freg, false);
            return WF_OK;
        }
        if (is_result)
            return WF_OK;
        enum wf_status st = ir__source(b, caller, o, formal->type, &s);
        if (!st)
            move_operand(b, &s, b->regs.at[freg].bits, freg);
        return st;
    }
    if (o->kind == PTX_X_VAR && o->var->space == PTX_SP_PARAM) {
        bind(callee, formal, ir__pvar(b, caller, o->var));
        return WF_OK;
    }
    uint32_t p = ir__pvar(b, callee, formal);
    if (is_result)
        return WF_OK;
    unsigned bits = (unsigned)formal->bytes * 8;
    uint32_t r = ir__new_reg(b, bits);
    struct ir_src s;
    enum wf_status st = ir__source(b, caller, o, formal->type, &s);
    if (st)
        return st;
    move_operand(b, &s, bits, r);
    access_pvar(b, x, p, 0, bits, r, true);
    return WF_OK;
}

static enum wf_status inline_call(struct build *b, struct inst *in, const struct ptx_insn *x,
                                  const struct ptx_func *g, const struct ptx_module *gm)
{
    struct inst callee = {.mod = gm, .fn = g, .parent = in, .depth = in->depth + 1, .call_loc = ir__loc(b, in, x->loc)};
    for (uint32_t m = 0; m < b->n_modules; m++)
        if (b->modules[m] == gm)
            callee.loc_base = b->mod_loc_base[m];
    // Register numbers of the callee are given out in ir__expand: they start at the next free one, but
    // moves into .reg formals come first, so reserve nothing in between.
    const struct ptx_operand *arg = &x->x[x->n_ret + 1];
    uint32_t n_arg = (uint32_t)x->n_x - x->n_ret - 1;
    if (n_arg != g->sig.n_param || x->n_ret != g->sig.n_ret)
        return wf_err_at(b->err, WF_E_INPUT, in->mod->name, x->line, 0,
                         "call of %s passes %u arguments where %u are declared", g->name, n_arg,
                         g->sig.n_param);
    enum wf_status st = WF_OK;
    bool has_reg_formals = false;
    for (uint32_t i = 0; i < n_arg; i++)
        has_reg_formals |= g->sig.param[i]->space == PTX_SP_REG;
    for (uint32_t i = 0; i < x->n_ret; i++)
        has_reg_formals |= g->sig.ret[i]->space == PTX_SP_REG;
    if (has_reg_formals)
        return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0,
                         "call of %s with .reg parameters is not supported", g->name);
    for (uint32_t i = 0; i < n_arg && !st; i++)
        st = bind_arg(b, in, &callee, x, &arg[i], g->sig.param[i], false);
    for (uint32_t i = 0; i < x->n_ret && !st; i++)
        st = bind_arg(b, in, &callee, x, &x->x[i], g->sig.ret[i], true);
    if (!st)
        st = ir__expand(b, &callee);
    // A result that goes straight to a register.
    for (uint32_t i = 0; i < x->n_ret && !st; i++)
        if (x->x[i].kind == PTX_X_REG) {
            uint32_t r = in->reg_base + x->x[i].reg->id;
            access_pvar(b, x, ir__pvar(b, &callee, g->sig.ret[i]), 0, b->regs.at[r].bits, r, false);
        }
    wf_map_fini(&callee.pvars);
    return st;
}

static uint32_t arg_reg(struct build *b, struct inst *in, const struct ptx_insn *x,
                        const struct ptx_operand *o, uint64_t off, unsigned bits, enum wf_status *st)
{
    uint32_t r = ir__new_reg(b, bits);
    if (o->kind == PTX_X_VAR && o->var->space == PTX_SP_PARAM) {
        access_pvar(b, x, ir__pvar(b, in, o->var), off, bits, r, false);
        return r;
    }
    struct ir_src s;
    *st = ir__source(b, in, o, bits_type(bits), &s);
    if (!*st)
        move_operand(b, &s, bits, r);
    return r;
}

static int builtin_of(const char *name)
{
    static const struct { const char *name; int id; } table[] = {
        {"vprintf", IR_B_VPRINTF}, {"__assertfail", IR_B_ASSERTFAIL},
        {"malloc", IR_B_MALLOC},   {"free", IR_B_FREE},
        {"cudaGraphSetConditional", IR_B_SET_CONDITION},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return table[i].id;
    return IR_B_NONE;
}

// The pieces in which a parameter travels: one register up to 8 bytes, else 8-byte words.
static uint32_t n_pieces(uint64_t bytes)
{
    return bytes <= 8 ? 1 : (uint32_t)((bytes + 7) / 8);
}

static unsigned piece_bits(uint64_t bytes, uint32_t i)
{
    if (bytes <= 8)
        return bytes > 4 ? 64 : bytes > 2 ? 32 : bytes > 1 ? 16 : 8;
    (void)i;
    return 64;
}

static enum wf_status real_call(struct build *b, struct inst *in, const struct ptx_insn *x,
                                const struct ptx_proto *sig, const struct ir_src *callee, int builtin,
                                const char *name)
{
    const struct ptx_operand *arg = &x->x[x->n_ret + 1];
    uint32_t n_arg = (uint32_t)x->n_x - x->n_ret - 1;
    if (n_arg != sig->n_param || x->n_ret != sig->n_ret)
        return wf_err_at(b->err, WF_E_INPUT, in->mod->name, x->line, 0,
                         "call passes %u arguments where %u are declared", n_arg, sig->n_param);
    struct ir_call *c = WF_NEW(b->arena, struct ir_call);
    c->builtin = (uint8_t)builtin;
    c->name = name;
    uint32_t words = 0, rets = 0;
    for (uint32_t i = 0; i < n_arg; i++)
        words += n_pieces(sig->param[i]->bytes);
    for (uint32_t i = 0; i < x->n_ret; i++)
        rets += n_pieces(sig->ret[i]->bytes);
    c->arg = WF_NEW_N(b->arena, uint32_t, words + 1);
    c->ret = WF_NEW_N(b->arena, uint32_t, rets + 1);
    enum wf_status st = WF_OK;
    for (uint32_t i = 0; i < n_arg; i++)
        for (uint32_t k = 0; k < n_pieces(sig->param[i]->bytes) && !st; k++) {
            uint64_t bytes = sig->param[i]->bytes;
            if (bytes > 8 && arg[i].kind == PTX_X_VAR)
                b->pvars.at[ir__pvar(b, in, arg[i].var)].escaped = true;
            c->arg[c->n_args++] = arg_reg(b, in, x, &arg[i], 8u * k, piece_bits(bytes, k), &st);
        }
    for (uint32_t i = 0; i < x->n_ret; i++)
        for (uint32_t k = 0; k < n_pieces(sig->ret[i]->bytes); k++)
            c->ret[c->n_rets++] = ir__new_reg(b, piece_bits(sig->ret[i]->bytes, k));
    if (st)
        return st;
    struct flat *f = ir__push(b, FLAT_INSN);
    f->in.op = PTX_O_CALL;
    f->in.loc = ir__loc(b, in, x->loc);
    f->in.ptx_line = x->line;
    f->in.aux = c;
    if (callee) {
        f->in.src[0] = *callee;
        f->in.n_src = 1;
        b->f->has_calls = true;
    }
    struct ir_site s = {.kind = IR_SITE_OTHER, .loc = f->in.loc, .ptx_line = x->line, .op = PTX_O_CALL,
                        .used_bytes_mask = UINT32_MAX};
    f->in.site = (uint32_t)b->sites.n;
    WF_PUSH(&b->sites, s);
    uint32_t r = 0;
    for (uint32_t i = 0; i < x->n_ret; i++)
        for (uint32_t k = 0; k < n_pieces(sig->ret[i]->bytes); k++, r++) {
            unsigned bits = piece_bits(sig->ret[i]->bytes, k);
            if (x->x[i].kind == PTX_X_VAR && x->x[i].var->space == PTX_SP_PARAM) {
                uint32_t p = ir__pvar(b, in, x->x[i].var);
                if (sig->ret[i]->bytes > 8)
                    b->pvars.at[p].escaped = true;
                access_pvar(b, x, p, 8u * k, bits, c->ret[r], true);
            } else if (x->x[i].kind == PTX_X_REG) {
                struct ir_src s1 = {.kind = IR_S_REG, .reg = c->ret[r]};
                move_operand(b, &s1, bits, in->reg_base + x->x[i].reg->id);
            }
        }
    return WF_OK;
}

void ir__func_enter(struct build *b, struct inst *in)
{
    const struct ptx_proto *sig = &in->fn->sig;
    const struct ptx_insn at = {.line = in->fn->line};
    uint32_t n = 0;
    for (uint32_t i = 0; i < sig->n_param; i++)
        n += n_pieces(sig->param[i]->bytes);
    b->f->param_reg = WF_NEW_N(b->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < sig->n_param; i++) {
        uint64_t bytes = sig->param[i]->bytes;
        uint32_t p = ir__pvar(b, in, sig->param[i]);
        if (bytes > 8)
            b->pvars.at[p].escaped = true;
        for (uint32_t k = 0; k < n_pieces(bytes); k++) {
            uint32_t r = ir__new_reg(b, piece_bits(bytes, k));
            b->f->param_reg[b->f->n_params++] = r;
            access_pvar(b, &at, p, 8u * k, piece_bits(bytes, k), r, true);
        }
    }
}

void ir__func_exit(struct build *b, struct inst *in)
{
    const struct ptx_proto *sig = &in->fn->sig;
    const struct ptx_insn at = {.line = in->fn->line};
    uint32_t n = 0;
    for (uint32_t i = 0; i < sig->n_ret; i++)
        n += n_pieces(sig->ret[i]->bytes);
    b->f->ret_reg = WF_NEW_N(b->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < sig->n_ret; i++) {
        uint64_t bytes = sig->ret[i]->bytes;
        uint32_t p = ir__pvar(b, in, sig->ret[i]);
        if (bytes > 8)
            b->pvars.at[p].escaped = true;
        for (uint32_t k = 0; k < n_pieces(bytes); k++) {
            uint32_t r = ir__new_reg(b, piece_bits(bytes, k));
            b->f->ret_reg[b->f->n_rets++] = r;
            access_pvar(b, &at, p, 8u * k, piece_bits(bytes, k), r, false);
        }
    }
    ir__push(b, FLAT_RET);
}

// Is g being expanded already on the way here (recursion)?
static bool is_active(const struct inst *in, const struct ptx_func *g)
{
    for (; in; in = in->parent)
        if (in->fn == g)
            return true;
    return false;
}

enum wf_status ir__call(struct build *b, struct inst *in, const struct ptx_insn *x)
{
    const struct ptx_operand *o = &x->x[x->n_ret];
    if (o->kind == PTX_X_FUNC) {
        const struct ptx_module *gm;
        const struct ptx_func *g = ir__find_func(b, in->mod, o->func, &gm);
        int builtin = g ? IR_B_NONE : builtin_of(o->func->name);
        if (builtin)
            return real_call(b, in, x, &o->func->sig, NULL, builtin, o->func->name);
        if (!g)
            return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0,
                             "%s calls %s, which has no body", b->f->name, o->func->name);
        if (!is_active(in, g) && b->flat.n < 100000 && in->depth < 48)
            return inline_call(b, in, x, g, gm);
        struct ir_src s = {.kind = IR_S_FUNC, .sym = ir__func_index(b, g, gm)};
        return real_call(b, in, x, &g->sig, &s, IR_B_NONE, g->name);
    }
    if (!x->proto)
        return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0,
                         "indirect call without a prototype");
    ir__add_targets(b, x->proto);
    struct ir_src s;
    enum wf_status st = ir__source(b, in, o, PTX_T_U64, &s);
    return st ? st : real_call(b, in, x, x->proto, &s, IR_B_NONE, "indirect call");
}
