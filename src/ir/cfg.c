// SPDX-License-Identifier: Apache-2.0
// Flat list to basic blocks in reverse post order. A warp instruction starts a block (a path may have
// to come back to it), an instruction that stops the path ends one.

#include <string.h> // memcpy

#include "ir/ir_priv.h"

bool ir__is_warp_op(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP)
        return false;
    switch ((int)in->op) {
    case PTX_O_SHFL:
    case PTX_O_MATCH:
    case PTX_O_REDUX:
    case PTX_O_ELECT:
        return true;
    case PTX_O_VOTE:
        return ptx_has(&in->m, PTX_M_SYNC);
    case PTX_O_BAR:
    case PTX_O_BARRIER:
        return ptx_has(&in->m, PTX_M_WARP);
    default:
        return false;
    }
}

bool ir__is_suspend(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP)
        return false;
    switch ((int)in->op) {
    case PTX_O_BAR:
    case PTX_O_BARRIER:
        return !ptx_has(&in->m, PTX_M_WARP);
    case PTX_O_GRIDDEPCONTROL:
        return ptx_has(&in->m, PTX_M_WAIT);
    case PTX_O_CALL:
        return in->n_src > 0; // real calls; builtins return at once
    case PTX_O_NANOSLEEP:
        return true; // gives way
    default:
        return false;
    }
}

bool ir__has_effect(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP)
        return false;
    switch ((int)in->op) {
    case PTX_O_LD:
        return in->m.sem >= PTX_SEM_RELAXED; // volatile and ordered loads are kept
    case PTX_O_ST: case PTX_O_ATOM: case PTX_O_RED: case PTX_O_FENCE: case PTX_O_MEMBAR: case PTX_O_CP:
    case PTX_O_MBARRIER: case PTX_O_CALL: case PTX_O_ALLOCA: case PTX_O_STACKRESTORE:
    case PTX_O_GRIDDEPCONTROL: case PTX_O_NANOSLEEP: case PTX_O_BAR: case PTX_O_BARRIER: case PTX_O_SUST:
        return true;
    default:
        return ir__is_warp_op(in);
    }
}

void ir_each_use(const struct ir_insn *in, void (*fn)(void *arg, uint32_t reg), void *arg)
{
    for (uint32_t i = 0; i < in->n_src; i++)
        if (in->src[i].kind == IR_S_REG)
            fn(arg, in->src[i].reg);
    for (uint32_t i = 0; i < in->n_more; i++)
        if (in->more[i].kind == IR_S_REG)
            fn(arg, in->more[i].reg);
    if (in->guard != IR_NONE)
        fn(arg, in->guard);
    if (in->kind == IR_K_OP && in->op == PTX_O_CALL) {
        const struct ir_call *c = in->aux;
        for (uint32_t i = 0; i < c->n_args; i++)
            fn(arg, c->arg[i]);
    }
}

// Where another thread's next step makes a difference: strong accesses and fences.
static bool is_strong(const struct ir_insn *in)
{
    if (in->kind != IR_K_OP)
        return false;
    switch ((int)in->op) {
    case PTX_O_LD: case PTX_O_ST:
        return in->m.sem >= PTX_SEM_RELAXED;
    case PTX_O_ATOM: case PTX_O_RED: case PTX_O_FENCE: case PTX_O_MEMBAR:
        return true;
    default:
        return false;
    }
}

typedef WF_VEC(struct ir_insn) insn_vec;
typedef WF_VEC(struct ir_block) block_vec;

struct maker {
    struct build *b;
    block_vec blocks;
    uint32_t *label_block; // by label, IR_NONE while unplaced
    insn_vec cur;
    bool open; // a block is being filled
};

static void close_block(struct maker *m, struct ir_block blk)
{
    blk.n_insns = (uint32_t)m->cur.n;
    blk.insns = WF_NEW_N(m->b->arena, struct ir_insn, m->cur.n + 1);
    if (m->cur.n)
        memcpy(blk.insns, m->cur.at, sizeof *blk.insns * m->cur.n);
    if (!blk.loc && m->cur.n)
        blk.loc = m->cur.at[m->cur.n - 1].loc;
    m->cur.n = 0;
    m->open = false;
    WF_PUSH(&m->blocks, blk);
}

static uint32_t *succs(struct maker *m, uint32_t n)
{
    return WF_NEW_N(m->b->arena, uint32_t, n + 1);
}

// Ends the open block with a jump to the one that comes next in the list.
static void fall_through(struct maker *m)
{
    if (!m->open && m->blocks.n) { // nothing open: an empty block keeps the numbering simple
        return;
    }
    struct ir_block k = {.term = IR_T_JUMP, .cond = IR_NONE, .n_succ = 1, .succ = succs(m, 1)};
    k.succ[0] = (uint32_t)m->blocks.n + 1;
    close_block(m, k);
}

static void branch(struct maker *m, const struct flat *f)
{
    // Label numbers for now, marked by the top bit; patched when all labels have a block.
    if (f->in.guard == IR_NONE) {
        struct ir_block k = {.term = IR_T_JUMP, .cond = IR_NONE, .n_succ = 1, .succ = succs(m, 1), .loc = f->in.loc};
        k.succ[0] = f->label | 0x80000000u;
        close_block(m, k);
        return;
    }
    struct ir_block k = {.term = IR_T_BRANCH, .cond = f->in.guard, .cond_negated = f->in.guard_negated,
                         .n_succ = 2, .succ = succs(m, 2), .loc = f->in.loc};
    k.succ[0] = f->label | 0x80000000u;
    k.succ[1] = (uint32_t)m->blocks.n + 1;
    close_block(m, k);
}

static void make_brx(struct maker *m, const struct flat *f)
{
    struct build *b = m->b;
    uint32_t idx = f->in.src[0].reg;
    if (f->in.src[0].kind != IR_S_REG) {
        idx = ir__new_reg(b, 32);
        struct ir_insn mv = {.kind = IR_K_MOVE, .op = PTX_O_MOV, .type = PTX_T_B32, .guard = IR_NONE,
                             .site = IR_NONE, .n_dst = 1, .n_src = 1};
        mv.dst[0] = idx;
        mv.src[0] = f->in.src[0];
        WF_PUSH(&m->cur, mv);
    }
    struct ir_block k = {.term = IR_T_BRX, .cond = idx, .n_succ = f->n_targets, .succ = succs(m, f->n_targets),
                         .loc = f->in.loc};
    for (uint32_t i = 0; i < f->n_targets; i++)
        k.succ[i] = f->targets[i] | 0x80000000u;
    close_block(m, k);
}

// The open block ends with an instruction that stops the path.
static void stop(struct maker *m, const struct ir_insn *in)
{
    struct ir_block k = {.term = in->op == PTX_O_CALL ? IR_T_CALL : IR_T_SYNC, .cond = IR_NONE,
                         .n_succ = 1, .succ = succs(m, 1), .loc = in->loc};
    k.succ[0] = (uint32_t)m->blocks.n + 1;
    close_block(m, k);
}

// A sleep of no time beside a strong access.
static void give_way(struct maker *m, const struct ir_insn *in)
{
    struct ir_insn sleep = {.kind = IR_K_OP, .op = PTX_O_NANOSLEEP, .type = PTX_T_U32, .guard = IR_NONE,
                            .site = IR_NONE, .loc = in->loc, .ptx_line = in->ptx_line};
    for (int d = 0; d < 8; d++)
        sleep.dst[d] = IR_NONE;
    WF_PUSH(&m->cur, sleep);
    stop(m, &sleep);
}

static void scan(struct maker *m)
{
    struct build *b = m->b;
    for (size_t i = 0; i < b->flat.n; i++) {
        const struct flat *f = &b->flat.at[i];
        switch (f->kind) {
        case FLAT_LABEL:
            if (m->open)
                fall_through(m);
            m->label_block[f->label] = (uint32_t)m->blocks.n;
            break;
        case FLAT_INSN: {
            if (m->open && ir__is_warp_op(&f->in))
                fall_through(m);
            bool gives_way = b->opts->may_preempt && is_strong(&f->in);
            if (gives_way) // lanes need not make the access together
                give_way(m, &f->in);
            m->open = true;
            WF_PUSH(&m->cur, f->in);
            if (gives_way) // and others may come before the next step
                give_way(m, &f->in);
            if (ir__is_suspend(&f->in))
                stop(m, &f->in);
            break;
        }
        case FLAT_BRA:
            branch(m, f);
            break;
        case FLAT_BRX:
            make_brx(m, f);
            break;
        case FLAT_EXIT:
        case FLAT_RET:
        case FLAT_TRAP: {
            struct ir_block k = {.term = f->kind == FLAT_EXIT ? IR_T_EXIT : f->kind == FLAT_RET ? IR_T_RET : IR_T_TRAP,
                                 .cond = IR_NONE, .succ = succs(m, 0), .loc = f->in.loc};
            if (f->kind == FLAT_TRAP)
                k.cond = IR_NONE;
            close_block(m, k);
            break;
        }
        default:
            WF_ASSERT(!"flat kind");
        }
    }
    // A label or a fall-through at the very end.
    struct ir_block k = {.term = b->f->is_entry ? IR_T_EXIT : IR_T_RET, .cond = IR_NONE, .succ = succs(m, 0)};
    close_block(m, k);
}

// Post order without recursion; successors that stand later in the text are visited first, so that in
// reverse post order what stands earlier comes earlier.
static uint32_t post_order(struct wf_arena *a, const block_vec *bl, uint32_t *order)
{
    uint32_t n = (uint32_t)bl->n, top = 0, done = 0;
    uint8_t *seen = WF_NEW_N(a, uint8_t, n + 1);
    uint32_t *stack = WF_NEW_N(a, uint32_t, n + 1);
    stack[top++] = 0;
    seen[0] = 1;
    while (top) {
        uint32_t k = stack[top - 1];
        const struct ir_block *x = &bl->at[k];
        uint32_t best = IR_NONE;
        for (uint32_t i = 0; i < x->n_succ; i++)
            if (!seen[x->succ[i]] && (best == IR_NONE || x->succ[i] > best))
                best = x->succ[i];
        if (best == IR_NONE) {
            order[done++] = k;
            top--;
            continue;
        }
        seen[best] = 1;
        stack[top++] = best;
    }
    return done;
}

void ir__edges(struct wf_arena *a, struct ir_func *f)
{
    for (uint32_t i = 0; i < f->n_blocks; i++)
        f->blocks[i].n_pred = 0;
    for (uint32_t i = 0; i < f->n_blocks; i++)
        for (uint32_t s = 0; s < f->blocks[i].n_succ; s++)
            f->blocks[f->blocks[i].succ[s]].n_pred++;
    for (uint32_t i = 0; i < f->n_blocks; i++) {
        f->blocks[i].pred = WF_NEW_N(a, uint32_t, f->blocks[i].n_pred + 1);
        f->blocks[i].n_pred = 0;
    }
    for (uint32_t i = 0; i < f->n_blocks; i++)
        for (uint32_t s = 0; s < f->blocks[i].n_succ; s++) {
            struct ir_block *t = &f->blocks[f->blocks[i].succ[s]];
            t->pred[t->n_pred++] = i;
        }
}

void ir__make_blocks(struct build *b)
{
    struct maker m = {.b = b};
    m.label_block = WF_NEW_N(b->arena, uint32_t, b->n_labels + 1);
    for (uint32_t i = 0; i < b->n_labels; i++)
        m.label_block[i] = IR_NONE;
    scan(&m);
    for (size_t i = 0; i < m.blocks.n; i++)
        for (uint32_t s = 0; s < m.blocks.at[i].n_succ; s++) {
            uint32_t t = m.blocks.at[i].succ[s];
            if (t & 0x80000000u)
                t = m.label_block[t & 0x7fffffffu];
            WF_ASSERT(t < m.blocks.n);
            m.blocks.at[i].succ[s] = t;
        }
    uint32_t n = (uint32_t)m.blocks.n;
    uint32_t *order = WF_NEW_N(b->arena, uint32_t, n + 1), *where = WF_NEW_N(b->arena, uint32_t, n + 1);
    uint32_t done = post_order(b->arena, &m.blocks, order);
    struct ir_func *f = b->f;
    f->n_blocks = done;
    f->blocks = WF_NEW_N(b->arena, struct ir_block, done + 1);
    for (uint32_t i = 0; i < done; i++)
        where[order[i]] = done - 1 - i;
    for (uint32_t i = 0; i < done; i++) {
        struct ir_block *x = &f->blocks[done - 1 - i];
        *x = m.blocks.at[order[i]];
        for (uint32_t s = 0; s < x->n_succ; s++)
            x->succ[s] = where[x->succ[s]];
        // A branch whose sides are the same place is a jump.
        if (x->term == IR_T_BRANCH && x->succ[0] == x->succ[1]) {
            x->term = IR_T_JUMP;
            x->cond = IR_NONE;
            x->n_succ = 1;
        }
    }
    // New registers made on the way (brx of an immediate).
    f->n_regs = (uint32_t)b->regs.n;
    f->regs = WF_NEW_N(b->arena, struct ir_reg, b->regs.n + 1);
    if (b->regs.n)
        memcpy(f->regs, b->regs.at, sizeof *f->regs * b->regs.n);
    ir__edges(b->arena, f);
    WF_VEC_FINI(&m.blocks);
    WF_VEC_FINI(&m.cur);
}
