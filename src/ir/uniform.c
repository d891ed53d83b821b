// SPDX-License-Identifier: Apache-2.0
// Shapes of registers: how much of the 32 lanes' values has to be kept.
//
// 1. A register whose single definition is a cheap pure function of launch facts is *remat*.
// 2. Optimistic data flow: every register starts undefined (better than anything) and falls to the
//    join of what its definitions give.
// 3. Divergence: where lanes that took different sides of a branch meet again, a register that
//    either side has set and that is still live holds different values in different lanes, so it is
//    VEC. That includes values that a divergent loop exit carries out of the loop.
// Inside one path every UNI register is the same in all lanes: a branch splits a path but never joins
// two, and the scheduler merges two paths only if their UNI values agree.

#include <string.h> // memset

#include "ir/ir_priv.h"

struct shp {
    uint8_t kind; // enum ir_shape, or UNDEF
    bool is_signed;
    int64_t stride, scale;
};
#define UNDEF 255

struct pass {
    struct wf_arena *a;
    struct ir_func *f;
    const struct ir_opts *o;
    struct shp *s;
    uint8_t *pinned; // VEC by divergence
};

static struct shp make(uint8_t kind, int64_t stride)
{
    return (struct shp){.kind = stride || kind != IR_AFF ? kind : IR_UNI, .stride = stride};
}

static bool same(struct shp a, struct shp b)
{
    return a.kind == b.kind && a.stride == b.stride && a.scale == b.scale && a.is_signed == b.is_signed;
}

static struct shp join(struct shp a, struct shp b)
{
    if (a.kind == UNDEF)
        return b;
    if (b.kind == UNDEF || same(a, b))
        return a;
    return make(IR_VEC, 0);
}

static struct shp sreg_shape(const struct pass *p, const struct ir_src *s)
{
    switch ((int)s->sreg) {
    case PTX_SR_TID:
        if (!p->o->blocks.affine_tid)
            return make(IR_VEC, 0);
        return s->comp == 0 ? make(IR_AFF, 1) : make(IR_UNI, 0);
    case PTX_SR_LANEID:
        return make(IR_AFF, 1);
    case PTX_SR_LANEMASK_EQ: case PTX_SR_LANEMASK_LE: case PTX_SR_LANEMASK_LT: case PTX_SR_LANEMASK_GE:
    case PTX_SR_LANEMASK_GT:
        return make(IR_VEC, 0);
    default:
        return make(IR_UNI, 0);
    }
}

static struct shp src_shape(const struct pass *p, const struct ir_src *s)
{
    switch (s->kind) {
    case IR_S_REG:
        return p->s[s->reg];
    case IR_S_SREG:
        return sreg_shape(p, s);
    default:
        return make(IR_UNI, 0);
    }
}

static bool is_int_type(uint8_t t)
{
    char k = ptx_type_kind((enum ptx_type)t);
    return k == 'U' || k == 'S' || k == 'B';
}

static bool const_of(const struct ir_src *s, int64_t *v)
{
    if (s->kind != IR_S_IMM)
        return false;
    *v = (int64_t)s->bits;
    return true;
}

static int64_t times(int64_t a, int64_t b) // modulo 2^64, as the registers
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static struct shp add_shapes(struct shp a, struct shp b, bool is_sub, unsigned bits)
{
    if (a.kind == UNDEF || b.kind == UNDEF)
        return (struct shp){.kind = UNDEF};
    if (a.kind == IR_UNI && b.kind == IR_UNI)
        return a;
    if (a.kind <= IR_AFF && b.kind <= IR_AFF && (bits == 32 || bits == 64))
        return make(IR_AFF, (int64_t)((uint64_t)a.stride + (uint64_t)(is_sub ? times(b.stride, -1) : b.stride)));
    if (a.kind == IR_WAFF && b.kind == IR_UNI)
        return a;
    if (b.kind == IR_WAFF && a.kind == IR_UNI && !is_sub)
        return b;
    return make(IR_VEC, 0);
}

static struct shp scale_shape(struct shp a, int64_t k)
{
    if (a.kind == IR_AFF)
        a.stride = times(a.stride, k);
    else if (a.kind == IR_WAFF)
        a.scale = times(a.scale, k);
    return a.kind == IR_AFF ? make(IR_AFF, a.stride) : a;
}

// An AFF index of 32 bits widened to 64. Steps so large that 31 of them pass 2^31 stay plain vectors:
// whether the index wraps inside the warp is asked of its two ends only.
static struct shp widened(struct shp a, int64_t scale, bool is_signed)
{
    if (a.stride > (1 << 26) || a.stride < -(1 << 26))
        return make(IR_VEC, 0);
    return (struct shp){.kind = IR_WAFF, .stride = a.stride, .scale = scale, .is_signed = is_signed};
}

static struct shp mul_shape(const struct pass *p, const struct ir_insn *in)
{
    struct shp a = src_shape(p, &in->src[0]), b = src_shape(p, &in->src[1]);
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    int64_t k;
    if (a.kind == UNDEF || b.kind == UNDEF)
        return (struct shp){.kind = UNDEF};
    if (a.kind == IR_UNI && b.kind == IR_UNI)
        return a;
    struct shp x = a;
    if (!const_of(&in->src[1], &k)) {
        if (!const_of(&in->src[0], &k))
            return make(IR_VEC, 0);
        x = b;
    }
    // Immediates are sign-extended: as an unsigned factor of a wide product -5 is 2^32 - 5.
    if (ptx_has(&in->m, PTX_M_WIDE) && bits == 32)
        k = ptx_type_kind((enum ptx_type)in->type) == 'S' ? (int64_t)(int32_t)k : (int64_t)(uint32_t)k;
    if (!is_int_type(in->type) || k > INT32_MAX || k < INT32_MIN)
        return make(IR_VEC, 0);
    if (ptx_has(&in->m, PTX_M_WIDE)) {
        if (bits != 32 || x.kind != IR_AFF)
            return make(IR_VEC, 0);
        return widened(x, k, ptx_type_kind((enum ptx_type)in->type) == 'S');
    }
    if (ptx_has(&in->m, PTX_M_LO) && (bits == 32 || bits == 64) && x.kind != IR_VEC)
        return scale_shape(x, k);
    return make(IR_VEC, 0);
}

static struct shp cvt_shape(const struct pass *p, const struct ir_insn *in)
{
    struct shp a = src_shape(p, &in->src[0]);
    if (a.kind == UNDEF || a.kind == IR_UNI)
        return a;
    if (in->m.n_types < 2 || !is_int_type(in->m.type[0]) || !is_int_type(in->m.type[1]) ||
        ptx_has(&in->m, PTX_M_SAT) || in->src[0].kind != IR_S_REG)
        return make(IR_VEC, 0);
    unsigned to = ptx_type_bits((enum ptx_type)in->m.type[0]), from = ptx_type_bits((enum ptx_type)in->m.type[1]);
    unsigned reg = p->f->regs[in->src[0].reg].bits;
    unsigned dst = in->dst[0] == IR_NONE ? to : p->f->regs[in->dst[0]].bits;
    if (dst != to)
        return make(IR_VEC, 0);
    if (from == 32 && to == 64 && a.kind == IR_AFF && reg == 32)
        return widened(a, 1, ptx_type_kind((enum ptx_type)in->m.type[1]) == 'S');
    if (from == to && reg == from)
        return a;
    if (to == 32 && from >= 32 && (a.kind == IR_AFF || a.kind == IR_WAFF))
        return make(IR_AFF, a.kind == IR_AFF ? a.stride : times(a.stride, a.scale));
    return make(IR_VEC, 0);
}

static struct shp join_all(const struct pass *p, const struct ir_insn *in)
{
    for (uint32_t i = 0; i < in->n_src; i++) {
        struct shp s = src_shape(p, &in->src[i]);
        if (s.kind == UNDEF)
            return s;
        if (s.kind != IR_UNI)
            return make(IR_VEC, 0);
    }
    return make(IR_UNI, 0);
}

// Operations whose result in a lane depends on that lane's operands only. What is not listed may give
// each lane another value even for equal operands (addresses, atomics, exchanges): VEC.
bool ir__is_lanewise(const struct ir_insn *in)
{
    switch ((int)in->op) {
    case PTX_O_ADD: case PTX_O_SUB: case PTX_O_MUL: case PTX_O_MAD: case PTX_O_FMA: case PTX_O_DIV: case PTX_O_REM:
    case PTX_O_ADDC: case PTX_O_SUBC: case PTX_O_MADC: case PTX_O_MUL24: case PTX_O_MAD24: case PTX_O_SAD:
    case PTX_O_MIN: case PTX_O_MAX: case PTX_O_ABS: case PTX_O_NEG: case PTX_O_AND: case PTX_O_OR: case PTX_O_XOR:
    case PTX_O_NOT: case PTX_O_CNOT: case PTX_O_LOP3: case PTX_O_SHL: case PTX_O_SHR: case PTX_O_SHF:
    case PTX_O_BFE: case PTX_O_BFI: case PTX_O_BFIND: case PTX_O_BREV: case PTX_O_BMSK: case PTX_O_CLZ:
    case PTX_O_POPC: case PTX_O_FNS: case PTX_O_PRMT: case PTX_O_SZEXT: case PTX_O_DP2A: case PTX_O_DP4A:
    case PTX_O_RCP: case PTX_O_SQRT: case PTX_O_RSQRT: case PTX_O_SIN: case PTX_O_COS:
    case PTX_O_LG2: case PTX_O_EX2: case PTX_O_TANH: case PTX_O_TESTP: case PTX_O_COPYSIGN: case PTX_O_SELP:
    case PTX_O_SLCT: case PTX_O_SET: case PTX_O_SETP: case PTX_O_CVT: case PTX_O_CREATEPOLICY:
    case PTX_O_VABSDIFF2: case PTX_O_VABSDIFF4: case PTX_O_VADD2: case PTX_O_VADD4: case PTX_O_VAVRG2: case PTX_O_VAVRG4:
    case PTX_O_VMAX2: case PTX_O_VMAX4: case PTX_O_VMIN2: case PTX_O_VMIN4: case PTX_O_VSET2: case PTX_O_VSET4:
    case PTX_O_VSUB2: case PTX_O_VSUB4:
        return true;
    default:
        return false;
    }
}

static struct shp op_shape(const struct pass *p, const struct ir_insn *in)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    int64_t k;
    switch ((int)in->op) {
    case PTX_O_ADD: case PTX_O_SUB:
        if (!is_int_type(in->type) || ptx_has(&in->m, PTX_M_SAT) || ptx_has(&in->m, PTX_M_CC) ||
            in->type == PTX_T_S16X2 || in->type == PTX_T_U16X2)
            return join_all(p, in);
        return add_shapes(src_shape(p, &in->src[0]), src_shape(p, &in->src[1]), in->op == PTX_O_SUB, bits);
    case PTX_O_MUL:
        return mul_shape(p, in);
    case PTX_O_MAD:
        if (!is_int_type(in->type) || in->n_src != 3 || ptx_has(&in->m, PTX_M_CC) || ptx_has(&in->m, PTX_M_SAT) ||
            ptx_has(&in->m, PTX_M_HI))
            return join_all(p, in);
        return add_shapes(mul_shape(p, in), src_shape(p, &in->src[2]), false, ptx_has(&in->m, PTX_M_WIDE) ? 64 : bits);
    case PTX_O_SHL: {
        struct shp a = src_shape(p, &in->src[0]);
        if ((a.kind == IR_AFF || a.kind == IR_WAFF) && const_of(&in->src[1], &k) && k >= 0 && k < 31 && bits >= 32)
            return scale_shape(a, INT64_C(1) << k);
        return join_all(p, in);
    }
    case PTX_O_CVT:
        return cvt_shape(p, in);
    case PTX_O_CVTA: {
        struct shp a = src_shape(p, &in->src[0]);
        if (in->space == PTX_SP_SHARED_CLUSTER && a.kind != UNDEF)
            return make(IR_VEC, 0);
        if (a.kind == IR_AFF && in->space != PTX_SP_GLOBAL && in->space != PTX_SP_CONST && in->space != PTX_SP_PARAM)
            return make(IR_VEC, 0);
        return a;
    }
    case PTX_O_LD: case PTX_O_LDU:
        if (in->space == PTX_SP_LOCAL || in->space == PTX_SP_GENERIC)
            return make(IR_VEC, 0);
        return join_all(p, in);
    case PTX_O_VOTE: case PTX_O_REDUX: {
        // The same in all lanes that take part, and lanes of one path with one mask all do.
        if (in->op == PTX_O_VOTE && !ptx_has(&in->m, PTX_M_SYNC))
            return make(IR_UNI, 0);
        struct shp m = src_shape(p, &in->src[in->n_src - 1]);
        return m.kind == UNDEF || m.kind == IR_UNI ? m : make(IR_VEC, 0);
    }
    case PTX_O_ACTIVEMASK:
        return make(IR_UNI, 0);
    default:
        return ir__is_lanewise(in) ? join_all(p, in) : make(IR_VEC, 0);
    }
}

static struct shp insn_shape(const struct pass *p, const struct ir_insn *in)
{
    switch (in->kind) {
    case IR_K_LDPARAM:
        return make(IR_UNI, 0);
    case IR_K_BARRES: // lanes that wait apart from each other may have met different barriers
        return make(in->op == PTX_O_BAR || ptx_has(&in->m, PTX_M_ALIGNED) ? IR_UNI : IR_VEC, 0);
    case IR_K_MOVE: {
        struct shp s = src_shape(p, &in->src[0]);
        unsigned tb = ptx_type_bits((enum ptx_type)in->type);
        bool whole = in->src[0].kind != IR_S_REG ||
                     (p->f->regs[in->src[0].reg].bits == tb && in->dst[0] != IR_NONE &&
                      p->f->regs[in->dst[0]].bits == tb && !in->src[0].is_negated);
        if (whole && s.kind == IR_AFF && in->dst[0] != IR_NONE && p->f->regs[in->dst[0]].bits != 32)
            return in->src[0].kind == IR_S_REG ? s : make(IR_VEC, 0); // sreg to another width
        return whole || s.kind == IR_UNI || s.kind == UNDEF ? s : make(IR_VEC, 0);
    }
    case IR_K_PACK:
    case IR_K_UNPACK:
        return join_all(p, in);
    default:
        return op_shape(p, in);
    }
}

// ---- remat ----

static bool is_cheap(const struct ir_insn *in)
{
    if (in->guard != IR_NONE)
        return false;
    switch (in->kind) {
    case IR_K_LDPARAM: case IR_K_MOVE: case IR_K_PACK: case IR_K_UNPACK:
        return true;
    case IR_K_BARRES:
        return false;
    default:
        break;
    }
    if (ptx_type_kind((enum ptx_type)in->type) == 'F' || ptx_has(&in->m, PTX_M_CC))
        return false;
    switch ((int)in->op) {
    case PTX_O_ADD: case PTX_O_SUB: case PTX_O_MUL: case PTX_O_MAD: case PTX_O_SHL: case PTX_O_SHR: case PTX_O_AND:
    case PTX_O_OR: case PTX_O_XOR: case PTX_O_NOT: case PTX_O_NEG: case PTX_O_CVTA: case PTX_O_MIN: case PTX_O_MAX:
    case PTX_O_SELP: case PTX_O_SETP: case PTX_O_BFE:
        return true;
    case PTX_O_CVT:
        return in->m.n_types == 2 && is_int_type(in->m.type[0]) && is_int_type(in->m.type[1]);
    default:
        return false;
    }
}

static bool is_launch_fact(const struct ir_func *f, const struct ir_src *s)
{
    switch (s->kind) {
    case IR_S_REG:
        return f->regs[s->reg].is_remat;
    case IR_S_SREG:
        switch ((int)s->sreg) {
        case PTX_SR_CLOCK: case PTX_SR_CLOCK_HI: case PTX_SR_CLOCK64: case PTX_SR_GLOBALTIMER:
        case PTX_SR_GLOBALTIMER_LO: case PTX_SR_GLOBALTIMER_HI:
            return false;
        default:
            return true;
        }
    case IR_S_FUNC:
        return true;
    default:
        return true;
    }
}

static void find_remat(struct ir_func *f)
{
    for (uint32_t r = 0; r < f->n_regs; r++)
        f->regs[r].n_defs = 0, f->regs[r].is_remat = false;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &f->blocks[k].insns[i];
            for (uint32_t d = 0; d < in->n_dst; d++)
                if (in->dst[d] != IR_NONE)
                    f->regs[in->dst[d]].n_defs++;
            if (in->kind == IR_K_OP && in->op == PTX_O_CALL) {
                const struct ir_call *c = in->aux;
                for (uint32_t q = 0; q < c->n_rets; q++)
                    f->regs[c->ret[q]].n_defs++;
            }
        }
    for (uint32_t q = 0; q < f->n_params; q++)
        f->regs[f->param_reg[q]].n_defs++;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                if (!in->n_dst || in->dst[0] == IR_NONE || f->regs[in->dst[0]].is_remat || !is_cheap(in))
                    continue;
                bool ok = true;
                for (uint32_t s = 0; s < in->n_src && ok; s++)
                    ok = is_launch_fact(f, &in->src[s]);
                for (uint32_t d = 0; d < in->n_dst && ok; d++)
                    ok = in->dst[d] == IR_NONE || f->regs[in->dst[d]].n_defs == 1;
                if (!ok)
                    continue;
                for (uint32_t d = 0; d < in->n_dst; d++)
                    if (in->dst[d] != IR_NONE)
                        f->regs[in->dst[d]].is_remat = true;
                changed = true;
            }
    }
}

// ---- divergence ----

static bool splits(const struct pass *p, const struct ir_block *b)
{
    return (b->term == IR_T_BRANCH || b->term == IR_T_BRX) && p->s[b->cond].kind != IR_UNI &&
           p->s[b->cond].kind != UNDEF;
}

static void flow(struct pass *p)
{
    struct ir_func *f = p->f;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                struct shp v = insn_shape(p, in);
                struct shp g = in->guard == IR_NONE ? make(IR_UNI, 0) : p->s[in->guard];
                if (in->is_partial && g.kind != IR_UNI && g.kind != UNDEF)
                    v = make(IR_VEC, 0);
                for (uint32_t d = 0; d < in->n_dst; d++) {
                    uint32_t r = in->dst[d];
                    if (r == IR_NONE)
                        continue;
                    struct shp w = v;
                    unsigned bits = f->regs[r].bits;
                    if (w.kind != UNDEF && w.kind != IR_UNI && (bits != 32 && bits != 64))
                        w = make(IR_VEC, 0);
                    if ((w.kind == IR_WAFF && bits != 64) || (w.kind == IR_AFF && d > 0))
                        w = make(IR_VEC, 0);
                    if (p->pinned[r])
                        w = make(IR_VEC, 0);
                    w = join(p->s[r], w);
                    if (!same(w, p->s[r])) {
                        p->s[r] = w;
                        changed = true;
                    }
                }
                if (in->kind == IR_K_OP && in->op == PTX_O_CALL) {
                    const struct ir_call *c = in->aux;
                    for (uint32_t q = 0; q < c->n_rets; q++)
                        p->s[c->ret[q]] = make(IR_VEC, 0);
                }
            }
    }
}

// Registers that feed only themselves are undefined; what else they meet still needs a shape of its own.
static bool give_undefined_a_value(struct pass *p)
{
    bool any = false;
    for (uint32_t r = 0; r < p->f->n_regs; r++)
        if (p->s[r].kind == UNDEF) {
            p->s[r] = make(IR_UNI, 0);
            any = true;
        }
    return any;
}

void ir__shapes(struct wf_arena *a, struct ir_func *f, const struct ir_opts *o)
{
    struct wf_arena_mark mark = wf_arena_mark(a);
    struct pass p = {.a = a, .f = f, .o = o};
    p.s = WF_NEW_N(a, struct shp, f->n_regs + 1);
    p.pinned = WF_NEW_N(a, uint8_t, f->n_regs + 1);
    struct split split;
    ir__split_init(a, f, &split);
    find_remat(f);
    for (uint32_t r = 0; r < f->n_regs; r++)
        p.s[r].kind = f->regs[r].n_defs ? UNDEF : IR_UNI; // never written: zero in all lanes
    for (uint32_t q = 0; q < f->n_params; q++)
        p.s[f->param_reg[q]] = make(IR_VEC, 0);
    for (bool again = true; again;) {
        again = false;
        flow(&p);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            if (splits(&p, &f->blocks[k]))
                again |= ir__split_pins(&split, k, p.pinned);
        again |= give_undefined_a_value(&p);
    }
    for (uint32_t r = 0; r < f->n_regs; r++) {
        struct shp s = p.s[r];
        f->regs[r].shape = s.kind == UNDEF ? IR_UNI : s.kind;
        f->regs[r].stride = s.stride;
        f->regs[r].scale = s.scale;
        f->regs[r].waff_signed = s.is_signed;
    }
    for (uint32_t k = 0; k < f->n_blocks; k++)
        f->blocks[k].is_uniform_branch = !splits(&p, &f->blocks[k]);
    wf_arena_rewind(a, mark);
}

// Marks the blocks where lanes of a split may have to meet, for the branches that are left.
void ir__joins(struct wf_arena *a, struct ir_func *f)
{
    struct wf_arena_mark mark = wf_arena_mark(a);
    struct split split;
    ir__split_init(a, f, &split);
    f->has_divergence = false;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        f->blocks[k].is_join = false;
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        const struct ir_block *b = &f->blocks[k];
        if ((b->term != IR_T_BRANCH && b->term != IR_T_BRX) || b->is_uniform_branch)
            continue;
        f->has_divergence = true;
        ir__split_at(&split, k);
        for (uint32_t x = 0; x < f->n_blocks; x++)
            if (ir__split_joins(&split, k, x))
                f->blocks[x].is_join = true;
        for (uint32_t s = 0; s < b->n_succ; s++)
            f->blocks[b->succ[s]].is_join = true; // a side waits there while the other runs
    }
    wf_arena_rewind(a, mark);
}
