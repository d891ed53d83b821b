// SPDX-License-Identifier: Apache-2.0
// One PTX instruction to flat IR: operands, guards, memory sites. Control flow that only some lanes
// of a guard take is made explicit here, so that only straight-line operations carry guards later.

#include <string.h> // memcpy

#include "base/bits.h"
#include "ir/ir_priv.h"

static enum wf_status refuse(struct build *b, struct inst *in, const struct ptx_insn *x, const char *what)
{
    return wf_err_at(b->err, WF_E_UNSUPPORTED, in->mod->name, x->line, 0, "%s: %s is not supported",
                     in->fn->name, what);
}

static uint64_t float_bits(const struct ptx_operand *o, enum ptx_type t)
{
    double d;
    float f;
    if (o->is_f32) {
        uint32_t w = (uint32_t)o->bits;
        memcpy(&f, &w, 4);
        d = (double)f;
    } else {
        memcpy(&d, &o->bits, 8);
    }
    if (t == PTX_T_F64) {
        uint64_t q;
        memcpy(&q, &d, 8);
        return q;
    }
    if (o->is_f32 || ptx_type_bits(t) == 64)
        return o->bits;
    f = (float)d;
    uint32_t w;
    memcpy(&w, &f, 4);
    return w;
}

static uint32_t symbol(struct build *b, struct inst *in, const struct ptx_var *v)
{
    for (size_t i = 0; i < b->syms.n; i++)
        if (b->syms.at[i].var == v)
            return (uint32_t)i;
    WF_PUSH(&b->syms, (struct ir_symbol){.var = v, .module = in->mod});
    return (uint32_t)b->syms.n - 1;
}

static void shared_address(struct build *b, const struct ptx_var *v, uint64_t add, struct ir_src *out)
{
    out->kind = IR_S_SHARED;
    if (v->is_extern) {
        out->is_dynamic = true;
        out->bits = add;
        if (v->align > b->dyn_align)
            b->dyn_align = v->align;
        return;
    }
    uint64_t key = (uint64_t)(uintptr_t)v;
    uint64_t off = (uint64_t)(uintptr_t)wf_map_get(&b->shared_off, key);
    if (!off) {
        off = wf_align_up(b->shared_bytes, v->align ? v->align : 1);
        b->shared_bytes = off + v->bytes;
        wf_map_put(&b->shared_off, key, (void *)(uintptr_t)(off + 1));
        off++;
    }
    out->bits = off - 1 + add;
}

static bool is_kernel_param(struct inst *in, const struct ptx_var *v, uint32_t *index)
{
    if (in->parent || !in->fn->is_entry)
        return false;
    for (uint32_t i = 0; i < in->fn->sig.n_param; i++)
        if (in->fn->sig.param[i] == v) {
            *index = i;
            return true;
        }
    return false;
}

static enum wf_status var_address(struct build *b, struct inst *in, const struct ptx_var *v, uint64_t add,
                                  struct ir_src *out)
{
    uint32_t i;
    switch (v->space) {
    case PTX_SP_SHARED:
    case PTX_SP_SHARED_CLUSTER:
        shared_address(b, v, add, out);
        return WF_OK;
    case PTX_SP_GLOBAL:
    case PTX_SP_CONST:
        out->kind = IR_S_SYM;
        out->sym = symbol(b, in, v);
        out->bits = add;
        return WF_OK;
    case PTX_SP_LOCAL: {
        uint64_t off = in->local_base;
        for (i = 0; i < in->fn->n_vars; i++) {
            const struct ptx_var *w = in->fn->vars[i];
            if (w->space != PTX_SP_LOCAL)
                continue;
            off = wf_align_up(off, w->align ? w->align : 1);
            if (w == v)
                break;
            off += w->bytes;
        }
        if (i == in->fn->n_vars) // module-scope .local: a place of its own
            off = wf_align_up(b->local_bytes, v->align ? v->align : 1), b->local_bytes = off + v->bytes;
        out->kind = IR_S_LOCAL;
        out->bits = off + add;
        return WF_OK;
    }
    case PTX_SP_PARAM:
        out->kind = IR_S_PARAM;
        if (is_kernel_param(in, v, &i)) {
            out->bits = b->prog->param_offset[i] + add;
        } else {
            uint32_t p = ir__pvar(b, in, v);
            b->pvars.at[p].escaped = true;
            out->sym = p + 1;
            out->bits = add;
        }
        return WF_OK;
    case PTX_SP_GENERIC:
    case PTX_SP_REG:
        break;
    }
    return wf_err_at(b->err, WF_E_INPUT, in->mod->name, v->line, 0, "%s has no address", v->name);
}

enum wf_status ir__source(struct build *b, struct inst *in, const struct ptx_operand *o, enum ptx_type t,
                          struct ir_src *out)
{
    memset(out, 0, sizeof *out);
    switch (o->kind) {
    case PTX_X_REG:
        out->kind = IR_S_REG;
        out->reg = in->reg_base + o->reg->id;
        out->is_negated = o->is_negated;
        return WF_OK;
    case PTX_X_IMM:
        out->kind = IR_S_IMM;
        out->bits = o->bits;
        out->is_negated = o->is_negated;
        return WF_OK;
    case PTX_X_FIMM:
        out->kind = IR_S_IMM;
        out->bits = float_bits(o, t);
        return WF_OK;
    case PTX_X_SREG:
        out->kind = IR_S_SREG;
        out->sreg = (uint16_t)o->sreg;
        out->comp = o->comp;
        return WF_OK;
    case PTX_X_VAR:
        return var_address(b, in, o->var, o->bits, out);
    case PTX_X_FUNC: {
        const struct ptx_module *m;
        const struct ptx_func *f = ir__find_func(b, in->mod, o->func, &m);
        if (!f)
            return wf_err_set(b->err, WF_E_UNSUPPORTED, "function %s has no body", o->func->name);
        out->kind = IR_S_FUNC;
        out->sym = ir__func_index(b, f, m);
        return WF_OK;
    }
    case PTX_X_SINK:
    case PTX_X_NONE:
        return WF_OK;
    case PTX_X_LABEL:
    case PTX_X_VECTOR:
    case PTX_X_MEM:
    case PTX_X_STRING:
        break;
    }
    return wf_err_set(b->err, WF_E_UNSUPPORTED, "%s: operand of this kind is not supported here",
                      in->fn->name);
}

// [base + off]: base to src[0], displacement to off.
static enum wf_status mem_operand(struct build *b, struct inst *in, const struct ptx_operand *o,
                                  struct ir_insn *d, int slot)
{
    uint32_t i;
    if (o->kind != PTX_X_MEM)
        return ir__source(b, in, o, PTX_T_U64, &d->src[slot]);
    int64_t off = (int64_t)o->bits;
    if (o->var && o->var->space == PTX_SP_PARAM && d->space == PTX_SP_PARAM &&
        !is_kernel_param(in, o->var, &i)) {
        d->src[slot].kind = IR_S_PARAM;
        d->src[slot].sym = ir__pvar(b, in, o->var) + 1;
    } else if (o->var) {
        enum wf_status st = var_address(b, in, o->var, 0, &d->src[slot]);
        if (st)
            return st;
        if (d->space == PTX_SP_GENERIC && slot == 0)
            d->space = (uint8_t)o->var->space;
    } else if (o->reg) {
        d->src[slot].kind = IR_S_REG;
        d->src[slot].reg = in->reg_base + o->reg->id;
    }
    if (slot == 0)
        d->off = off;
    else if (off && d->src[slot].kind == IR_S_REG) {
        // A second address with a displacement (cp.async): added first.
        struct ir_insn keep = *d;
        struct flat *a = ir__push(b, FLAT_INSN);
        unsigned bits = b->regs.at[keep.src[slot].reg].bits;
        uint32_t r = ir__new_reg(b, bits);
        a->in.op = PTX_O_ADD;
        a->in.m.type[0] = a->in.type = bits == 64 ? PTX_T_S64 : PTX_T_S32;
        a->in.m.n_types = 1;
        a->in.n_dst = 1;
        a->in.dst[0] = r;
        a->in.n_src = 2;
        a->in.src[0] = keep.src[slot];
        a->in.src[1] = (struct ir_src){.kind = IR_S_IMM, .bits = (uint64_t)off};
        *d = keep;
        d->src[slot].reg = r;
    } else {
        d->src[slot].bits += (uint64_t)off;
    }
    return WF_OK;
}

enum wf_status ir__dst(struct build *b, struct inst *in, const struct ptx_operand *o, struct ir_insn *d)
{
    if (o->kind == PTX_X_VECTOR) {
        for (uint32_t i = 0; i < o->n_elem; i++) {
            enum wf_status st = ir__dst(b, in, &o->elem[i], d);
            if (st)
                return st;
        }
        return WF_OK;
    }
    if (d->n_dst >= 8)
        return wf_err_set(b->err, WF_E_UNSUPPORTED, "%s: too many destinations", in->fn->name);
    d->dst[d->n_dst++] = o->kind == PTX_X_REG ? in->reg_base + o->reg->id : IR_NONE;
    return WF_OK;
}

static enum wf_status add_src(struct build *b, struct inst *in, const struct ptx_operand *o, enum ptx_type t,
                              struct ir_insn *d)
{
    if (o->kind == PTX_X_VECTOR) {
        for (uint32_t i = 0; i < o->n_elem; i++) {
            enum wf_status st = add_src(b, in, &o->elem[i], t, d);
            if (st)
                return st;
        }
        return WF_OK;
    }
    if (d->n_src >= 10)
        return wf_err_set(b->err, WF_E_UNSUPPORTED, "%s: too many operands", in->fn->name);
    if (o->kind == PTX_X_MEM) {
        enum wf_status st = mem_operand(b, in, o, d, d->n_src);
        d->n_src++;
        return st;
    }
    return ir__source(b, in, o, t, &d->src[d->n_src++]);
}

static bool has_dst(const struct ptx_insn *x)
{
    switch ((int)x->op) {
    case PTX_O_ST: case PTX_O_RED: case PTX_O_FENCE: case PTX_O_MEMBAR: case PTX_O_CP:
    case PTX_O_NANOSLEEP: case PTX_O_PREFETCH: case PTX_O_PREFETCHU: case PTX_O_GRIDDEPCONTROL:
    case PTX_O_PMEVENT: case PTX_O_STACKRESTORE: case PTX_O_SETMAXNREG: case PTX_O_DISCARD:
    case PTX_O_APPLYPRIORITY: case PTX_O_BRKPT: case PTX_O_TRAP:
        return false;
    case PTX_O_BAR: case PTX_O_BARRIER:
        return ptx_has(&x->m, PTX_M_RED);
    case PTX_O_MBARRIER:
        return x->n_x && (x->x[0].kind == PTX_X_REG || x->x[0].kind == PTX_X_SINK);
    default:
        return true;
    }
}

static enum ptx_type src_type(const struct ptx_insn *x, uint32_t k)
{
    if ((x->op == PTX_O_CVT || x->op == PTX_O_SET) && x->m.n_types > 1)
        return (enum ptx_type)x->m.type[1];
    if (x->op == PTX_O_SLCT && k == 2 && x->m.n_types > 1)
        return (enum ptx_type)x->m.type[1];
    return (enum ptx_type)x->m.type[0];
}

static bool needs_site(const struct ir_insn *d)
{
    switch ((int)d->op) {
    case PTX_O_LD: case PTX_O_LDU: case PTX_O_ST:
        return d->space != PTX_SP_PARAM;
    case PTX_O_ATOM: case PTX_O_RED: case PTX_O_FENCE: case PTX_O_MEMBAR: case PTX_O_BAR:
    case PTX_O_BARRIER: case PTX_O_CP: case PTX_O_MBARRIER: case PTX_O_SHFL: case PTX_O_VOTE:
    case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_ELECT: case PTX_O_GRIDDEPCONTROL: case PTX_O_TRAP:
    case PTX_O_BRKPT: case PTX_O_CALL: case PTX_O_TEX: case PTX_O_TLD4: case PTX_O_SULD: case PTX_O_SUST:
        return true;
    default:
        return false;
    }
}

static void make_site(struct build *b, struct ir_insn *d)
{
    struct ir_site s = {.loc = d->loc, .ptx_line = d->ptx_line, .op = d->op, .space = d->space,
                        .sem = d->m.sem, .scope = d->m.scope, .type = d->type,
                        .vec = d->m.vec ? d->m.vec : 1, .sub = d->m.sub, .used_bytes_mask = UINT32_MAX};
    s.bytes = (uint8_t)((ptx_type_bits((enum ptx_type)d->type) + 7) / 8);
    s.is_volatile = d->m.sem == PTX_SEM_VOLATILE;
    s.is_nc = ptx_has(&d->m, PTX_M_NC);
    if (d->n_more) // asynchronous: no access of the thread
        s.sem = PTX_SEM_NONE;
    switch (d->n_more ? PTX_O_CP : (int)d->op) {
    case PTX_O_LD: case PTX_O_LDU: s.kind = IR_SITE_MEM; s.is_read = true; break;
    case PTX_O_ST: s.kind = IR_SITE_MEM; s.is_write = true; break;
    case PTX_O_SULD: s.kind = IR_SITE_MEM; s.is_read = true; break;
    case PTX_O_SUST: s.kind = IR_SITE_MEM; s.is_write = true; break;
    case PTX_O_TEX: case PTX_O_TLD4: // how wide a texel is, only the object knows: its first byte stands for it
        s.kind = IR_SITE_MEM;
        s.is_read = true;
        s.bytes = s.vec = 1;
        break;
    case PTX_O_ATOM: case PTX_O_RED: // vector forms are atomic element by element
        s.kind = IR_SITE_MEM;
        s.vec = 1;
        s.is_read = s.is_write = s.is_atomic = true;
        s.is_red = d->op == PTX_O_RED;
        break;
    case PTX_O_FENCE: case PTX_O_MEMBAR:
        s.kind = IR_SITE_FENCE;
        s.is_proxy = ptx_has(&d->m, PTX_M_PROXY);
        break;
    case PTX_O_BAR: case PTX_O_BARRIER:
        s.kind = ptx_has(&d->m, PTX_M_WARP) ? IR_SITE_WARP : IR_SITE_BAR;
        s.is_aligned = d->op == PTX_O_BAR || ptx_has(&d->m, PTX_M_ALIGNED);
        break;
    case PTX_O_SHFL: case PTX_O_VOTE: case PTX_O_MATCH: case PTX_O_REDUX: case PTX_O_ELECT:
        s.kind = IR_SITE_WARP;
        break;
    default: s.kind = IR_SITE_OTHER; break;
    }
    d->site = (uint32_t)b->sites.n;
    WF_PUSH(&b->sites, s);
}

// .cc forms write a condition code, addc and friends read it: an ordinary predicate register here.
static void add_carry(struct build *b, const struct ptx_insn *x, struct ir_insn *d)
{
    bool reads = x->op == PTX_O_ADDC || x->op == PTX_O_SUBC || x->op == PTX_O_MADC;
    bool writes = ptx_has(&x->m, PTX_M_CC);
    if (!reads && !writes)
        return;
    if (b->cc_reg == IR_NONE)
        b->cc_reg = ir__new_reg(b, 1);
    if (reads)
        d->src[d->n_src++] = (struct ir_src){.kind = IR_S_REG, .reg = b->cc_reg};
    if (writes)
        d->dst[d->n_dst++] = b->cc_reg;
}

static enum wf_status plain(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    uint32_t k = 0;
    enum wf_status st = WF_OK;
    if (has_dst(x) && x->n_x) {
        st = ir__dst(b, in, &x->x[k++], d);
        if (!st && x->has_pair)
            st = ir__dst(b, in, &x->x[k++], d);
        d->has_pair = x->has_pair;
    }
    for (; k < x->n_x && !st; k++)
        st = add_src(b, in, &x->x[k], src_type(x, d->n_src), d);
    if (!st)
        add_carry(b, x, d);
    return st;
}

// mov and cvta in their many forms.
static enum wf_status move(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    enum wf_status st;
    if (x->x[0].kind == PTX_X_VECTOR || x->x[1].kind == PTX_X_VECTOR) {
        d->kind = x->x[0].kind == PTX_X_VECTOR ? IR_K_UNPACK : IR_K_PACK;
        return plain(b, in, x, d);
    }
    d->kind = IR_K_MOVE;
    st = plain(b, in, x, d);
    return st;
}

// Where an address of a parameter points: a kernel's are in device memory; a function's, once one has been taken,
// in the thread's own memory.
static uint8_t param_space(const struct inst *in)
{
    return in->parent || !in->fn->is_entry ? PTX_SP_LOCAL : PTX_SP_GLOBAL;
}

static enum wf_status load(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    uint32_t i;
    enum wf_status st = plain(b, in, x, d);
    if (st)
        return st;
    const struct ptx_operand *o = &x->x[1];
    if (d->space == PTX_SP_PARAM && o->kind == PTX_X_MEM && o->var && is_kernel_param(in, o->var, &i)) {
        d->off += (int64_t)d->src[0].bits;
        if (d->off < 0 || (uint64_t)d->off >= b->prog->param_bytes)
            return wf_err_at(b->err, WF_E_INPUT, in->mod->name, x->line, 0,
                             "ld.param reads beyond the kernel's parameters");
        d->kind = IR_K_LDPARAM;
        d->n_src = 0;
        d->src[0].kind = IR_S_NONE;
    } else if (d->space == PTX_SP_PARAM && !d->src[0].sym) {
        d->space = param_space(in);
    }
    return WF_OK;
}

static void fill(struct build *b, struct inst *in, const struct ptx_insn *x, struct ir_insn *d)
{
    d->op = (uint16_t)x->op;
    d->m = x->m;
    d->type = x->m.type[0];
    d->space = x->m.space;
    d->loc = ir__loc(b, in, x->loc);
    d->ptx_line = x->line;
    d->aux = x;
    if (x->guard) {
        d->guard = in->reg_base + x->guard->id;
        d->guard_negated = x->guard_negated;
        d->is_partial = true;
    }
}

static bool is_hint(const struct ptx_insn *x)
{
    switch ((int)x->op) {
    case PTX_O_PREFETCH: case PTX_O_PREFETCHU: case PTX_O_PMEVENT: case PTX_O_SETMAXNREG:
    case PTX_O_DISCARD: case PTX_O_APPLYPRIORITY:
        return true;
    default:
        return false;
    }
}

// A guarded instruction that stops paths becomes a branch around it.
static enum wf_status guarded(struct build *b, struct inst *in, const struct ptx_insn *x)
{
    uint32_t skip = b->n_labels++;
    struct flat *g = ir__push(b, FLAT_BRA);
    g->label = skip;
    g->in.guard = in->reg_base + x->guard->id;
    g->in.guard_negated = !x->guard_negated;
    g->in.loc = ir__loc(b, in, x->loc);
    struct ptx_insn y = *x;
    struct ptx_insn *keep = wf_arena_alloc(b->arena, sizeof *keep);
    y.guard = NULL;
    *keep = y;
    enum wf_status st = ir__insn(b, in, keep);
    ir__push(b, FLAT_LABEL)->label = skip;
    return st;
}

static enum wf_status control(struct build *b, struct inst *in, const struct ptx_insn *x)
{
    struct flat *f;
    if (x->op == PTX_O_BRA) {
        f = ir__push(b, FLAT_BRA);
        fill(b, in, x, &f->in);
        f->label = in->label_base + x->x[0].label->id;
    } else if (x->op == PTX_O_BRX) {
        f = ir__push(b, FLAT_BRX);
        fill(b, in, x, &f->in);
        f->n_targets = x->n_targets;
        f->targets = WF_NEW_N(b->arena, uint32_t, x->n_targets + 1);
        for (uint32_t i = 0; i < x->n_targets; i++)
            f->targets[i] = in->label_base + x->targets[i]->id;
        struct ir_src s;
        enum wf_status st = ir__source(b, in, &x->x[0], PTX_T_U32, &s);
        f = &b->flat.at[b->flat.n - 1];
        f->in.src[0] = s;
        f->in.n_src = 1;
        return st;
    } else if (x->op == PTX_O_RET && (in->parent || !in->fn->is_entry)) {
        f = ir__push(b, FLAT_BRA); // joins at the end of the inlined body
        fill(b, in, x, &f->in);
        f->label = in->ret_label;
    } else {
        f = ir__push(b, x->op == PTX_O_TRAP || x->op == PTX_O_BRKPT ? FLAT_TRAP : FLAT_EXIT);
        fill(b, in, x, &f->in);
    }
    return WF_OK;
}

static bool stops(const struct ptx_insn *x)
{
    switch ((int)x->op) {
    case PTX_O_BAR: case PTX_O_BARRIER: case PTX_O_SHFL: case PTX_O_VOTE: case PTX_O_MATCH:
    case PTX_O_REDUX: case PTX_O_ELECT: case PTX_O_CALL: case PTX_O_EXIT: case PTX_O_TRAP:
    case PTX_O_BRKPT: case PTX_O_BRX: case PTX_O_RET: case PTX_O_GRIDDEPCONTROL:
        return true;
    default:
        return ir_is_matrix(x->op);
    }
}

enum wf_status ir__insn(struct build *b, struct inst *in, const struct ptx_insn *x)
{
    if (ptx_op_is_refused(x->op))
        return refuse(b, in, x, ptx_op_name(x->op));
    if (is_hint(x))
        return WF_OK;
    if (x->guard && stops(x))
        return guarded(b, in, x);
    switch ((int)x->op) {
    case PTX_O_BRA: case PTX_O_BRX: case PTX_O_RET: case PTX_O_EXIT: case PTX_O_TRAP: case PTX_O_BRKPT:
        return control(b, in, x);
    case PTX_O_CALL:
        return ir__call(b, in, x);
    default:
        break;
    }
    struct ir_insn d = {.guard = IR_NONE, .site = IR_NONE};
    for (int i = 0; i < 8; i++)
        d.dst[i] = IR_NONE;
    fill(b, in, x, &d);
    enum wf_status st;
    if (x->op == PTX_O_MOV)
        st = move(b, in, x, &d);
    else if (x->op == PTX_O_LD || x->op == PTX_O_LDU)
        st = load(b, in, x, &d);
    else if (x->op == PTX_O_TEX || x->op == PTX_O_TLD4 || x->op == PTX_O_SULD || x->op == PTX_O_SUST ||
             x->op == PTX_O_TXQ || x->op == PTX_O_SUQ)
        st = ir__texture(b, in, x, &d);
    else if (ir_is_matrix(x->op))
        st = ir__matrix(b, in, x, &d);
    else if (ir__is_wide(x))
        st = ir__wide(b, in, x, &d), b->f->has_bulk = true;
    else
        st = plain(b, in, x, &d);
    if (st)
        return st;
    if (d.op == PTX_O_CVTA && d.space == PTX_SP_PARAM)
        d.space = param_space(in);
    if (d.kind == IR_K_OP && needs_site(&d))
        make_site(b, &d);
    if (d.op == PTX_O_ALLOCA)
        b->f->has_alloca = true;
    bool is_barred = (d.op == PTX_O_BAR || d.op == PTX_O_BARRIER) && ptx_has(&d.m, PTX_M_RED);
    uint32_t res = d.dst[0];
    if (is_barred) {
        d.n_dst = 0;
        d.dst[0] = IR_NONE;
    }
    ir__push(b, FLAT_INSN)->in = d;
    if (is_barred && res != IR_NONE) { // the result is there when the path goes on
        struct flat *r = ir__push(b, FLAT_INSN);
        r->in = d;
        r->in.kind = IR_K_BARRES;
        r->in.site = IR_NONE;
        r->in.n_src = 0;
        r->in.n_dst = 1;
        r->in.dst[0] = res;
    }
    return WF_OK;
}
