// SPDX-License-Identifier: Apache-2.0
// From PTX text to IR: shapes of registers, branches, inlining, memory spaces, loops that wait, what is refused.
#include "test.h"

#include "base/str.h"
#include "ir/ir.h"
#include "ptx/parse.h"

static struct wf_arena arena;
static struct wf_err err;

static enum wf_status build_for(struct ir_blocks blocks, const char *functions, const char *body, struct ir_program **p)
{
    char *text;
    struct ptx_module *m;
    struct ir_opts o = {.blocks = blocks};
    if (!arena.name)
        wf_arena_init(&arena, "ir test");
    text = wf_arena_alloc(&arena, strlen(functions) + strlen(body) + 1000);
    sprintf(text,
            ".version 9.0\n.target sm_90\n.address_size 64\n.global .align 4 .b8 table[64];\n%s\n"
            ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .b32 %%r<50>; .reg .b64 %%d<50>; .reg .pred %%p<20>;\n"
            ".shared .align 16 .b8 box[128];\n"
            "ld.param.u64 %%d0, [a]; ld.param.u32 %%r0, [n]; mov.u32 %%r1, %%tid.x;\n%s\nret;\n}\n",
            functions, body);
    memset(&err, 0, sizeof err);
    if (ptx_parse(&arena, "test.ptx", text, strlen(text), &m, &err)) {
        printf("%s\n%s\n", err.text, text);
        exit(1);
    }
    const struct ptx_func *entry = NULL;
    for (uint32_t i = 0; i < m->n_funcs; i++)
        if (m->funcs[i]->is_entry)
            entry = m->funcs[i];
    const struct ptx_module *const mods[1] = {m};
    return ir_build(&arena, mods, 1, m, entry, &o, p, &err);
}

static enum wf_status try_build(const char *functions, const char *body, bool affine, struct ir_program **p)
{
    return build_for((struct ir_blocks){.affine_tid = affine}, functions, body, p);
}

static struct ir_func *build_with(const char *functions, const char *body)
{
    struct ir_program *p;
    if (try_build(functions, body, true, &p)) {
        printf("%s\n", err.text);
        exit(1);
    }
    return p->funcs[0];
}

static struct ir_func *build(const char *body)
{
    return build_with("", body);
}

// The nth instruction of that operation.
static const struct ir_insn *find(const struct ir_func *f, enum ptx_op op, unsigned nth)
{
    for (uint32_t k = 0; k < f->n_blocks; k++)
        for (uint32_t i = 0; i < f->blocks[k].n_insns; i++)
            if (f->blocks[k].insns[i].kind == IR_K_OP && f->blocks[k].insns[i].op == op && !nth--)
                return &f->blocks[k].insns[i];
    return NULL;
}

static unsigned count(const struct ir_func *f, enum ptx_op op)
{
    unsigned n = 0;
    while (find(f, op, n))
        n++;
    return n;
}

static const struct ir_reg *result(const struct ir_func *f, enum ptx_op op, unsigned nth)
{
    const struct ir_insn *in = find(f, op, nth);
    return in ? &f->regs[in->dst[0]] : &f->regs[0];
}

static unsigned branches(const struct ir_func *f, bool is_uniform)
{
    unsigned n = 0;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        n += f->blocks[k].term == IR_T_BRANCH && f->blocks[k].is_uniform_branch == is_uniform;
    return n;
}

WF_TEST(shapes)
{
    const struct ir_func *f = build("add.s32 %r2, %r1, %r0; mul.wide.s32 %d1, %r2, 4; add.s64 %d2, %d0, %d1;\n"
                                    "ld.global.u32 %r3, [%d2]; xor.b32 %r4, %r1, %r3; mul.lo.s32 %r5, %r0, %r0;\n"
                                    "shl.b32 %r6, %r1, 3; st.global.u32 [%d2], %r4; st.global.u32 [%d2+4], %r5; st.global.u32 [%d2+8], %r6;");
    CHECK_EQ(result(f, PTX_O_ADD, 0)->shape, IR_AFF); // tid + n
    CHECK_EQ(result(f, PTX_O_ADD, 0)->stride, 1);
    CHECK_EQ(result(f, PTX_O_MUL, 0)->shape, IR_WAFF); // widened index
    CHECK_EQ(result(f, PTX_O_MUL, 0)->scale, 4);
    CHECK_EQ(result(f, PTX_O_ADD, 1)->shape, IR_WAFF); // address
    CHECK_EQ(result(f, PTX_O_LD, 0)->shape, IR_VEC);
    CHECK_EQ(result(f, PTX_O_XOR, 0)->shape, IR_VEC);
    CHECK_EQ(result(f, PTX_O_MUL, 1)->shape, IR_UNI); // n * n
    CHECK_EQ(result(f, PTX_O_SHL, 0)->shape, IR_AFF);
    CHECK_EQ(result(f, PTX_O_SHL, 0)->stride, 8);
    CHECK(result(f, PTX_O_MUL, 1)->is_remat);
}

WF_TEST(shapes_without_affine_threads)
{
    struct ir_program *p;
    CHECK_EQ(try_build("", "add.s32 %r2, %r1, %r0; st.global.u32 [%d0], %r2;", false, &p), WF_OK);
    CHECK_EQ(result(p->funcs[0], PTX_O_ADD, 0)->shape, IR_VEC);
}

WF_TEST(steps_within_rows)
{
    struct ir_program *p;
    struct ir_blocks rows = {.rows_of_16 = true, .whole_warps = true};
    const char *body = "mov.u32 %r2, %tid.y; mad.lo.s32 %r3, %r2, %r0, %r1; mul.wide.s32 %d1, %r3, 4; add.s64 %d2, %d0, %d1;\n"
                       "shl.b32 %r4, %r2, 6; sub.s32 %r5, %r4, %r1; mul.lo.s32 %r6, %r1, %r1; xor.b32 %r7, %r2, %r0;\n"
                       "ld.global.u32 %r8, [%d2]; add.s32 %r9, %r8, %r1; setp.lt.s32 %p1, %r1, %r0; @%p1 add.s32 %r5, %r5, 1;\n"
                       "st.global.u32 [%d2], %r5; st.global.u32 [%d2+4], %r6; st.global.u32 [%d2+8], %r7; st.global.u32 [%d2+12], %r9;";
    CHECK_EQ(build_for(rows, "", body, &p), WF_OK);
    const struct ir_func *f = p->funcs[0];
    CHECK(result(f, PTX_O_MAD, 0)->has_row_step); // y * n + x
    CHECK_EQ(result(f, PTX_O_MAD, 0)->row_step, 1);
    CHECK(result(f, PTX_O_ADD, 0)->has_row_step); // its address
    CHECK_EQ(result(f, PTX_O_ADD, 0)->row_step, 4);
    CHECK(result(f, PTX_O_SHL, 0)->has_row_step);
    CHECK_EQ(result(f, PTX_O_SHL, 0)->row_step, 0);
    CHECK(!result(f, PTX_O_SUB, 0)->has_row_step); // some lanes have added to it
    CHECK(!result(f, PTX_O_MUL, 1)->has_row_step); // x * x
    CHECK(result(f, PTX_O_XOR, 0)->has_row_step);  // of values that are the same throughout a row
    CHECK_EQ(result(f, PTX_O_XOR, 0)->row_step, 0);
    CHECK(!result(f, PTX_O_ADD, 1)->has_row_step); // rests on memory
    rows.whole_warps = false;
    CHECK_EQ(build_for(rows, "", body, &p), WF_OK);
    CHECK(!result(p->funcs[0], PTX_O_MAD, 0)->has_row_step);
}

// A value set on both sides of a branch that splits a warp differs between lanes behind it; one set on both sides of
// a uniform branch does not.
WF_TEST(divergence)
{
    const char *text = "setp.lt.u32 %%p1, %s, 5; @%%p1 bra A; mov.u32 %%r2, 7; bra B; A: mov.u32 %%r2, 9; bar.sync 0;\n"
                       "B: bar.sync 0; add.u32 %%r3, %%r2, 1; st.global.u32 [%%d0], %%r3;";
    char body[400];
    snprintf(body, sizeof body, text, "%r1");
    const struct ir_func *f = build(body);
    CHECK_EQ(result(f, PTX_O_ADD, 0)->shape, IR_VEC);
    CHECK(f->has_divergence);
    CHECK_EQ(branches(f, false), 1);
    snprintf(body, sizeof body, text, "%r0");
    f = build(body);
    CHECK_EQ(result(f, PTX_O_ADD, 0)->shape, IR_UNI);
    CHECK(!f->has_divergence);
    CHECK_EQ(branches(f, true), 1);
}

WF_TEST(small_branches_become_guards)
{
    const struct ir_func *f = build("setp.lt.u32 %p1, %r1, 5; @!%p1 bra B; st.global.u32 [%d0], %r1; B: bar.sync 0;");
    CHECK_EQ(branches(f, false), 0);
    CHECK(find(f, PTX_O_ST, 0)->guard != IR_NONE);
}

WF_TEST(results_of_barriers)
{
    const char *aligned = "setp.lt.u32 %p1, %r1, 5; barrier.cta.red.popc.aligned.u32 %r2, 0, %p1; st.global.u32 [%d0], %r2;";
    const char *free_ = "setp.lt.u32 %p1, %r1, 5; barrier.cta.red.popc.u32 %r2, 0, %p1; st.global.u32 [%d0], %r2;";
    for (int i = 0; i < 2; i++) {
        const struct ir_func *f = build(i ? free_ : aligned);
        const struct ir_insn *st = find(f, PTX_O_ST, 0);
        CHECK_EQ(f->regs[st->src[1].reg].shape, i ? IR_VEC : IR_UNI);
    }
}

WF_TEST(calls_are_inlined)
{
    const char *twice = ".func (.param .b32 r) twice(.param .b32 x)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.u32 %r2, %r1, %r1;\n"
                        "st.param.b32 [r], %r2; ret; }";
    const char *deep = ".func (.param .b32 r) twice(.param .b32 x)\n{ .reg .b32 %r<3>; .reg .pred %p1; ld.param.b32 %r1, [x];\n"
                       "setp.eq.u32 %p1, %r1, 0; @%p1 bra E; sub.u32 %r1, %r1, 1; { .param .b32 q; .param .b32 s; st.param.b32 [q], %r1;\n"
                       "call (s), twice, (q); ld.param.b32 %r1, [s]; } E: st.param.b32 [r], %r1; ret; }";
    const char *body = "{ .param .b32 q; .param .b32 s; st.param.b32 [q], %r0; call (s), twice, (q); ld.param.b32 %r2, [s]; }\n"
                       "st.global.u32 [%d0], %r2;";
    const struct ir_func *f = build_with(twice, body);
    CHECK_EQ(count(f, PTX_O_CALL), 0);
    CHECK_EQ(count(f, PTX_O_ADD), 1);
    CHECK_EQ(result(f, PTX_O_ADD, 0)->shape, IR_UNI); // through the parameters
    struct ir_program *p;
    CHECK_EQ(try_build(deep, body, true, &p), WF_OK);
    CHECK_EQ(p->n_funcs, 2);
    CHECK_EQ(count(p->funcs[0], PTX_O_CALL), 1);
}

WF_TEST(spaces_of_generic_addresses)
{
    const struct ir_func *f = build("mov.u32 %r2, box; cvt.u64.u32 %d1, %r2; cvta.shared.u64 %d2, %d1; st.u32 [%d2+4], %r1;\n"
                                    "mov.u64 %d3, table; cvta.global.u64 %d4, %d3; st.u32 [%d4], %r1; st.u32 [%d0], %r1;");
    CHECK_EQ(find(f, PTX_O_ST, 0)->space, PTX_SP_SHARED);
    CHECK(find(f, PTX_O_ST, 0)->is_generic_addr);
    CHECK_EQ(find(f, PTX_O_ST, 1)->space, PTX_SP_GLOBAL);
    CHECK_EQ(find(f, PTX_O_ST, 2)->space, PTX_SP_GENERIC);
    CHECK_EQ(f->shared_bytes, 128);
}

WF_TEST(loops_that_wait)
{
    const struct ir_func *f = build("L: ld.acquire.gpu.global.u32 %r2, [%d0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;");
    unsigned polls = 0, dead = 0;
    for (uint32_t k = 0; k < f->n_blocks; k++)
        polls += f->blocks[k].is_poll_loop;
    CHECK_EQ(polls, 1);
    f = build("L: bra L;");
    for (uint32_t k = 0; k < f->n_blocks; k++)
        dead += f->blocks[k].is_dead_loop;
    CHECK_EQ(dead, 1);
    f = build("mov.u32 %r2, 0; L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r0; @%p1 bra L; st.global.u32 [%d0], %r2;");
    for (uint32_t k = 0; k < f->n_blocks; k++)
        CHECK(!f->blocks[k].is_poll_loop && !f->blocks[k].is_dead_loop);
}

WF_TEST(atomics_nobody_reads)
{
    const struct ir_func *f = build("atom.global.add.u32 %r2, [%d0], 1; mov.u32 %r3, %r2;\n"
                                    "atom.global.add.u32 %r4, [%d0+4], 1; st.global.u32 [%d0+8], %r4;");
    CHECK_EQ(find(f, PTX_O_ATOM, 0)->dst[0], IR_NONE);
    CHECK(find(f, PTX_O_ATOM, 1)->dst[0] != IR_NONE);
    CHECK(f->sites[find(f, PTX_O_ATOM, 0)->site].is_unread);
}

WF_TEST(matrix_instructions_meet_first)
{
    const struct ir_func *f = build(".reg .f32 %f<8>; mov.b32 %f1, %r1;\n"
                                    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f2,%f3,%f4,%f5}, {%r1,%r1,%r1,%r1}, {%r1,%r1}, {%f1,%f1,%f1,%f1};\n"
                                    "st.global.f32 [%d0], %f2;");
    CHECK_EQ(count(f, PTX_O_ELECT), 1);
    const struct ir_insn *mma = find(f, PTX_O_MMA, 0);
    CHECK_EQ(mma->n_more, 10);
    CHECK_EQ(mma->n_dst, 4);
    CHECK_EQ(f->regs[mma->dst[0]].shape, IR_VEC);
}

WF_TEST(operands_of_bulk_copies)
{
    const struct ir_func *f = build("mov.u32 %r2, box; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2+32], [%d0], 64, [%r2];\n"
                                    "cp.async.bulk.wait_group 3;");
    CHECK(f->has_bulk);
    CHECK_EQ(find(f, PTX_O_CP, 0)->n_more, 5);
    CHECK_EQ(find(f, PTX_O_CP, 1)->more[0].bits, 3);
    CHECK_EQ(find(f, PTX_O_CP, 0)->more[2].bits, 64);
}

WF_TEST(what_is_refused)
{
    static const char *const rows[][2] = {
        {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%d0, {%r1, %r1, %r1}], [%r1], {%r1};", "im2col"},
        {"vadd.s32.s32.s32 %r2, %r1, %r1; st.global.u32 [%d0], %r2;", "vadd"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ir_program *p;
        enum wf_status st = try_build("", rows[i][0], true, &p);
        CHECK_EQ(st, WF_E_UNSUPPORTED);
        CHECK_HAS(err.text, rows[i][1]);
    }
}

// The text form has all that reaches machine code: two programs that differ in one selector differ in it.
WF_TEST(text_form)
{
    struct wf_str a = {0}, b = {0};
    struct ir_program *p;
    try_build("", "vabsdiff4.u32.u32.u32 %r2, %r1.b3210, %r0, %r1; st.global.u32 [%d0], %r2;", true, &p);
    ir_print(p, &a);
    try_build("", "vabsdiff4.u32.u32.u32 %r2, %r1.b0123, %r0, %r1; st.global.u32 [%d0], %r2;", true, &p);
    ir_print(p, &b);
    CHECK(strcmp(wf_str_get(&a), wf_str_get(&b)) != 0);
    wf_str_fini(&a);
    wf_str_fini(&b);
}

// Only where nobody can tell when a store is made.
WF_TEST(stores_that_may_go_past_the_caches)
{
    static const struct {
        const char *body;
        bool may;
    } k[] = {
        {"st.global.u32 [%d0], %r1;", true},
        {"ld.global.u32 %r2, [%d0]; st.global.u32 [%d0+4], %r2;", true},
        {"st.global.u32 [%d0], %r1; bar.sync 0; ld.global.u32 %r2, [%d0+4]; st.global.u32 [%d0+8], %r2;", true}, // one worker
        {"st.global.u32 [%d0], %r1; barrier.cluster.arrive; barrier.cluster.wait;", false},
        {"st.global.u32 [%d0], %r1; membar.gl;", false},
        {"st.global.u32 [%d0], %r1; st.release.gpu.global.u32 [%d0+4], %r1;", false},
        {"st.global.u32 [%d0], %r1; st.volatile.global.u32 [%d0+4], %r1;", false},
        {"st.global.u32 [%d0], %r1; atom.global.exch.b32 %r2, [%d0+4], 1;", false},
    };
    for (unsigned i = 0; i < sizeof k / sizeof *k; i++) {
        struct ir_program *p;
        CHECK_EQ(try_build("", k[i].body, true, &p), WF_OK);
        CHECK_EQ(ir_may_stream(p), k[i].may);
    }
}
