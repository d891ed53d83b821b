// SPDX-License-Identifier: Apache-2.0
// One instruction to LLVM IR: routes by kind, runs the elementwise emitters on one lane or on 32, and
// computes affine results from their base only.

#include "jit/jit_int.h"
#include "mem/space.h" // WF_SHARED_OFFSET

static bool all_uniform(struct jit *j, const struct ir_insn *in)
{
    for (uint32_t i = 0; i < in->n_src; i++)
        if (jit__src_shape(j, &in->src[i]) != IR_UNI)
            return false;
    return true;
}

static LLVMValueRef source(struct jit *j, const struct ir_src *s, unsigned bits, bool is_vec)
{
    return is_vec ? jit__src_vec(j, s, bits) : jit__src_uni(j, s, bits);
}

static unsigned reg_bits(struct jit *j, uint32_t r)
{
    return r == IR_NONE ? 0 : j->f->regs[r].bits;
}

// Width in which source k of an elementwise instruction is wanted.
static unsigned source_bits(struct jit *j, const struct ir_insn *in, uint32_t k)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    if (in->src[k].kind == IR_S_REG && reg_bits(j, in->src[k].reg) == 1)
        return 1; // predicates and carries
    switch ((int)in->op) {
    case PTX_O_CVT:
        return ptx_type_bits((enum ptx_type)in->m.type[in->m.n_types > 1 ? (k == 0 || in->m.n_types < 3 ? 1 : 2) : 0]);
    case PTX_O_SET:
        return k < 2 ? ptx_type_bits((enum ptx_type)in->m.type[in->m.n_types > 1]) : 1;
    case PTX_O_ADD: case PTX_O_SUB: case PTX_O_FMA: // halves to f32
        return in->m.n_types > 1 && k + 1 < in->n_src ? 16 : bits;
    case PTX_O_SETP: case PTX_O_SELP:
        return k < 2 ? bits : 1;
    case PTX_O_SLCT:
        return k == 2 && in->m.n_types > 1 ? ptx_type_bits((enum ptx_type)in->m.type[1]) : bits;
    case PTX_O_SHL: case PTX_O_SHR:
        return k == 1 ? 32 : bits;
    case PTX_O_SHF: case PTX_O_PRMT: case PTX_O_LOP3: case PTX_O_FNS: case PTX_O_BMSK: case PTX_O_SZEXT:
    case PTX_O_DP4A: case PTX_O_DP2A:
        return 32;
    case PTX_O_BFE:
        return k >= 1 ? 32 : bits;
    case PTX_O_BFI:
        return k >= 2 ? 32 : bits;
    case PTX_O_MUL: case PTX_O_MAD: case PTX_O_MADC:
        return k == 2 && ptx_has(&in->m, PTX_M_WIDE) ? 2 * bits : bits;
    default:
        return bits;
    }
}

static void elementwise(struct jit *j, const struct ir_insn *in, jit_elem_fn fn)
{
    // Affine results: what lane 0 stands for, computed alone. Uniform ones: one lane.
    bool scalar = all_uniform(j, in);
    for (uint32_t d = 0; d < in->n_dst && !scalar; d++)
        scalar = in->dst[d] != IR_NONE && j->f->regs[in->dst[d]].shape != IR_VEC;
    if (in->is_partial && in->n_dst && in->dst[0] != IR_NONE && j->f->regs[in->dst[0]].shape == IR_VEC &&
        !all_uniform(j, in))
        scalar = false;
    LLVMValueRef s[12] = {0}, d[10] = {0};
    j->lanes = scalar ? 1 : 32;
    for (uint32_t i = 0; i < in->n_src; i++)
        s[i] = source(j, &in->src[i], source_bits(j, in, i), !scalar);
    j->any_nan_now = jit__any_nan_will_do(j, in);
    fn(j, in, s, d);
    j->any_nan_now = false;
    for (uint32_t i = 0; i < in->n_dst; i++)
        if (in->dst[i] != IR_NONE && d[i])
            jit__set(j, in, in->dst[i], d[i], !scalar);
    j->lanes = 32;
}

// dst is WAFF: b and c from the one WAFF or AFF source and a uniform addend.
void jit__wide_affine(struct jit *j, const struct ir_insn *in)
{
    const struct ir_src *x = &in->src[0], *y = in->n_src > 1 ? &in->src[1] : NULL;
    struct jit_val v = {0};
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    bool from_index = (in->op == PTX_O_CVT && in->kind == IR_K_OP) || ptx_has(&in->m, PTX_M_WIDE);
    if (from_index) {
        if (jit__src_shape(j, x) != IR_AFF)
            x = y;
        v.a = jit__src_uni(j, x, 32);
        v.b = in->op == PTX_O_MAD ? jit__src_uni(j, &in->src[2], 64) : jit__c64(j, 0);
        jit__set_val(j, in->dst[0], v);
        return;
    }
    if (jit__src_shape(j, x) != IR_WAFF) {
        const struct ir_src *t = x;
        x = y;
        y = t;
    }
    WF_ASSERT(x && x->kind == IR_S_REG && (bits == 64 || in->kind != IR_K_OP));
    v = jit__get(j, x->reg);
    if (in->kind == IR_K_OP)
        switch ((int)in->op) {
        case PTX_O_ADD:
            v.b = LLVMBuildAdd(j->b, v.b, jit__src_uni(j, y, 64), "");
            break;
        case PTX_O_SUB:
            v.b = LLVMBuildSub(j->b, v.b, jit__src_uni(j, y, 64), "");
            break;
        case PTX_O_SHL:
            v.b = LLVMBuildShl(j->b, v.b, jit__src_uni(j, y, 64), "");
            break;
        case PTX_O_MUL:
            v.b = LLVMBuildMul(j->b, v.b, jit__src_uni(j, y, 64), "");
            break;
        case PTX_O_MAD:
            v.b = LLVMBuildAdd(j->b, LLVMBuildMul(j->b, v.b, jit__src_uni(j, y, 64), ""), jit__src_uni(j, &in->src[2], 64), "");
            break;
        case PTX_O_CVT: case PTX_O_CVTA:
            if (in->op == PTX_O_CVTA && in->space == PTX_SP_SHARED) {
                LLVMValueRef w = j->shared_window;
                v.b = ptx_has(&in->m, PTX_M_TO) ? LLVMBuildSub(j->b, v.b, w, "") : LLVMBuildAdd(j->b, v.b, w, "");
            } else if (in->op == PTX_O_CVTA && in->space == PTX_SP_LOCAL) {
                LLVMValueRef w = LLVMBuildAdd(j->b, j->win_base, jit__c64(j, WF_LOCAL_OFFSET), "");
                v.b = ptx_has(&in->m, PTX_M_TO) ? LLVMBuildSub(j->b, v.b, w, "") : LLVMBuildAdd(j->b, v.b, w, "");
            }
            break;
        default:
            WF_ASSERT(!"affine operation");
        }
    jit__set_val(j, in->dst[0], v);
}

static void move(struct jit *j, const struct ir_insn *in)
{
    uint32_t dst = in->dst[0];
    if (dst == IR_NONE)
        return;
    const struct ir_reg *r = &j->f->regs[dst];
    if (r->shape == IR_WAFF) {
        jit__wide_affine(j, in);
        return;
    }
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    if (r->bits == 1 || bits == 1)
        bits = r->bits == 1 && in->src[0].kind != IR_S_REG ? 1 : in->src[0].kind == IR_S_REG ? reg_bits(j, in->src[0].reg) : bits;
    bool is_vec = r->shape == IR_VEC && jit__src_shape(j, &in->src[0]) != IR_UNI;
    jit__set(j, in, dst, source(j, &in->src[0], bits, is_vec), is_vec);
}

static void load_param(struct jit *j, const struct ir_insn *in)
{
    unsigned bits = ptx_type_bits((enum ptx_type)in->type);
    for (uint32_t i = 0; i < in->n_dst; i++) {
        if (in->dst[i] == IR_NONE)
            continue;
        size_t off = (size_t)in->off + i * (bits / 8);
        LLVMValueRef v = jit__fact(j, LLVMIntTypeInContext(j->cx, bits), j->params, off);
        LLVMSetAlignment(v, 1);
        jit__set(j, in, in->dst[i], v, false);
    }
}

static void pack(struct jit *j, const struct ir_insn *in)
{
    uint32_t dst = in->dst[0];
    if (dst == IR_NONE)
        return;
    unsigned whole = j->f->regs[dst].bits, part = whole / in->n_src;
    bool is_vec = !all_uniform(j, in);
    j->lanes = is_vec ? 32 : 1;
    LLVMValueRef v = NULL;
    for (uint32_t i = 0; i < in->n_src; i++) {
        LLVMValueRef x = jit__fit(j, source(j, &in->src[i], part, is_vec), whole, false);
        if (i)
            x = LLVMBuildShl(j->b, x, jit_const(j, whole, (uint64_t)part * i), "");
        v = v ? LLVMBuildOr(j->b, v, x, "") : x;
    }
    jit__set(j, in, dst, v, is_vec);
    j->lanes = 32;
}

static void unpack(struct jit *j, const struct ir_insn *in)
{
    unsigned whole = ptx_type_bits((enum ptx_type)in->type), part = whole / in->n_dst;
    bool is_vec = !all_uniform(j, in);
    j->lanes = is_vec ? 32 : 1;
    LLVMValueRef v = source(j, &in->src[0], whole, is_vec);
    for (uint32_t i = 0; i < in->n_dst; i++) {
        if (in->dst[i] == IR_NONE)
            continue;
        LLVMValueRef x = i ? LLVMBuildLShr(j->b, v, jit_const(j, whole, (uint64_t)part * i), "") : v;
        jit__set(j, in, in->dst[i], jit__fit(j, x, part, false), is_vec);
    }
    j->lanes = 32;
}

static void vote_now(struct jit *j, const struct ir_insn *in) // votes without .sync, over the running lanes
{
    LLVMValueRef m = jit__mask(j), p = jit__mask_word(j, jit__src_vec(j, &in->src[0], 1));
    p = LLVMBuildAnd(j->b, p, m, "");
    LLVMValueRef r = p;
    if (ptx_has(&in->m, PTX_M_ALL))
        r = LLVMBuildICmp(j->b, LLVMIntEQ, p, m, "");
    else if (ptx_has(&in->m, PTX_M_ANY))
        r = LLVMBuildICmp(j->b, LLVMIntNE, p, jit__c32(j, 0), "");
    else if (ptx_has(&in->m, PTX_M_UNI))
        r = LLVMBuildOr(j->b, LLVMBuildICmp(j->b, LLVMIntEQ, p, m, ""), LLVMBuildICmp(j->b, LLVMIntEQ, p, jit__c32(j, 0), ""), "");
    jit__set(j, in, in->dst[0], r, false);
}

static void alloca_op(struct jit *j, const struct ir_insn *in)
{
    LLVMValueRef size = jit__spill(j, jit__src_vec(j, &in->src[0], 64)), out = jit__alloca(j, j->v64, 64);
    LLVMValueRef a[5] = {j->warp, jit__c32(j, in->op), jit__mask(j), size, out};
    jit__call(j, "wf_x_alloca", j->void_t, a, 5);
    if (in->n_dst)
        jit__set(j, in, in->dst[0], LLVMBuildLoad2(j->b, j->v64, out, ""), true);
}

// Is it %tid or %laneid itself, which never come near the end of the range?
static bool is_thread_index(struct jit *j, const struct ir_src *s)
{
    if (s->kind == IR_S_SREG)
        return true;
    for (uint32_t k = 0; k < j->f->n_blocks; k++)
        for (uint32_t i = 0; i < j->f->blocks[k].n_insns; i++) {
            const struct ir_insn *in = &j->f->blocks[k].insns[i];
            if (in->n_dst == 1 && in->dst[0] == s->reg)
                return in->kind == IR_K_MOVE && in->src[0].kind == IR_S_SREG && j->f->regs[s->reg].n_defs == 1;
        }
    return false;
}

// Comparison of an index that counts with the lanes (base + lane) with a value that all share: the lanes
// for which it holds are a run of bits, two or three scalar instructions. False: not of this form.
static bool compare_index(struct jit *j, const struct ir_insn *in)
{
    if (in->n_dst != 1 || in->n_src != 2 || in->dst[0] == IR_NONE || ptx_type_bits((enum ptx_type)in->type) != 32 ||
        ptx_type_kind((enum ptx_type)in->type) == 'F' || j->f->regs[in->dst[0]].shape != IR_VEC)
        return false;
    bool swap = jit__src_shape(j, &in->src[0]) == IR_UNI;
    const struct ir_src *x = &in->src[swap], *u = &in->src[!swap];
    if (jit__src_shape(j, x) != IR_AFF || jit__src_shape(j, u) != IR_UNI ||
        (x->kind == IR_S_REG && (j->f->regs[x->reg].stride != 1 || j->f->regs[x->reg].bits != 32)))
        return false;
    enum { LT, LE, EQ } op;
    bool negate = false, is_signed = ptx_type_kind((enum ptx_type)in->type) == 'S';
    switch ((int)in->m.cmp - 1) {
    case PTX_M_EQ: op = EQ; break;
    case PTX_M_NE: op = EQ; negate = true; break;
    case PTX_M_LT: op = LT; break;
    case PTX_M_GE: op = LT; negate = true; break;
    case PTX_M_LE: op = LE; break;
    case PTX_M_GT: op = LE; negate = true; break;
    default: return false;
    }
    if (swap && op != EQ) { // u < x is not x <= u
        op = op == LT ? LE : LT;
        negate = !negate;
    }
    LLVMBuilderRef b = j->b;
    LLVMValueRef base = jit__src_uni(j, x, 32), limit = jit__src_uni(j, u, 32);
    // Lanes must not wrap around the end of the 32-bit range; then each lane is compared by itself.
    LLVMValueRef top = jit__c32(j, is_signed ? (uint64_t)INT32_MAX - 31 : (uint64_t)UINT32_MAX - 31);
    bool never_wraps = is_thread_index(j, x);
    LLVMValueRef plain = LLVMBuildICmp(b, is_signed ? LLVMIntSLE : LLVMIntULE, base, top, "");
    LLVMBasicBlockRef run = NULL, each = NULL, done = NULL;
    if (!never_wraps) {
        run = jit__block(j, "bits");
        each = jit__block(j, "each");
        done = jit__block(j, "compared");
        LLVMValueRef e[2] = {plain, LLVMConstInt(j->i1, 1, 0)};
        LLVMBuildCondBr(b, jit__intrin(j, "llvm.expect", &j->i1, 1, e, 2), run, each);
        LLVMPositionBuilderAtEnd(b, run);
    }
    LLVMValueRef d = LLVMBuildSub(b, jit__fit(j, limit, 64, is_signed), jit__fit(j, base, 64, is_signed), ""), bits;
    if (op == EQ) {
        LLVMValueRef in_warp = LLVMBuildICmp(b, LLVMIntULT, d, jit__c64(j, 32), "");
        LLVMValueRef n = LLVMBuildAnd(b, d, jit__c64(j, 31), "");
        bits = LLVMBuildSelect(b, in_warp, LLVMBuildShl(b, jit__c64(j, 1), n, ""), jit__c64(j, 0), "");
    } else {
        if (op == LE)
            d = LLVMBuildAdd(b, d, jit__c64(j, 1), "");
        LLVMValueRef lo[2] = {d, jit__c64(j, 0)};
        d = jit__intrin(j, "llvm.smax", &j->i64, 1, lo, 2);
        LLVMValueRef hi[2] = {d, jit__c64(j, 32)};
        d = jit__intrin(j, "llvm.smin", &j->i64, 1, hi, 2);
        bits = LLVMBuildSub(b, LLVMBuildShl(b, jit__c64(j, 1), d, ""), jit__c64(j, 1), "");
    }
    bits = LLVMBuildTrunc(b, bits, j->i32, "");
    if (never_wraps) { // straight code, which LLVM may move to where it is needed
        jit__set(j, in, in->dst[0], jit__mask_vec(j, negate ? LLVMBuildNot(b, bits, "") : bits), true);
        return true;
    }
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, each);
    LLVMValueRef xv = jit__src_vec(j, x, 32), uv = jit__src_vec(j, u, 32);
    LLVMIntPredicate p = op == EQ ? LLVMIntEQ : op == LT ? (is_signed ? LLVMIntSLT : LLVMIntULT) : (is_signed ? LLVMIntSLE : LLVMIntULE);
    LLVMValueRef slow = jit__mask_word(j, LLVMBuildICmp(b, p, xv, uv, ""));
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef phi = LLVMBuildPhi(b, j->i32, ""), v[2] = {bits, slow};
    LLVMBasicBlockRef from[2] = {run, each};
    LLVMAddIncoming(phi, v, from, 2);
    jit__set(j, in, in->dst[0], jit__mask_vec(j, negate ? LLVMBuildNot(b, phi, "") : phi), true);
    return true;
}

bool jit__is_elementwise(const struct ir_insn *in)
{
    return in->kind == IR_K_OP && jit_elem_find((enum ptx_op)in->op) != NULL;
}

static void operation(struct jit *j, const struct ir_insn *in)
{
    if (in->n_more) {
        if (ir_is_matrix((enum ptx_op)in->op))
            jit__matrix(j, in);
        else
            jit__bulk(j, in);
        return;
    }
    switch ((int)in->op) {
    case PTX_O_LD: case PTX_O_LDU:
        jit__load(j, in);
        return;
    case PTX_O_ST:
        jit__store(j, in);
        return;
    case PTX_O_ATOM: case PTX_O_RED:
        jit__atom(j, in);
        return;
    case PTX_O_FENCE: case PTX_O_MEMBAR:
        jit__fence(j, in);
        return;
    case PTX_O_CVTA:
        jit__address_space(j, in);
        return;
    case PTX_O_ISSPACEP:
        jit__is_space(j, in);
        return;
    case PTX_O_ACTIVEMASK:
        jit__set(j, in, in->dst[0], jit__mask(j), false);
        return;
    case PTX_O_VOTE:
        vote_now(j, in);
        return;
    case PTX_O_ALLOCA: case PTX_O_STACKSAVE: case PTX_O_STACKRESTORE:
        alloca_op(j, in);
        return;
    case PTX_O_CP: case PTX_O_MBARRIER: case PTX_O_MAPA: case PTX_O_GETCTARANK: case PTX_O_CREATEPOLICY:
    case PTX_O_GRIDDEPCONTROL:
        jit__async(j, in);
        return;
    case PTX_O_TEX: case PTX_O_TLD4: case PTX_O_SULD: case PTX_O_SUST: case PTX_O_TXQ: case PTX_O_SUQ:
        jit__texture(j, in);
        return;
    case PTX_O_CALL:
        jit__call_builtin(j, in);
        return;
    default:
        break;
    }
    if (in->n_dst && in->dst[0] != IR_NONE && j->f->regs[in->dst[0]].shape == IR_WAFF) {
        jit__wide_affine(j, in);
        return;
    }
    if (in->op == PTX_O_SETP && compare_index(j, in))
        return;
    jit_elem_fn fn = jit_elem_find((enum ptx_op)in->op);
    if (fn)
        elementwise(j, in, fn);
    else
        jit_refuse(j, in, NULL);
}

void jit__insn(struct jit *j, const struct ir_insn *in)
{
    switch ((enum ir_kind)in->kind) {
    case IR_K_OP:
        operation(j, in);
        break;
    case IR_K_LDPARAM:
        load_param(j, in);
        break;
    case IR_K_MOVE:
        move(j, in);
        break;
    case IR_K_BARRES: {
        LLVMValueRef v = LLVMBuildLoad2(j->b, j->v32, jit__field(j, j->warp, WARP_F(bar_result)), "");
        LLVMSetAlignment(v, 4);
        if (!ptx_has(&in->m, PTX_M_POPC))
            v = LLVMBuildICmp(j->b, LLVMIntNE, v, LLVMConstNull(j->v32), "");
        jit__set(j, in, in->dst[0], v, true); // one value where it is kept as one: the first running lane's
        break;
    }
    case IR_K_PACK:
        pack(j, in);
        break;
    case IR_K_UNPACK:
        unpack(j, in);
        break;
    }
    jit__retreat_past(j, in);
}

// A run of instructions under one guard: the running mask narrows for it, and it is jumped over when
// no lane is left.
static uint32_t guarded_group(struct jit *j, const struct ir_insn *in, uint32_t n)
{
    uint32_t g = in[0].guard, len = 1;
    while (len < n && in[len].guard == g && in[len].guard_negated == in[0].guard_negated) {
        bool redefines = false;
        for (uint32_t d = 0; d < in[len - 1].n_dst; d++)
            redefines |= in[len - 1].dst[d] == g;
        if (redefines)
            break;
        len++;
    }
    LLVMBasicBlockRef run = jit__block(j, "guarded"), rest = jit__block(j, "rest");
    LLVMValueRef old = jit__mask(j);
    bool was_whole = j->is_whole;
    bool is_tail = jit__is_tail(j, g, in[0].guard_negated);
    for (uint32_t i = 0; i < len && j->busy && !is_tail; i++)
        if (!jit__is_remat(j, &in[i]) && !jit__is_idle(j, &in[i]))
            jit__busy(j);
    if (j->f->regs[g].shape != IR_VEC) {
        LLVMValueRef c = jit__get(j, g).a;
        if (in[0].guard_negated)
            c = LLVMBuildNot(j->b, c, "");
        LLVMBuildCondBr(j->b, c, run, rest);
        LLVMPositionBuilderAtEnd(j->b, run);
    } else {
        LLVMValueRef p = jit__mask_word(j, jit__reg_vec(j, g));
        if (in[0].guard_negated)
            p = LLVMBuildNot(j->b, p, "");
        LLVMValueRef m = LLVMBuildAnd(j->b, old, p, "");
        LLVMBuildCondBr(j->b, LLVMBuildICmp(j->b, LLVMIntNE, m, jit__c32(j, 0), ""), run, rest);
        LLVMPositionBuilderAtEnd(j->b, run);
        LLVMBuildStore(j->b, m, j->mask);
        j->is_whole = false;
    }
    if (is_tail)
        jit__busy(j);
    for (uint32_t i = 0; i < len; i++)
        if (!jit__is_remat(j, &in[i]))
            jit__insn(j, &in[i]);
    LLVMBuildStore(j->b, old, j->mask);
    j->is_whole = was_whole;
    LLVMBuildBr(j->b, rest);
    LLVMPositionBuilderAtEnd(j->b, rest);
    return len;
}

void jit__insns(struct jit *j, const struct ir_insn *in, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        if (jit__is_remat(j, &in[i])) {
            i++;
        } else if (in[i].guard != IR_NONE) {
            i += guarded_group(j, in + i, n - i);
        } else {
            if (j->busy && !jit__is_idle(j, &in[i]))
                jit__busy(j);
            jit__insn(j, &in[i]);
            i++;
        }
    }
}
