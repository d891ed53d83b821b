// SPDX-License-Identifier: Apache-2.0
// Random small kernels: what is proven of one is compared with what each of its threads does, one after the other, for
// several choices of the data it loads. A proof must hold for all of them. The seed of a failure is printed;
// WARPFENCE_TEST_SEED runs that one alone.
#include "test.h"

#include "prove/prove.h"

#define N_REGS 24 // 0..13: 32 bits, 14..19: 64 bits, 20..23: predicates
#define WIDE 14
#define PRED 20
#define COUNTER 13 // of a loop's rounds; ROUNDS: whether there is another one
#define ROUNDS 23
#define MOST_INSNS 26
#define N_BLOCKS 9
#define GLOBAL 0x100000
#define GLOBAL_BYTES 65536
#define SHARED_BYTES 2048

static uint64_t state;

static uint32_t any(uint32_t n) // 0..n-1
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

struct kernel {
    struct ir_program prog;
    struct ir_func f, *funcs[1];
    struct ir_reg regs[N_REGS];
    struct ir_block blocks[N_BLOCKS];
    struct ir_insn insns[N_BLOCKS][MOST_INSNS];
    struct ir_site sites[N_BLOCKS * MOST_INSNS];
    uint32_t succ[N_BLOCKS][2], pred[N_BLOCKS][4], live[N_REGS];
    struct wf_launch launch;
};

static void set_mod(struct ir_insn *in, enum ptx_mod m)
{
    in->m.set[m / 64] |= UINT64_C(1) << (m % 64);
}

static struct ir_insn *new_insn(struct kernel *k, uint32_t b, uint16_t op, enum ptx_type t)
{
    struct ir_block *x = &k->blocks[b];
    if (x->n_insns == MOST_INSNS)
        return NULL;
    struct ir_insn *in = &k->insns[b][x->n_insns++];
    *in = (struct ir_insn){.kind = IR_K_OP, .op = op, .type = (uint8_t)t, .guard = IR_NONE, .site = IR_NONE,
                           .n_dst = 1, .ptx_line = b * 100 + x->n_insns};
    in->m.type[0] = (uint8_t)t;
    in->m.n_types = 1;
    return in;
}

static struct ir_src reg(uint32_t r)
{
    return (struct ir_src){.kind = IR_S_REG, .reg = r};
}

static struct ir_src imm(int64_t v, unsigned bits)
{
    return (struct ir_src){.kind = IR_S_IMM, .bits = bits == 64 ? (uint64_t)v : (uint64_t)v & ((UINT64_C(1) << bits) - 1)};
}

static struct ir_src sreg(uint16_t s, uint8_t comp)
{
    return (struct ir_src){.kind = IR_S_SREG, .sreg = s, .comp = comp};
}

static int64_t small(void)
{
    static const int64_t some[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 64, 100, -1, -2, -4, -8, -32};
    return some[any(sizeof some / sizeof *some)];
}

static struct ir_src any_source(unsigned bits)
{
    if (any(3) == 0)
        return imm(small(), bits);
    return reg(bits == 64 ? WIDE + any(PRED - WIDE) : any(COUNTER));
}

static struct ir_insn *arithmetic(struct kernel *k, uint32_t b)
{
    static const uint16_t ops[] = {PTX_O_ADD, PTX_O_ADD, PTX_O_SUB, PTX_O_MUL, PTX_O_MAD, PTX_O_SHL, PTX_O_SHR, PTX_O_AND,
                                   PTX_O_OR,  PTX_O_XOR, PTX_O_DIV, PTX_O_REM, PTX_O_MIN, PTX_O_MAX, PTX_O_NEG, PTX_O_NOT,
                                   PTX_O_BREV, PTX_O_SELP};
    bool is_wide = any(5) == 0;
    unsigned bits = is_wide ? 64 : 32;
    uint16_t op = ops[any(sizeof ops / sizeof *ops)];
    enum ptx_type t = is_wide ? (any(2) ? PTX_T_S64 : PTX_T_U64) : (any(2) ? PTX_T_S32 : PTX_T_U32);
    struct ir_insn *in = new_insn(k, b, op, t);
    if (!in)
        return NULL;
    in->dst[0] = is_wide ? WIDE + any(PRED - WIDE) : any(COUNTER);
    in->n_src = op == PTX_O_NEG || op == PTX_O_NOT || op == PTX_O_BREV ? 1 : op == PTX_O_MAD || op == PTX_O_SELP ? 3 : 2;
    for (uint32_t i = 0; i < in->n_src; i++)
        in->src[i] = any_source(bits);
    if (op == PTX_O_SELP)
        in->src[2] = reg(PRED + any(ROUNDS - PRED));
    else if (op == PTX_O_SHL || op == PTX_O_SHR)
        in->src[1] = imm(any(4) ? any(6) : any(3) ? bits - 1 : any(bits), 32);
    else if (op == PTX_O_DIV || op == PTX_O_REM)
        in->src[1] = imm(1 + any(40), bits);
    else if (op == PTX_O_AND)
        in->src[1] = imm(any(2) ? (INT64_C(1) << any(8)) - 1 : small(), bits);
    else if ((op == PTX_O_MUL || op == PTX_O_MAD) && any(6))
        in->src[1] = imm(small(), bits);
    else if ((op == PTX_O_MIN || op == PTX_O_MAX) && t == PTX_T_S32 && any(4) == 0)
        set_mod(in, PTX_M_RELU);
    if ((op == PTX_O_MUL || op == PTX_O_MAD) && !is_wide && any(3) == 0) {
        set_mod(in, PTX_M_WIDE);
        in->dst[0] = WIDE + any(PRED - WIDE);
        if (op == PTX_O_MAD)
            in->src[2] = any_source(64);
    }
    return in;
}

static struct ir_insn *compare(struct kernel *k, uint32_t b)
{
    static const uint16_t cmps[] = {PTX_M_EQ, PTX_M_NE, PTX_M_LT, PTX_M_LE, PTX_M_GT, PTX_M_GE};
    if (any(4) == 0) {
        struct ir_insn *in = new_insn(k, b, any(3) ? (any(2) ? PTX_O_AND : PTX_O_OR) : PTX_O_NOT, PTX_T_PRED);
        if (!in)
            return NULL;
        in->dst[0] = PRED + any(ROUNDS - PRED);
        in->n_src = in->op == PTX_O_NOT ? 1 : 2;
        for (uint32_t i = 0; i < in->n_src; i++)
            in->src[i] = reg(PRED + any(ROUNDS - PRED));
        return in;
    }
    bool is_wide = any(6) == 0;
    struct ir_insn *in = new_insn(k, b, PTX_O_SETP, is_wide ? (any(2) ? PTX_T_S64 : PTX_T_U64) : any(2) ? PTX_T_S32 : PTX_T_U32);
    if (!in)
        return NULL;
    in->m.cmp = (uint16_t)(cmps[any(6)] + 1);
    in->dst[0] = PRED + any(ROUNDS - PRED);
    in->n_src = any(5) ? 2 : 3;
    in->src[0] = reg(is_wide ? WIDE + any(PRED - WIDE) : any(COUNTER));
    in->src[1] = any(2) ? imm(any(70), is_wide ? 64 : 32) : any_source(is_wide ? 64 : 32);
    in->src[2] = reg(PRED + any(ROUNDS - PRED));
    in->src[2].is_negated = any(2);
    if (in->n_src == 3)
        in->m.sub = (uint16_t)((any(3) ? (any(2) ? PTX_M_AND : PTX_M_OR) : PTX_M_XOR) + 1);
    return in;
}

// From ids, as real code has it: index = ctaid * ntid + tid and the like.
static struct ir_insn *identity(struct kernel *k, uint32_t b)
{
    struct ir_insn *in;
    if (any(3) == 0) {
        in = new_insn(k, b, PTX_O_MAD, PTX_T_S32);
        if (!in)
            return NULL;
        uint8_t d = (uint8_t)any(2);
        in->n_src = 3;
        in->src[0] = sreg(PTX_SR_CTAID, d);
        in->src[1] = sreg(PTX_SR_NTID, d);
        in->src[2] = sreg(PTX_SR_TID, d);
    } else {
        in = new_insn(k, b, PTX_O_ADD, PTX_T_U32);
        if (!in)
            return NULL;
        static const uint16_t which[] = {PTX_SR_TID, PTX_SR_TID, PTX_SR_CTAID, PTX_SR_LANEID, PTX_SR_WARPID};
        in->n_src = 2;
        in->src[0] = sreg(which[any(5)], (uint8_t)any(2));
        in->src[1] = imm(any(3) ? 0 : small(), 32);
        if (in->src[0].sreg >= PTX_SR_LANEID && in->src[0].sreg != PTX_SR_CTAID)
            in->src[0].comp = 0;
    }
    in->dst[0] = any(COUNTER);
    return in;
}

static struct ir_insn *widen(struct kernel *k, uint32_t b)
{
    struct ir_insn *in = new_insn(k, b, PTX_O_CVT, any(2) ? PTX_T_S64 : PTX_T_U64);
    if (!in)
        return NULL;
    in->m.type[1] = any(2) ? PTX_T_S32 : PTX_T_U32;
    in->m.n_types = 2;
    in->dst[0] = WIDE + any(PRED - WIDE);
    in->n_src = 1;
    in->src[0] = reg(any(COUNTER));
    return in;
}

// To fewer bits, and back to a register of 32.
static struct ir_insn *narrow(struct kernel *k, uint32_t b)
{
    static const enum ptx_type types[] = {PTX_T_S8, PTX_T_U8, PTX_T_S16, PTX_T_U16, PTX_T_S32, PTX_T_U32};
    struct ir_insn *in = new_insn(k, b, PTX_O_CVT, types[any(6)]);
    if (!in)
        return NULL;
    bool is_wide = any(3) == 0;
    in->m.type[1] = is_wide ? (any(2) ? PTX_T_S64 : PTX_T_U64) : (uint8_t)types[any(6)];
    in->m.n_types = 2;
    in->dst[0] = any(COUNTER);
    in->n_src = 1;
    in->src[0] = reg(is_wide ? WIDE + any(PRED - WIDE) : any(COUNTER));
    return in;
}

// An index, times an element's size, to memory.
static struct ir_insn *to_memory(struct kernel *k, uint32_t b)
{
    bool is_shared = any(2);
    struct ir_insn *in = new_insn(k, b, PTX_O_MUL, PTX_T_U32);
    if (!in)
        return NULL;
    uint32_t r = any(COUNTER);
    in->n_src = 2;
    in->src[0] = reg(any(COUNTER));
    static const uint8_t sizes[] = {4, 4, 4, 4, 1, 2, 8, 16};
    uint32_t size = sizes[any(8)];
    in->src[1] = imm(any(4) ? (int64_t)size : any(2) ? 2 * (int64_t)size : 4, 32);
    in->dst[0] = r;
    if (!is_shared) {
        uint32_t q = WIDE + any(PRED - WIDE);
        in = new_insn(k, b, PTX_O_CVT, PTX_T_S64);
        if (!in)
            return NULL;
        in->m.type[1] = PTX_T_S32;
        in->m.n_types = 2;
        in->dst[0] = q;
        in->n_src = 1;
        in->src[0] = reg(r);
        r = q;
    }
    uint32_t kind = any(8); // 0: an atomic, up to 3: a store
    static const enum ptx_type narrow_types[] = {PTX_T_U32, PTX_T_U8, PTX_T_S16};
    size = kind == 0 ? 4 : size;
    in = new_insn(k, b, kind == 0 ? PTX_O_RED : kind < 4 ? PTX_O_ST : PTX_O_LD, narrow_types[size < 4 ? size : 0]);
    if (!in)
        return NULL;
    in->space = is_shared ? PTX_SP_SHARED : PTX_SP_GLOBAL;
    in->n_src = 1;
    in->src[0] = reg(r);
    in->off = (is_shared ? 0 : GLOBAL) + size * (int64_t)any(any(3) ? 2 : 300);
    in->site = k->f.n_sites;
    k->sites[k->f.n_sites++] = (struct ir_site){.kind = IR_SITE_MEM, .op = in->op, .bytes = (uint8_t)(size < 4 ? size : 4), .vec = (uint8_t)(size < 4 ? 1 : size / 4), .type = (uint8_t)in->type,
                                                .is_read = in->op != PTX_O_ST, .is_write = in->op != PTX_O_LD,
                                                .is_atomic = in->op == PTX_O_RED, .is_red = in->op == PTX_O_RED};
    in->n_dst = in->op == PTX_O_LD;
    in->dst[0] = any(COUNTER);
    return in;
}

static void fill(struct kernel *k, uint32_t b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = any(16);
        struct ir_insn *in = kind < 4 ? identity(k, b) : kind < 8 ? arithmetic(k, b) : kind < 10 ? compare(k, b)
                             : kind == 10 ? (any(3) ? widen(k, b) : narrow(k, b))
                             : to_memory(k, b);
        if (in && any(6) == 0) {
            in->guard = PRED + any(ROUNDS - PRED);
            in->guard_negated = any(2);
            in->is_partial = true;
            struct ir_insn *other = any(2) && in->site == IR_NONE && in->n_dst ? arithmetic(k, b) : NULL; // the opposite, as of a small branch
            if (other && k->regs[other->dst[0]].bits == k->regs[in->dst[0]].bits) {
                other->dst[0] = in->dst[0];
                other->guard = in->guard;
                other->guard_negated = !in->guard_negated;
                other->is_partial = true;
            }
        }
    }
}

static void warp_barrier(struct kernel *k, uint32_t b)
{
    struct ir_insn *in = new_insn(k, b, PTX_O_BAR, PTX_T_NONE);
    if (!in)
        return;
    set_mod(in, PTX_M_WARP);
    in->n_dst = 0;
    in->n_src = 1;
    in->src[0] = imm(-1, 32);
}

static void barrier(struct kernel *k, uint32_t b)
{
    if (k->blocks[b].n_insns == MOST_INSNS)
        k->blocks[b].n_insns--;
    struct ir_insn *in = new_insn(k, b, PTX_O_BAR, PTX_T_NONE);
    in->n_dst = 0;
    in->n_src = 1;
    in->src[0] = imm(0, 32);
    k->blocks[b].term = IR_T_SYNC;
}

static void edge(struct kernel *k, uint32_t from, uint32_t to)
{
    struct ir_block *b = &k->blocks[from], *t = &k->blocks[to];
    k->succ[from][b->n_succ++] = to;
    k->pred[to][t->n_pred++] = from;
}

// The launch decides how often 7 goes back to 4.
static void rounds(struct kernel *k)
{
    if (k->blocks[7].n_insns + 2 > MOST_INSNS)
        k->blocks[7].n_insns = MOST_INSNS - 2;
    if (k->blocks[3].n_insns == MOST_INSNS)
        k->blocks[3].n_insns--;
    struct ir_insn *in = new_insn(k, 3, PTX_O_ADD, PTX_T_U32);
    if (k->blocks[3].term == IR_T_SYNC) { // the barrier stays the last one
        struct ir_insn *last = in - 1;
        *in = *last;
        in = last;
        *in = (struct ir_insn){.kind = IR_K_OP, .op = PTX_O_ADD, .type = PTX_T_U32, .guard = IR_NONE, .site = IR_NONE, .n_dst = 1};
    }
    in->n_src = 2;
    in->dst[0] = COUNTER;
    in->src[0] = imm(0, 32);
    in->src[1] = imm(0, 32);
    in = new_insn(k, 7, PTX_O_ADD, PTX_T_U32);
    in->n_src = 2;
    in->dst[0] = COUNTER;
    in->src[0] = reg(COUNTER);
    in->src[1] = imm(1, 32);
    in = new_insn(k, 7, PTX_O_SETP, PTX_T_U32);
    in->n_src = 2;
    in->dst[0] = ROUNDS;
    in->src[0] = reg(COUNTER);
    in->src[1] = imm(2 + any(3), 32);
    in->m.cmp = PTX_M_LT + 1;
    k->blocks[7].term = IR_T_BRANCH;
    k->blocks[7].cond = ROUNDS;
    k->succ[7][0] = 4;
    k->succ[7][1] = 8;
    k->blocks[7].n_succ = 2;
    k->pred[4][k->blocks[4].n_pred++] = 7;
}

// 0 and 4 branch to two sides that meet in 3 and 7; a barrier may stand at the end of 3; 7 may go back to 4 for a few
// rounds that the launch decides.
static void make(struct kernel *k)
{
    *k = (struct kernel){.f = {.name = "random"}};
    k->f.regs = k->regs;
    k->f.n_regs = N_REGS;
    k->f.blocks = k->blocks;
    k->f.n_blocks = N_BLOCKS;
    k->f.sites = k->sites;
    k->funcs[0] = &k->f;
    k->prog.funcs = k->funcs;
    k->prog.n_funcs = 1;
    for (uint32_t r = 0; r < N_REGS; r++) {
        k->regs[r].bits = r < WIDE ? 32 : r < PRED ? 64 : 1;
        k->live[r] = r;
    }
    for (uint32_t b = 0; b < N_BLOCKS; b++) {
        k->blocks[b] = (struct ir_block){.insns = k->insns[b], .cond = IR_NONE, .succ = k->succ[b], .pred = k->pred[b],
                                         .live_in = k->live, .n_live_in = N_REGS, .term = IR_T_JUMP};
    }
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}, {4, 6}, {5, 7}, {6, 7}, {7, 8}};
    for (uint32_t i = 0; i < sizeof edges / sizeof *edges; i++)
        edge(k, edges[i][0], edges[i][1]);
    for (uint32_t r = 0; r < N_REGS; r++) { // every register has a value
        struct ir_insn *in = new_insn(k, 0, r < PRED ? PTX_O_ADD : PTX_O_SETP, r < WIDE ? PTX_T_U32 : r < PRED ? PTX_T_U64 : PTX_T_S32);
        if (!in)
            break;
        in->n_src = 2;
        in->dst[0] = r;
        in->src[0] = r < WIDE ? sreg(PTX_SR_TID, r % 2) : imm((int64_t)r, r < PRED && r >= WIDE ? 64 : 32);
        in->src[1] = imm(r < PRED ? 0 : 21, r < PRED && r >= WIDE ? 64 : 32);
        in->m.cmp = PTX_M_GT + 1;
    }
    for (uint32_t b = 1; b < N_BLOCKS; b++) {
        fill(k, b, 1 + any(b == 3 || b == 7 ? 5 : 4));
        if (any(14) == 0) {
            warp_barrier(k, b);
            fill(k, b, 1 + any(2));
        }
    }
    k->blocks[8].term = IR_T_EXIT;
    if (any(8) == 0) { // some threads leave early
        k->blocks[5].term = IR_T_EXIT;
        k->blocks[5].n_succ = 0;
        k->blocks[7].n_pred = 1;
        k->pred[7][0] = 6;
    }
    for (uint32_t b = 0; b <= 4; b += 4) {
        k->blocks[b].term = IR_T_BRANCH;
        k->blocks[b].cond = PRED + any(ROUNDS - PRED);
        k->blocks[b].cond_negated = any(2);
    }
    if (any(2))
        barrier(k, 3);
    if (any(3) == 0)
        barrier(k, 7);
    else if (any(3) == 0)
        rounds(k);
    static const uint32_t xs[] = {1, 4, 5, 16, 32, 32, 64, 33}, ys[] = {1, 1, 2, 3, 4};
    k->launch = (struct wf_launch){.id = 1, .kernel = "random", .block = {xs[any(8)], ys[any(5)], 1},
                                   .grid = {1 + any(4), 1 + any(2), 1}, .cluster = {1, 1, 1}};
}

// ---- one thread, concretely

struct hit {
    uint64_t addr;
    uint32_t thread, block, phase, warp_phase, order, bytes;
    bool is_shared, is_write, is_atomic;
};

static struct {
    struct hit *at;
    size_t n, cap;
} hits;

struct thread {
    uint64_t r[N_REGS];
    uint32_t tid[2], ctaid[2], number, block, phase, warp_phase;
    uint64_t data;
};

static int64_t sext(uint64_t v, unsigned bits)
{
    return bits == 64 ? (int64_t)v : (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static uint64_t cut(uint64_t v, unsigned bits)
{
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static uint64_t source(const struct kernel *k, const struct thread *t, const struct ir_src *s, unsigned bits)
{
    const uint32_t nt[2] = {k->launch.block.x, k->launch.block.y};
    switch (s->kind) {
    case IR_S_REG:
        return cut(t->r[s->reg], bits);
    case IR_S_IMM:
        return cut((uint64_t)sext(s->bits, bits), bits);
    default:
        break;
    }
    switch ((int)s->sreg) {
    case PTX_SR_TID: return t->tid[s->comp];
    case PTX_SR_CTAID: return t->ctaid[s->comp];
    case PTX_SR_NTID: return nt[s->comp];
    case PTX_SR_LANEID: return t->number % 32;
    default: return t->number / 32;
    }
}

static bool holds(uint16_t cmp, int64_t a, int64_t b, bool is_signed)
{
    bool less = is_signed ? a < b : (uint64_t)a < (uint64_t)b;
    switch (cmp - 1) {
    case PTX_M_EQ: return a == b;
    case PTX_M_NE: return a != b;
    case PTX_M_LT: return less;
    case PTX_M_LE: return less || a == b;
    case PTX_M_GT: return !less && a != b;
    default: return !less;
    }
}

static uint64_t result(const struct kernel *k, const struct thread *t, const struct ir_insn *in)
{
    enum ptx_type ty = (enum ptx_type)in->type;
    if (ty == PTX_T_PRED) {
        uint64_t a = t->r[in->src[0].reg], b = in->n_src > 1 ? t->r[in->src[1].reg] : 0;
        return in->op == PTX_O_AND ? a & b : in->op == PTX_O_OR ? a | b : !a;
    }
    unsigned bits = ptx_type_bits(ty);
    bool is_signed = ptx_type_kind(ty) == 'S';
    if (in->op == PTX_O_CVT) {
        unsigned from = ptx_type_bits((enum ptx_type)in->m.type[1]);
        uint64_t v = source(k, t, &in->src[0], from);
        v = cut(ptx_type_kind((enum ptx_type)in->m.type[1]) == 'S' ? (uint64_t)sext(v, from) : v, bits);
        return is_signed ? (uint64_t)sext(v, bits) : v;
    }
    uint64_t a = source(k, t, &in->src[0], bits), b = in->n_src > 1 && in->op != PTX_O_SHL && in->op != PTX_O_SHR ? source(k, t, &in->src[1], bits) : 0;
    int64_t sa = is_signed ? sext(a, bits) : (int64_t)a, sb = is_signed ? sext(b, bits) : (int64_t)b;
    bool is_wide = ptx_has(&in->m, PTX_M_WIDE);
    switch ((int)in->op) {
    case PTX_O_ADD: return cut(a + b, bits);
    case PTX_O_SUB: return cut(a - b, bits);
    case PTX_O_MUL: return is_wide ? (uint64_t)sa * (uint64_t)sb : cut(a * b, bits);
    case PTX_O_MAD:
        return is_wide ? (uint64_t)sa * (uint64_t)sb + source(k, t, &in->src[2], 64) : cut(a * b + source(k, t, &in->src[2], bits), bits);
    case PTX_O_SHL: return cut(a << in->src[1].bits, bits);
    case PTX_O_SHR: return is_signed ? cut((uint64_t)(sext(a, bits) >> in->src[1].bits), bits) : a >> in->src[1].bits;
    case PTX_O_AND: return a & b;
    case PTX_O_OR: return a | b;
    case PTX_O_XOR: return a ^ b;
    case PTX_O_DIV: return is_signed ? cut((uint64_t)(sa / sb), bits) : a / b;
    case PTX_O_REM: return is_signed ? cut((uint64_t)(sa % sb), bits) : a % b;
    case PTX_O_MIN: case PTX_O_MAX: {
        bool first = (is_signed ? sa < sb : a < b) == (in->op == PTX_O_MIN);
        return ptx_has(&in->m, PTX_M_RELU) && (first ? sa : sb) < 0 ? 0 : first ? a : b;
    }
    case PTX_O_NEG: return cut(-a, bits);
    case PTX_O_NOT: return cut(~a, bits);
    case PTX_O_SELP: return t->r[in->src[2].reg] ? a : b;
    case PTX_O_SETP: {
        bool x = holds(in->m.cmp, sa, sb, is_signed), y = in->n_src > 2 && (t->r[in->src[2].reg] != 0) != in->src[2].is_negated;
        return in->n_src < 3 ? x : in->m.sub - 1 == PTX_M_AND ? x && y : in->m.sub - 1 == PTX_M_OR ? x || y : x != y;
    }
    case PTX_O_BREV: {
        uint64_t v = 0;
        for (unsigned i = 0; i < bits; i++)
            v |= (a >> i & 1) << (bits - 1 - i);
        return v;
    }
    default: return 0;
    }
}

static void hit(struct thread *t, const struct kernel *k, const struct ir_insn *in, uint32_t order)
{
    bool is_shared = in->space == PTX_SP_SHARED;
    if (hits.n == hits.cap) {
        hits.cap = hits.cap ? 2 * hits.cap : 4096;
        hits.at = realloc(hits.at, hits.cap * sizeof *hits.at);
    }
    uint64_t at = source(k, t, &in->src[0], is_shared ? 32 : 64) + (uint64_t)in->off;
    hits.at[hits.n++] = (struct hit){.addr = is_shared ? (uint32_t)at : at, .thread = t->number, .block = t->block, .phase = t->phase, .warp_phase = t->warp_phase,
                                     .order = order, .bytes = (uint32_t)k->sites[in->site].bytes * k->sites[in->site].vec, .is_shared = is_shared, .is_write = in->op != PTX_O_LD,
                                     .is_atomic = in->op == PTX_O_RED};
}

static void run(const struct kernel *k, struct thread *t)
{
    uint32_t b = 0, order = 0;
    for (;;) {
        const struct ir_block *x = &k->blocks[b];
        for (uint32_t i = 0; i < x->n_insns; i++) {
            const struct ir_insn *in = &x->insns[i];
            order++;
            if (in->guard != IR_NONE && (t->r[in->guard] != 0) == in->guard_negated)
                continue;
            if (in->op == PTX_O_BAR) {
                if (ptx_has(&in->m, PTX_M_WARP))
                    t->warp_phase++;
                else
                    t->phase++;
            } else if (in->site != IR_NONE) {
                hit(t, k, in, order);
                t->data = t->data * 6364136223846793005u + 1442695040888963407u;
                unsigned bits = ptx_type_bits((enum ptx_type)in->type);
                if (in->op == PTX_O_LD)
                    t->r[in->dst[0]] = t->data >> 60 ? (uint32_t)(t->data >> 33) % 100 : (uint32_t)(t->data >> 32);
                if (in->op == PTX_O_LD && bits < 32)
                    t->r[in->dst[0]] = cut(in->type == PTX_T_S16 ? (uint64_t)sext(t->r[in->dst[0]], bits) : t->r[in->dst[0]] & 0xff, 32);
            } else {
                t->r[in->dst[0]] = cut(result(k, t, in), k->regs[in->dst[0]].bits);
            }
        }
        if (x->term == IR_T_EXIT)
            return;
        b = x->succ[x->term == IR_T_BRANCH && (t->r[x->cond] != 0) == x->cond_negated];
    }
}

static void run_all(const struct kernel *k, uint64_t data)
{
    const struct wf_launch *l = &k->launch;
    hits.n = 0;
    for (uint32_t by = 0; by < l->grid.y; by++)
        for (uint32_t bx = 0; bx < l->grid.x; bx++)
            for (uint32_t n = 0; n < l->block.x * l->block.y; n++) {
                struct thread t = {.tid = {n % l->block.x, n / l->block.x}, .ctaid = {bx, by}, .number = n,
                                   .block = by * l->grid.x + bx, .data = data * 977 + n * 131 + bx * 17 + by};
                run(k, &t);
            }
}

// ---- the proof against it

static bool clash(const struct hit *a, const struct hit *b)
{
    if (a->is_shared != b->is_shared || (a->block == b->block && a->thread == b->thread) || (!a->is_write && !b->is_write) ||
        (a->is_atomic && b->is_atomic) || a->addr + a->bytes <= b->addr || b->addr + b->bytes <= a->addr)
        return false;
    if (a->block == b->block && a->thread / 32 == b->thread / 32 && a->warp_phase != b->warp_phase)
        return false;
    return a->block == b->block ? a->phase == b->phase : !a->is_shared;
}

static bool in_rows(const struct prove_result *r, const struct hit *h)
{
    for (uint32_t i = 0; i < r->n_rows; i++) {
        const struct wf_ev_row *w = &r->rows[i];
        bool kind = h->is_atomic ? w->is_atomic : h->is_write ? w->is_written : w->is_read;
        if (w->is_guarded ? h->is_atomic : kind && w->lo <= h->addr && h->addr + h->bytes <= w->hi)
            return true;
    }
    return false;
}

static int by_place(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    return x->is_shared != y->is_shared ? x->is_shared - y->is_shared : x->addr < y->addr ? -1 : x->addr > y->addr;
}

static const char *wrong(const struct kernel *k, const struct prove_result *r)
{
    static uint8_t written[GLOBAL_BYTES + 8192];
    memset(written, 0, sizeof written);
    for (size_t i = 0; i < hits.n; i++) {
        const struct hit *h = &hits.at[i];
        if (!h->is_shared && !in_rows(r, h))
            return "an access outside of the rows";
        if (h->is_shared && !h->is_atomic && h->addr + h->bytes > SHARED_BYTES)
            return "an access outside of shared memory";
        if (!h->is_shared && h->is_write && h->addr - GLOBAL + h->bytes <= sizeof written)
            memset(written + (h->addr - GLOBAL), 1, h->bytes);
    }
    for (uint32_t i = 0; i < r->n_rows; i++)
        for (uint64_t a = r->rows[i].lo; r->rows[i].is_filled && a < r->rows[i].hi; a++)
            if (!written[a - GLOBAL])
                return "a row that is not filled";
    for (size_t i = 0; i < hits.n; i++) { // shared memory: a read of what no write of the block, before or in an earlier phase, has made
        const struct hit *h = &hits.at[i];
        bool is_made = !h->is_shared || (h->is_write && !h->is_atomic) || (h->is_atomic && r->n_guards);
        uint32_t found = is_made ? 0 : (1u << h->bytes) - 1; // bytes that are still to be found
        for (size_t j = 0; j < hits.n && found; j++) {
            const struct hit *w = &hits.at[j];
            if (w->is_shared && w->is_write && !w->is_atomic && w->block == h->block && w->addr < h->addr + h->bytes && h->addr < w->addr + w->bytes &&
                (w->phase < h->phase || (w->thread == h->thread && w->order < h->order) ||
                 (w->thread / 32 == h->thread / 32 && w->warp_phase < h->warp_phase)))
                for (uint32_t x = 0; x < h->bytes; x++)
                    found &= h->addr + x - w->addr < w->bytes ? ~(1u << x) : UINT32_MAX;
        }
        if (found)
            return "shared memory that nobody wrote";
    }
    if (hits.n)
        qsort(hits.at, hits.n, sizeof *hits.at, by_place);
    for (size_t i = 0; i < hits.n; i++)
        for (size_t j = i + 1; j < hits.n && hits.at[j].is_shared == hits.at[i].is_shared && hits.at[j].addr < hits.at[i].addr + hits.at[i].bytes; j++)
            if (clash(&hits.at[i], &hits.at[j]) && !(r->n_guards && hits.at[i].is_shared)) { // atomics may have left their place
                for (size_t h = i; h <= j; h += j - i)
                    printf("  %s %s 0x%llx by thread %u of block %u, phase %u, instruction %u\n", hits.at[h].is_shared ? "shared" : "global",
                           hits.at[h].is_atomic ? "atomic" : hits.at[h].is_write ? "write" : "read",
                           (unsigned long long)hits.at[h].addr, hits.at[h].thread, hits.at[h].block, hits.at[h].phase, hits.at[h].order);
                return "two threads that meet";
            }
    (void)k;
    return NULL;
}

static bool try_seed(uint64_t seed)
{
    static struct kernel k;
    state = seed * 0x9e3779b97f4a7c15u + 1;
    make(&k);
    for (int fine = 0; fine < 2; fine++) {
        struct prove_facts x = {.launch = &k.launch, .shared_bytes = SHARED_BYTES, .heap_lo = GLOBAL, .heap_hi = GLOBAL + GLOBAL_BYTES,
                                .is_fine = fine};
        struct prove_result r;
        prove_launch(&k.prog, &x, &r);
        if (getenv("WARPFENCE_TEST_TRACE"))
            printf("seed %llu: %s %u\n", (unsigned long long)seed, r.is_proven ? "proven" : r.why_not, r.line);
        bool proven = r.is_proven;
        for (uint64_t data = 0; proven && data < 4; data++) {
            run_all(&k, data);
            const char *why = wrong(&k, &r);
            if (why)
                WF_TEST_FAIL("seed %llu: proven, but there is %s", (unsigned long long)seed, why);
        }
        free(r.rows);
        free(r.guards);
        if (!proven)
            return false;
    }
    return true;
}

WF_TEST(random_kernels)
{
    const char *one = getenv("WARPFENCE_TEST_SEED"), *many = getenv("WARPFENCE_TEST_KERNELS");
    const char *from = getenv("WARPFENCE_TEST_FROM");
    uint64_t n = many ? strtoull(many, NULL, 10) : 40000, proven = 0, first = from ? strtoull(from, NULL, 10) : 0;
    if (one) {
        try_seed(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = first + 1; seed <= first + n; seed++)
        proven += try_seed(seed);
    printf("%llu of %llu kernels proven\n", (unsigned long long)proven, (unsigned long long)n);
    CHECK(proven * 100 > n); // else it would prove nothing about proofs
}
