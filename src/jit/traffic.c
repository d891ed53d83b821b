// SPDX-License-Identifier: Apache-2.0
// Registers of large functions. A path may be resumed at hundreds of places of such a function; in SSA form
// each of them would load everything that is live there and merge it with what comes from the block before,
// which costs LLVM minutes. So there a block takes from the warp's frame what it reads and leaves there
// what others read, and whatever stops or splits a path finds the frame up to date.

#include "jit/jit_int.h"

#define LARGE 1500 // registers loaded at all entries together

bool jit__is_large(const struct ir_func *f)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        if (jit__is_entry(f, k))
            n += f->blocks[k].n_live_in;
    return n >= LARGE;
}

static bool has(const uint64_t *set, uint32_t r)
{
    return set[r / 64] >> (r % 64) & 1;
}

// Live registers of the successors, without those that the prologue makes.
static void live_out(const struct ir_func *f, uint32_t k, uint64_t *set)
{
    for (uint32_t s = 0; s < f->blocks[k].n_succ; s++) {
        const struct ir_block *b = &f->blocks[f->blocks[k].succ[s]];
        for (uint32_t i = 0; i < b->n_live_in; i++)
            set[b->live_in[i] / 64] |= UINT64_C(1) << (b->live_in[i] % 64);
    }
}

// A register that nothing writes is a constant of the prologue, unless it is a parameter.
static bool is_written(const struct ir_func *f, uint32_t r)
{
    for (uint32_t i = 0; i < f->n_params; i++)
        if (f->param_reg[i] == r)
            return true;
    return f->regs[r].n_defs != 0;
}

static void of_block(struct jit *j, uint32_t k, struct jit_traffic *t)
{
    const struct ir_func *f = j->f;
    const struct ir_block *b = &f->blocks[k];
    size_t words = f->n_regs / 64 + 1;
    uint64_t *set = wf_xcalloc(words * 3, sizeof *set), *def = set + words, *out = def + words;
    ir_block_sets(f, k, set, def);
    live_out(f, k, out);
    t->in = WF_NEW_N(j->arena, uint32_t, b->n_live_in + 1);
    for (uint32_t i = 0; i < b->n_live_in; i++)
        if (has(set, b->live_in[i]) && is_written(f, b->live_in[i]))
            t->in[t->n_in++] = b->live_in[i];
    uint32_t n = 0;
    for (size_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(def[w] & out[w]);
    t->out = WF_NEW_N(j->arena, uint32_t, n + 1);
    for (uint32_t r = 0; r < f->n_regs; r++)
        if (has(def, r) && has(out, r))
            t->out[t->n_out++] = r;
    free(set);
}

const struct jit_traffic *jit__traffic(struct jit *j)
{
    if (!jit__is_large(j->f))
        return NULL;
    struct jit_traffic *t = WF_NEW_N(j->arena, struct jit_traffic, j->f->n_blocks + 1);
    for (uint32_t k = 0; k < j->f->n_blocks; k++)
        of_block(j, k, &t[k]);
    return t;
}

void jit__frame_in(struct jit *j, uint32_t k, LLVMValueRef mask)
{
    for (uint32_t i = 0; i < j->traffic[k].n_in; i++)
        jit__load_slot(j, j->traffic[k].in[i], mask);
}

void jit__frame_out(struct jit *j, uint32_t k)
{
    LLVMValueRef m = j->traffic[k].n_out ? jit__mask(j) : NULL;
    for (uint32_t i = 0; i < j->traffic[k].n_out; i++)
        jit__store_slot(j, j->traffic[k].out[i], m);
}
