// SPDX-License-Identifier: Apache-2.0
// Real calls: recursion and calls through pointers. The lanes of a path get a frame of the callee; their
// arguments are put into its registers; when they return, results go to the caller's frame, where the
// lanes meet again.

#include <string.h> // memcpy

#include "exec/func.h"

#define MAX_DEPTH 4096

struct entry {
    const struct wf_module *module;
    const struct ptx_func *func;
    const struct wf_code *code;
    const struct build_of *build;
};
static WF_VEC(struct entry) known;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void exec__register_functions(const struct build_of *b, struct wf_module *m)
{
    pthread_rwlock_wrlock(&lock);
    for (uint32_t i = 1; i < b->prog->n_funcs; i++)
        WF_PUSH(&known, (struct entry){.module = m, .func = b->prog->funcs[i]->source, .code = &b->code[i], .build = b});
    pthread_rwlock_unlock(&lock);
}

// The code a callee value names, a handle of exec__func_handle.
static const struct wf_code *code_of(struct wf_warp *w, uint64_t callee)
{
    const struct build_of *b = grid_of(w)->code;
    const struct ptx_func *f = exec__handle_func(callee);
    for (uint32_t i = 1; f && i < b->prog->n_funcs; i++)
        if (b->prog->funcs[i]->source == f)
            return &b->code[i];
    return NULL;
}

static struct wf_frame *new_frame(struct wf_warp *w, const struct wf_code *code, uint32_t return_pc, uint32_t lanes)
{
    struct wf_frame *f = wf_xcalloc(1, sizeof *f);
    f->parent = w->cur;
    f->code = code;
    f->return_pc = return_pc;
    f->lanes = lanes;
    f->depth = w->cur->depth + 1;
    uint64_t top = w->cur->local_base + w->cur->code->local_bytes;
    WF_EACH_LANE(lanes, lane)
        if (x_of(w)->stack_top[lane] > top)
            top = x_of(w)->stack_top[lane];
    f->local_base = wf_align_up(top, 16);
    f->regs = aligned_alloc(64, (code->frame_bytes + 63u) & ~63u);
    if (!f->regs)
        abort();
    memset(f->regs, 0, code->frame_bytes);
    return f;
}

static void put(uint8_t *regs, uint32_t slot, unsigned lane, const uint8_t *value)
{
    unsigned bytes = slot >> 24;
    memcpy(regs + (slot & 0xffffff) + (size_t)lane * bytes, value, bytes);
}

static void bad_callee(struct wf_warp *w, uint32_t site, uint32_t lanes)
{
    struct grid *g = grid_of(w);
    struct wf_finding f = wf_finding_make(WF_F_MEM_SPACE, g->launch->kernel, g->launch->id);
    exec__party(&f, WF_PARTY_ACCESS, w, site_of(w, site), lanes, "indirect call");
    snprintf(f.sentence, sizeof f.sentence, "a call through a value that is no device function");
    snprintf(f.fix, sizeof f.fix, "take function addresses in device code, or copy them from a __device__ variable");
    wf_finding_add(&f);
    exec__stop(g, WF_RUN_ILLEGAL);
}

uint64_t wf_x_call(struct wf_warp *w, uint32_t pc, uint32_t mask, uint32_t site, const uint64_t *callee, const uint64_t *const *args,
                   uint32_t counts, const uint32_t *ret_slots)
{
    uint32_t n_args = counts & 0xffff, n_rets = counts >> 16, left = mask;
    if (w->cur->depth > MAX_DEPTH) {
        struct wf_err e;
        wf_err_set(&e, WF_E_UNSUPPORTED, "%s: recursion deeper than %d", grid_of(w)->launch->kernel, MAX_DEPTH);
        grid_of(w)->err = e;
        exec__stop(grid_of(w), WF_RUN_FAULT);
        return exec__next(w);
    }
    while (left) { // one frame for each callee
        uint64_t target = callee[wf_ctz32(left)];
        uint32_t same = 0;
        WF_EACH_LANE(left, lane)
            if (callee[lane] == target)
                same |= 1u << lane;
        left &= ~same;
        const struct wf_code *code = code_of(w, target);
        if (!code || code->n_params != n_args || code->n_rets != n_rets) {
            bad_callee(w, site, same);
            continue;
        }
        struct wf_frame *f = new_frame(w, code, pc, same);
        f->ret_slots = wf_xmalloc(sizeof(uint32_t) * (n_rets + 1));
        if (n_rets)
            memcpy(f->ret_slots, ret_slots, sizeof(uint32_t) * n_rets);
        for (uint32_t a = 0; a < n_args; a++)
            WF_EACH_LANE(same, lane)
                put(f->regs, code->param_slots[a], lane, (const uint8_t *)&args[a][lane]);
        exec__add_path(w, (struct wf_path){.pc = 0, .mask = same, .frame = f, .yields = x_of(w)->turn - 1});
    }
    return exec__next(w);
}

uint64_t wf_x_ret(struct wf_warp *w, uint32_t mask)
{
    struct wf_frame *f = w->cur;
    for (uint32_t r = 0; r < f->code->n_rets; r++)
        WF_EACH_LANE(mask, lane) {
            uint32_t s = f->code->ret_slots[r];
            put(f->parent->regs, f->ret_slots[r], lane, f->regs + (s & 0xffffff) + (size_t)lane * (s >> 24));
        }
    f->lanes &= ~mask;
    WF_EACH_LANE(mask, lane) // what the callee took by alloca ends with it
        if (x_of(w)->stack_top[lane] > f->local_base)
            x_of(w)->stack_top[lane] = f->local_base;
    exec__add_path(w, (struct wf_path){.pc = f->return_pc, .mask = mask, .frame = f->parent, .yields = x_of(w)->turn - 1});
    if (!f->lanes) { // nobody inside any more: compiled code is leaving it now
        w->cur = f->parent;
        w->frame = w->cur->regs;
        free(f->ret_slots);
        free(f->regs);
        free(f);
        x_of(w)->left_frame = true; // next() must not continue in the callee's code
    }
    return exec__next(w);
}
