// SPDX-License-Identifier: Apache-2.0
// Liveness of registers at block starts, by bit sets, to a fixed point. Registers that the prologue
// recomputes (is_remat) are left out of the lists: nobody saves them.

#include <string.h> // memset

#include "ir/ir_priv.h"

struct sets {
    uint64_t *use, *def, *in;
    size_t words;
};

struct walk {
    uint64_t *use, *def;
};

static void on_use(void *arg, uint32_t r)
{
    struct walk *w = arg;
    if (!((w->def[r / 64] >> (r % 64)) & 1))
        w->use[r / 64] |= UINT64_C(1) << (r % 64);
}

static void on_def(struct walk *w, uint32_t r)
{
    if (r != IR_NONE)
        w->def[r / 64] |= UINT64_C(1) << (r % 64);
}

static void block_sets(const struct ir_block *b, const struct ir_func *f, struct walk *w)
{
    for (uint32_t i = 0; i < b->n_insns; i++) {
        const struct ir_insn *in = &b->insns[i];
        ir_each_use(in, on_use, w);
        for (uint32_t d = 0; d < in->n_dst; d++) {
            if (in->dst[d] == IR_NONE)
                continue;
            if (in->is_partial)
                on_use(w, in->dst[d]);
            on_def(w, in->dst[d]);
        }
        // Results of a real call are delivered when the path goes on: defined for the successor.
        if (in->kind == IR_K_OP && in->op == PTX_O_CALL) {
            const struct ir_call *c = in->aux;
            for (uint32_t r = 0; r < c->n_rets; r++)
                on_def(w, c->ret[r]);
        }
    }
    if (b->cond != IR_NONE)
        on_use(w, b->cond);
    if (b->term == IR_T_RET)
        for (uint32_t r = 0; r < f->n_rets; r++)
            on_use(w, f->ret_reg[r]);
}

void ir_block_sets(const struct ir_func *f, uint32_t k, uint64_t *use, uint64_t *def)
{
    struct walk w = {.use = use, .def = def};
    block_sets(&f->blocks[k], f, &w);
}

void ir__liveness(struct wf_arena *a, struct ir_func *f)
{
    size_t words = (f->n_regs + 63) / 64 + 1, n = f->n_blocks;
    uint64_t *all = wf_xcalloc(n * words * 3 + 1, sizeof *all);
    for (uint32_t i = 0; i < n; i++) {
        struct walk w = {.use = all + i * words, .def = all + (n + i) * words};
        block_sets(&f->blocks[i], f, &w);
    }
    uint64_t *in = all + 2 * n * words;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = (uint32_t)n; k-- > 0;) {
            const struct ir_block *b = &f->blocks[k];
            for (size_t w = 0; w < words; w++) {
                uint64_t out = 0;
                for (uint32_t s = 0; s < b->n_succ; s++)
                    out |= in[b->succ[s] * words + w];
                uint64_t v = all[k * words + w] | (out & ~all[(n + k) * words + w]);
                if (v != in[k * words + w]) {
                    in[k * words + w] = v;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        struct ir_block *b = &f->blocks[k];
        uint32_t c = 0;
        for (size_t w = 0; w < words; w++)
            c += (uint32_t)__builtin_popcountll(in[k * words + w]);
        b->live_in = WF_NEW_N(a, uint32_t, c + 1);
        b->n_live_in = 0;
        for (uint32_t r = 0; r < f->n_regs; r++)
            if (((in[k * words + r / 64] >> (r % 64)) & 1) && !f->regs[r].is_remat)
                b->live_in[b->n_live_in++] = r;
    }
    free(all);
}

// A copy of one register, which counts as a reader only when it is read itself.
static bool is_copy(const struct ir_insn *in)
{
    return in->kind == IR_K_MOVE && in->n_dst == 1 && in->dst[0] != IR_NONE;
}

struct readers {
    uint8_t *read;
    bool grew;
};

static void note_read(void *arg, uint32_t r)
{
    struct readers *c = arg;
    c->grew |= !c->read[r];
    c->read[r] = 1;
}

// An atomic whose old value nobody reads needs no result (compilers emit atom even then). To copy it
// on, as an inlined wrapper does, is no reading.
void ir__drop_unread_results(struct ir_func *f)
{
    struct readers c = {.read = wf_xcalloc(f->n_regs + 1u, 1)};
    for (uint32_t k = 0; k < f->n_blocks; k++)
        if (f->blocks[k].cond != IR_NONE)
            c.read[f->blocks[k].cond] = 1;
    for (uint32_t r = 0; r < f->n_rets; r++)
        c.read[f->ret_reg[r]] = 1;
    do {
        c.grew = false;
        for (uint32_t k = 0; k < f->n_blocks; k++)
            for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
                const struct ir_insn *in = &f->blocks[k].insns[i];
                if (!is_copy(in) || c.read[in->dst[0]])
                    ir_each_use(in, note_read, &c);
            }
    } while (c.grew);
    for (uint32_t k = 0; k < f->n_blocks; k++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++) {
            struct ir_insn *in = &f->blocks[k].insns[n];
            *in = f->blocks[k].insns[i];
            if (is_copy(in) && !c.read[in->dst[0]])
                continue;
            n++;
            if (in->kind != IR_K_OP || in->op != PTX_O_ATOM)
                continue;
            bool any = false;
            for (uint32_t d = 0; d < in->n_dst; d++) {
                if (in->dst[d] != IR_NONE && !c.read[in->dst[d]])
                    in->dst[d] = IR_NONE;
                any |= in->dst[d] != IR_NONE;
            }
            if (in->site != IR_NONE)
                f->sites[in->site].is_unread = !any;
        }
        f->blocks[k].n_insns = n;
    }
    free(c.read);
}
