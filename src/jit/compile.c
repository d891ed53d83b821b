// SPDX-License-Identifier: Apache-2.0
// A program to machine code: lowering of its functions, LLVM's passes, the object in memory, and the
// tables that the scheduler needs beside the code.

#include <pthread.h>   // pthread_mutex_t
#include <stdatomic.h> // atomic_load_explicit
#include <stdio.h>     // fprintf
#include <stdlib.h>    // free
#include <string.h>    // memcpy

#include <llvm-c/Analysis.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/os.h"
#include "jit/jit.h"
#include "jit/jit_int.h"
#include "jit/orc.h"

static void init_types(struct jit *j)
{
    LLVMContextRef c = j->cx;
    j->i1 = LLVMInt1TypeInContext(c);
    j->i8 = LLVMInt8TypeInContext(c);
    j->i16 = LLVMInt16TypeInContext(c);
    j->i32 = LLVMInt32TypeInContext(c);
    j->i64 = LLVMInt64TypeInContext(c);
    j->i128 = LLVMInt128TypeInContext(c);
    j->f16 = LLVMHalfTypeInContext(c);
    j->bf16 = LLVMBFloatTypeInContext(c);
    j->f32 = LLVMFloatTypeInContext(c);
    j->f64 = LLVMDoubleTypeInContext(c);
    j->ptr = LLVMPointerTypeInContext(c, 0);
    j->void_t = LLVMVoidTypeInContext(c);
    j->v1 = LLVMVectorType(j->i1, 32);
    j->v8 = LLVMVectorType(j->i8, 32);
    j->v16 = LLVMVectorType(j->i16, 32);
    j->v32 = LLVMVectorType(j->i32, 32);
    j->v64 = LLVMVectorType(j->i64, 32);
    j->vf32 = LLVMVectorType(j->f32, 32);
    j->vf64 = LLVMVectorType(j->f64, 32);
    j->vptr = LLVMVectorType(j->ptr, 32);
    LLVMValueRef c32[32];
    for (unsigned i = 0; i < 32; i++)
        c32[i] = LLVMConstInt(j->i32, i, 0);
    j->iota32 = LLVMConstVector(c32, 32);
    j->lanes = 32;
    j->md_invariant = LLVMGetMDKindIDInContext(c, "invariant.load", 14);
    j->md_empty = LLVMMDNodeInContext(c, NULL, 0);
}

// A program becomes two objects. The functions that take any path at any pc are needed only once a warp
// splits or has to wait, which in many kernels never happens: they are left for later when the regions
// reach all blocks.
enum part { PART_FUNCTIONS, PART_REGIONS };

#define REGION_NUMBER 0x10000u // of functions: those of regions start here

struct jit_late { // what compiling a part takes; kept for the part that comes later
    pthread_mutex_t lock;
    const struct ir_program *prog;
    struct jit_opts opts;
    char cache_dir[1024]; // "": none
    struct orc_key key;
    struct wf_code *code;
    uint8_t *has_region; // by block of the entry
    bool is_one;         // all regions in one function
};

static LLVMValueRef new_function(struct jit *j, unsigned number, LLVMTypeRef type)
{
    char name[64];
    orc_symbol(j->key, number, name, sizeof name);
    return jit__new_function(j, name, type);
}

static void lower_part(struct jit *j, const struct jit_late *l, enum part part)
{
    LLVMTypeRef params[3] = {j->ptr, j->i32, j->i32};
    for (uint32_t i = 0; i < j->prog->n_funcs && part == PART_FUNCTIONS; i++) {
        j->f = j->prog->funcs[i];
        jit__find_any_nan(j);
        j->fn = new_function(j, i, LLVMFunctionType(j->void_t, params, 3, 0));
        jit__function(j);
    }
    j->f = j->prog->funcs[0];
    jit__find_any_nan(j);
    for (uint32_t k = 0; k < j->f->n_blocks && part == PART_REGIONS; k++)
        if (l->has_region[k]) {
            j->fn = new_function(j, REGION_NUMBER + k, LLVMFunctionType(j->i32, params, 1, 0));
            jit__block_loop(j, k, l->is_one ? l->has_region : NULL);
            if (l->is_one)
                break;
        }
}

// Numbers of all functions in the object of this part.
static unsigned list_functions(const struct jit_late *l, enum part part, uint32_t *number)
{
    const struct ir_program *p = l->prog;
    unsigned n = 0;
    for (; part == PART_FUNCTIONS && n < p->n_funcs; n++)
        number[n] = n;
    for (uint32_t k = 0; part == PART_REGIONS && k < p->funcs[0]->n_blocks && !(l->is_one && n); k++)
        if (l->has_region[k])
            number[n++] = REGION_NUMBER + k;
    return n;
}

// Checked code, with its many calls, gains from the dearer passes; what `run` runs was not seen to.
static const char *pipeline(int level, bool is_checked)
{
    if (level > 1 && is_checked)
        return "function(lower-expect,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
               "loop-mssa(licm),gvn,sink,instcombine<no-verify-fixpoint>,simplifycfg,adce)";
    switch (level) {
    case 0:
        return "function(lower-expect,sroa,early-cse,simplifycfg)";
    case 1:
        return "function(lower-expect,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,sink,adce)";
    default:
        return "function(lower-expect,sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
               "loop-mssa(licm),early-cse<memssa>,sink,simplifycfg,adce)";
    }
}

// Code generation of a large function in full takes LLVM half a minute; what is kept in memory gains little from it.
static int level_of_part(const struct jit_late *l, enum part part)
{
    for (uint32_t i = 0; i < l->prog->n_funcs && part == PART_FUNCTIONS; i++)
        if (jit__is_large(l->prog->funcs[i]))
            return 0;
    return l->opts.opt_level;
}

static enum wf_status optimise(struct jit *j, const struct jit_opts *o, int level, LLVMTargetMachineRef tm, struct wf_err *err)
{
    char *msg = NULL;
    if (LLVMVerifyModule(j->mod, LLVMReturnStatusAction, &msg)) {
        if (o->dump)
            LLVMDumpModule(j->mod);
        enum wf_status st = wf_err_set(err, WF_E_INTERNAL, "%s: made invalid LLVM IR: %.300s", j->prog->funcs[0]->name, msg);
        LLVMDisposeMessage(msg);
        return st;
    }
    LLVMDisposeMessage(msg);
    LLVMPassBuilderOptionsRef po = LLVMCreatePassBuilderOptions();
    LLVMErrorRef e = LLVMRunPasses(j->mod, pipeline(level, o->is_checked), tm, po);
    LLVMDisposePassBuilderOptions(po);
    if (!e)
        return WF_OK;
    char *text = LLVMGetErrorMessage(e);
    enum wf_status st = wf_err_set(err, WF_E_INTERNAL, "LLVM passes: %.300s", text);
    LLVMDisposeErrorMessage(text);
    return st;
}

// ---- tables beside the code ----

static struct wf_code_pc pc_facts(const struct ir_func *f, const struct ir_block *b)
{
    struct wf_code_pc t = {.is_poll = b->is_poll_loop, .is_dead = b->is_dead_loop, .in_cycle = b->in_cycle,
                           .is_still = b->scc && f->blocks[b->scc - 1].is_still_loop,
                           .scc = b->scc, .loc = b->loc,
                           .poll_site = b->scc ? f->blocks[b->scc - 1].poll_site : IR_NONE};
    struct wf_uniform_slot *u = wf_xcalloc(b->n_live_in * 2 + 1, sizeof *u);
    uint32_t *live = wf_xcalloc(b->n_live_in * 4 + 1, sizeof *live);
    for (uint32_t i = 0; i < b->n_live_in; i++) {
        const struct ir_reg *r = &f->regs[b->live_in[i]];
        uint32_t bytes = r->bits == 1 ? 4 : r->shape == IR_WAFF ? 384u : 4u * r->bits;
        live[2 * t.n_live] = r->slot;
        live[2 * t.n_live++ + 1] = bytes;
        if (r->shape == IR_VEC)
            continue;
        if (r->shape == IR_WAFF) {
            u[t.n_slots++] = (struct wf_uniform_slot){r->slot, 4, r->stride};
            u[t.n_slots++] = (struct wf_uniform_slot){r->slot + 128, 8, 0};
        } else {
            u[t.n_slots++] = (struct wf_uniform_slot){r->slot, r->bits == 1 ? 1 : (uint8_t)(r->bits / 8),
                                                      r->shape == IR_AFF ? r->stride : 0};
        }
    }
    t.slots = u;
    t.live_slots = live;
    return t;
}

static void fill_code(struct jit_late *l)
{
    const struct ir_program *p = l->prog;
    l->code = wf_xcalloc(p->n_funcs, sizeof *l->code);
    for (uint32_t i = 0; i < p->n_funcs; i++) {
        const struct ir_func *f = p->funcs[i];
        struct wf_code *c = &l->code[i];
        struct wf_code_sync *syncs = wf_xcalloc(f->n_blocks + 1, sizeof *syncs);
        for (uint32_t k = 0; k < f->n_blocks && i == 0; k++) {
            const struct ir_block *b = &f->blocks[k];
            if (b->term == IR_T_SYNC && jit__is_plain_barrier(&b->insns[b->n_insns - 1])) {
                const struct ir_insn *in = &b->insns[b->n_insns - 1];
                syncs[k] = (struct wf_code_sync){b->succ[0], in->site, (uint8_t)in->src[0].bits, jit__barrier_kind(in)};
            }
        }
        struct wf_code_pc *pcs = wf_xcalloc(f->n_blocks, sizeof *pcs);
        for (uint32_t k = 0; k < f->n_blocks; k++)
            pcs[k] = pc_facts(f, &f->blocks[k]);
        uint32_t *params = wf_xcalloc(f->n_params + 1, sizeof *params), *rets = wf_xcalloc(f->n_rets + 1, sizeof *rets);
        for (uint32_t k = 0; k < f->n_params; k++)
            params[k] = f->regs[f->param_reg[k]].slot | f->regs[f->param_reg[k]].bits / 8u << 24;
        for (uint32_t k = 0; k < f->n_rets; k++)
            rets[k] = f->regs[f->ret_reg[k]].slot | f->regs[f->ret_reg[k]].bits / 8u << 24;
        *c = (struct wf_code){.late = l, .frame_bytes = f->frame_bytes, .n_pcs = f->n_blocks, .pcs = pcs,
                              .name = f->name, .n_sites = f->n_sites, .param_slots = params,
                              .n_params = f->n_params, .ret_slots = rets, .n_rets = f->n_rets,
                              .local_bytes = f->local_bytes, .syncs = syncs,
                              .regions = wf_xcalloc(f->n_blocks + 1, sizeof *c->regions)};
    }
}

// Assembly of a copy: to make code changes the module.
static void print_assembly(struct jit *j, LLVMTargetMachineRef tm)
{
    LLVMMemoryBufferRef text = NULL;
    LLVMModuleRef copy = LLVMCloneModule(j->mod);
    char *msg = NULL;
    if (LLVMTargetMachineEmitToMemoryBuffer(tm, copy, LLVMAssemblyFile, &msg, &text)) {
        fprintf(stderr, "warpfence: assembly: %s\n", msg);
        LLVMDisposeMessage(msg);
    } else {
        fwrite(LLVMGetBufferStart(text), 1, LLVMGetBufferSize(text), stderr);
        LLVMDisposeMemoryBuffer(text);
    }
    LLVMDisposeModule(copy);
}

static enum wf_status lower(struct jit *j, const struct jit_late *l, enum part part, LLVMTargetMachineRef tm,
                            LLVMMemoryBufferRef *obj, struct wf_err *err)
{
    char *msg = NULL;
    lower_part(j, l, part);
    if (j->error[0])
        return wf_err_set(err, WF_E_UNSUPPORTED, "%s: %s is not supported", l->prog->funcs[0]->name, j->error);
    enum wf_status st = optimise(j, &l->opts, level_of_part(l, part), tm, err);
    if (st)
        return st;
    if (l->opts.dump) {
        char *text = LLVMPrintModuleToString(j->mod);
        fputs(text, stderr);
        LLVMDisposeMessage(text);
    }
    if (l->opts.dump_asm)
        print_assembly(j, tm);
    if (LLVMTargetMachineEmitToMemoryBuffer(tm, j->mod, LLVMObjectFile, &msg, obj)) {
        st = wf_err_set(err, WF_E_INTERNAL, "code generation: %.300s", msg);
        LLVMDisposeMessage(msg);
    }
    return st;
}

static enum wf_status make_object(const struct jit_late *l, const struct orc_key *key, enum part part,
                                  LLVMMemoryBufferRef *obj, struct wf_err *err)
{
    struct wf_arena arena;
    struct jit j = {.prog = l->prog, .is_checked = l->opts.is_checked, .is_guarded = l->opts.is_guarded,
                    .affine_tid = l->prog->blocks.affine_tid, .key = key};
    LLVMTargetMachineRef tm = orc_target_machine(level_of_part(l, part), err);
    if (!tm)
        return WF_E_INTERNAL;
    wf_arena_init(&arena, "jit");
    j.arena = &arena;
    j.adds_may_wait = !l->opts.is_checked && ir_adds_may_wait(&arena, l->prog);
    j.may_stream = !l->opts.is_checked && ir_may_stream(l->prog);
    j.cx = LLVMContextCreate();
    j.mod = LLVMModuleCreateWithNameInContext("warpfence", j.cx);
    j.b = LLVMCreateBuilderInContext(j.cx);
    LLVMTargetDataRef td = LLVMCreateTargetDataLayout(tm);
    LLVMSetModuleDataLayout(j.mod, td);
    LLVMDisposeTargetData(td);
    LLVMSetTarget(j.mod, orc_triple());
    init_types(&j);
    enum wf_status st = lower(&j, l, part, tm, obj, err);
    LLVMDisposeBuilder(j.b);
    LLVMDisposeModule(j.mod);
    LLVMContextDispose(j.cx);
    LLVMDisposeTargetMachine(tm);
    wf_arena_fini(&arena);
    return st;
}

static void set_region(struct jit_late *l, uint32_t k, wf_region_fn fn)
{
    l->code[0].regions[k] = fn;
    for (uint32_t i = 0; i < l->prog->funcs[0]->n_blocks && l->is_one; i++)
        if (l->has_region[i])
            l->code[0].regions[i] = fn;
}

// One part, from the cache or anew. A region's function is known by its pc, the others by their number.
static enum wf_status make_part(struct jit_late *l, enum part part, bool *was_cached, struct wf_err *err)
{
    const struct ir_program *p = l->prog;
    const char *dir = *l->cache_dir ? l->cache_dir : NULL;
    struct orc_key key;
    orc_key_of_part(&l->key, part == PART_REGIONS ? 'r' : 'f', &key);
    LLVMMemoryBufferRef obj = dir ? orc_cache_load(dir, &key) : NULL;
    *was_cached = obj != NULL;
    enum wf_status st = obj ? WF_OK : make_object(l, &key, part, &obj, err);
    if (st)
        return st;
    if (!*was_cached && dir)
        orc_cache_save(dir, &key, obj);
    uint32_t *number = wf_xcalloc(p->n_funcs + p->funcs[0]->n_blocks + 1u, sizeof *number);
    unsigned n = list_functions(l, part, number);
    void **fns = wf_xcalloc(n + 1, sizeof *fns);
    st = orc_add(&key, obj, number, n, fns, err);
    for (unsigned i = 0; i < n && !st; i++)
        if (part == PART_REGIONS)
            set_region(l, number[i] - REGION_NUMBER, (wf_region_fn)(uintptr_t)fns[i]);
        else
            atomic_store_explicit(&l->code[i].fn, (wf_code_fn)(uintptr_t)fns[i], memory_order_release);
    free(number);
    free(fns);
    return st;
}

enum wf_status jit_compile(const struct ir_program *p, const struct jit_opts *o, struct jit_result *out, struct wf_err *err)
{
    uint64_t t0 = wf_os_now_ns();
    memset(out, 0, sizeof *out);
    struct jit_late *l = wf_xcalloc(1, sizeof *l);
    *l = (struct jit_late){.prog = p, .opts = *o};
    snprintf(l->cache_dir, sizeof l->cache_dir, "%s", o->cache_dir ? o->cache_dir : "");
    pthread_mutex_init(&l->lock, NULL);
    orc_key_of(p, o, &l->key);
    for (uint32_t i = 0; i < p->n_funcs; i++)
        jit__layout_frame(p->funcs[i]);
    fill_code(l);
    bool reach_all, r_cached = true, f_cached = true;
    l->has_region = jit__find_regions(p->funcs[0], &reach_all);
    l->is_one = jit__regions_are_one(p->funcs[0], l->has_region, o->is_checked);
    bool has_regions = memchr(l->has_region, 1, p->funcs[0]->n_blocks) != NULL;
    enum wf_status st = has_regions ? make_part(l, PART_REGIONS, &r_cached, err) : WF_OK;
    if (!st && !(has_regions && p->n_funcs == 1 && reach_all))
        st = make_part(l, PART_FUNCTIONS, &f_cached, err);
    if (st)
        return st;
    out->code = l->code;
    out->n_code = p->n_funcs;
    out->was_cached = r_cached && f_cached;
    out->compile_ms = (double)(wf_os_now_ns() - t0) / 1e6;
    return WF_OK;
}

enum wf_status jit_code_fn(const struct wf_code *code, wf_code_fn *fn, struct wf_err *err)
{
    struct jit_late *l = code->late;
    enum wf_status st = WF_OK;
    bool was_cached;
    *fn = atomic_load_explicit(&code->fn, memory_order_acquire);
    if (*fn)
        return WF_OK;
    pthread_mutex_lock(&l->lock);
    if (!atomic_load_explicit(&code->fn, memory_order_relaxed))
        st = make_part(l, PART_FUNCTIONS, &was_cached, err);
    pthread_mutex_unlock(&l->lock);
    *fn = atomic_load_explicit(&code->fn, memory_order_acquire);
    return st;
}
