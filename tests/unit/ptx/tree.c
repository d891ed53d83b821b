// SPDX-License-Identifier: Apache-2.0
// What the parser puts into the tree: the parts that readers rely on.
#include "base/arena.h"
#include "base/str.h"
#include "ptx/diag.h"
#include "ptx/parse.h"
#include "test.h"

#define HEAD ".version 9.0\n.target sm_90a\n.address_size 64\n"

static struct wf_arena arena;
static struct wf_err err;

static const struct ptx_module *parse(const char *text)
{
    struct ptx_module *m = NULL;
    wf_arena_init(&arena, "test");
    if (ptx_parse(&arena, "t.ptx", text, strlen(text), &m, &err) != WF_OK) {
        WF_TEST_FAIL("line %u: %s", err.line, err.text);
        exit(1);
    }
    return m;
}

// One function with the usual registers and this body.
static const struct ptx_func *body(const char *text)
{
    const char *form =
        HEAD ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
             ".shared .u32 sh[8];\n"
             ".visible .entry k(.param .u64 p0)\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<9>;\n"
             ".reg .b64 %%rd<4>;\n.reg .f32 %%f<4>;\n%s\n}\n";
    struct wf_str s = {0};
    wf_str_printf(&s, form, text);
    const struct ptx_module *m = parse(wf_str_get(&s));
    wf_str_fini(&s);
    return m->funcs[m->n_funcs - 1];
}

static void done(void)
{
    wf_arena_fini(&arena);
}

WF_TEST(header)
{
    const struct ptx_module *m = parse(".version 8.1\n.target sm_100f, debug\n.address_size 64\n");
    CHECK_EQ(m->version, 81);
    CHECK_EQ(m->sm, 100);
    CHECK_EQ(m->sm_suffix, 'f');
    CHECK(m->is_debug);
    CHECK_EQ(m->address_bits, 64);
    CHECK_EQ(m->n_locs, 1);
    CHECK_EQ(m->n_files, 1);
    done();
}

WF_TEST(modifiers)
{
    const struct ptx_func *f =
        body("atom.global.cta.acquire.add.u32 %r1, [%rd1], 1;\n"
             "cvt.rzi.ftz.s32.f32 %r1, %f1;\n"
             "setp.lo.or.u32 %p1|%p2, %r1, %r2, !%p3;\n"
             "ld.volatile.shared.v4.u32 {%r1, %r2, %r3, _}, [sh+4];\n"
             "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
             "[%r1], [%rd1], %r2, [%r3];\n");
    const struct ptx_mods *m = &f->insns[0].m;
    CHECK_EQ(m->space, PTX_SP_GLOBAL);
    CHECK_EQ(m->scope, PTX_SC_CTA);
    CHECK_EQ(m->sem, PTX_SEM_ACQUIRE);
    CHECK(PTX_IS(m->sub, ADD));
    CHECK_EQ(m->type[0], PTX_T_U32);
    m = &f->insns[1].m;
    CHECK(PTX_IS(m->rnd, RZI));
    CHECK(ptx_has(m, PTX_M_FTZ));
    CHECK_EQ(m->n_types, 2);
    CHECK_EQ(m->type[1], PTX_T_F32);
    m = &f->insns[2].m;
    CHECK(PTX_IS(m->cmp, LO));
    CHECK(PTX_IS(m->sub, OR));
    CHECK(f->insns[2].has_pair);
    CHECK_EQ(f->insns[2].n_x, 5);
    CHECK(f->insns[2].x[4].is_negated);
    m = &f->insns[3].m;
    CHECK_EQ(m->vec, 4);
    CHECK_EQ(m->sem, PTX_SEM_VOLATILE);
    CHECK_EQ(f->insns[3].x[0].elem[3].kind, PTX_X_SINK);
    CHECK_EQ(f->insns[3].x[1].bits, 4);
    CHECK_STR(f->insns[3].x[1].var->name, "sh");
    m = &f->insns[4].m;
    CHECK_EQ(m->space, PTX_SP_SHARED_CLUSTER);
    CHECK_EQ(m->space2, PTX_SP_GLOBAL);
    done();
}

WF_TEST(operands)
{
    const struct ptx_func *f =
        body("mov.u32 %r1, %ntid.z;\nmov.u32 %r1, %envreg7;\nmov.s32 %r1, -5;\n"
             "mov.f32 %f1, 0fBF800000;\nmov.f64 %rd1, -2.5;\nmov.u32 %r2, sh+12;\n"
             "ld.shared.u32 %r1, [%r2+-8];\nmov.u32 %r1, WARP_SZ;\n"
             "mov.b64 {%r1, _}, %rd1;\nld.global.u32 {%r1}, [%rd1];\n");
    const struct ptx_insn *in = f->insns;
    CHECK_EQ(in[0].x[1].sreg, PTX_SR_NTID);
    CHECK_EQ(in[0].x[1].comp, 2);
    CHECK_EQ(in[1].x[1].sreg, PTX_SR_ENVREG);
    CHECK_EQ(in[1].x[1].comp, 7);
    CHECK_EQ(in[2].x[1].bits, UINT64_MAX - 4);
    CHECK(in[3].x[1].is_f32);
    CHECK_EQ(in[3].x[1].bits, 0xBF800000);
    CHECK_EQ(in[4].x[1].bits, 0xC004000000000000);
    CHECK_EQ(in[5].x[1].kind, PTX_X_VAR);
    CHECK_EQ(in[5].x[1].bits, 12);
    CHECK_EQ(in[6].x[1].kind, PTX_X_MEM);
    CHECK_EQ(in[6].x[1].bits, UINT64_MAX - 7);
    CHECK_EQ(in[7].x[1].bits, 32);
    CHECK_EQ(in[8].x[0].n_elem, 2);
    CHECK_EQ(in[9].x[0].kind, PTX_X_REG); // a vector of one is its element
    done();
}

WF_TEST(scopes)
{
    const struct ptx_func *f = body("mov.u32 %r1, 0;\n{\n.reg .b64 %r<3>;\nmov.u64 %r1, 1;\n"
                                    "mov.u32 %r8, 2;\n{ .reg .b32 %r1; mov.u32 %r1, 3; }\n"
                                    "mov.u64 %r1, 4;\n}\nmov.u32 %r1, 5;\n");
    const struct ptx_insn *in = f->insns;
    CHECK_EQ(f->n_insns, 6);
    CHECK(in[0].x[0].reg == in[5].x[0].reg);
    CHECK(in[1].x[0].reg == in[4].x[0].reg);
    CHECK(in[1].x[0].reg != in[0].x[0].reg);
    CHECK(in[3].x[0].reg != in[0].x[0].reg && in[3].x[0].reg != in[1].x[0].reg);
    CHECK_EQ(in[2].x[0].reg->type, PTX_T_B32);
    CHECK_EQ(f->n_regs, 4);
    for (uint32_t i = 0; i < f->n_regs; i++)
        CHECK_EQ(f->regs[i]->id, i);
    done();
}

WF_TEST(labels)
{
    const struct ptx_func *f =
        body("@!%p1 bra OUT;\n{\nbra IN;\nOUT: bra IN;\nIN: bra OUT;\n}\n"
             "ts: .branchtargets OUT, END;\nbrx.idx %r1, ts;\nOUT: ret;\nEND:\n");
    const struct ptx_insn *in = f->insns;
    CHECK_EQ(f->n_labels, 4);
    CHECK_EQ(in[0].x[0].label->index, 5); // the outer OUT
    CHECK(in[0].guard_negated);
    CHECK_EQ(in[1].x[0].label->index, 3);
    CHECK_EQ(in[3].x[0].label->index, 2); // the inner OUT
    CHECK_EQ(in[4].n_targets, 2);
    CHECK_EQ(in[4].targets[0]->index, 5);
    CHECK_EQ(in[4].targets[1]->index, f->n_insns);
    done();
}

WF_TEST(calls)
{
    const struct ptx_func *f =
        body("{ .param .b64 a; .param .b64 b; .param .b32 r;\n"
             "call.uni (r), vprintf, (a, b);\n"
             "pr: .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n"
             "call (r), %rd1, (a), pr;\n"
             "cs: .calltargets vprintf;\ncall (r), %rd1, (a, b), cs;\n}\n");
    const struct ptx_insn *in = f->insns;
    CHECK_EQ(in[0].n_ret, 1);
    CHECK_EQ(in[0].n_x, 4);
    CHECK_STR(in[0].x[1].func->name, "vprintf");
    CHECK_EQ(in[1].x[1].kind, PTX_X_REG);
    CHECK_EQ(in[1].proto->n_param, 1);
    CHECK(in[1].proto->is_noreturn);
    CHECK_EQ(in[2].n_callees, 1);
    CHECK_STR(in[2].callees[0]->name, "vprintf");
    CHECK_EQ(f->n_vars, 3);
    done();
}

WF_TEST(initialisers)
{
    const struct ptx_module *m = parse(
        HEAD ".global .u32 a[2][2] = {{1, 2}, {0xffffffff}};\n"
             ".func f() { ret; }\n"
             ".global .u64 p[3] = {a+4, generic(a)+8, f};\n"
             ".global .b8 q[3] = {0xff0000(a), 7, 0xff(a+1)};\n"
             ".global .f32 x = 0.5;\n.const .s16 y = -2;\n.global .f64 z[] = {0f3F800000, 2.0};\n"
             ".extern .shared .align 16 .b8 dyn[];\n");
    uint32_t words[3];
    CHECK_EQ(m->vars[0]->bytes, 16);
    CHECK_EQ(m->vars[0]->init_bytes, 12);
    memcpy(words, m->vars[0]->init, sizeof words);
    CHECK_EQ(words[1], 2);
    CHECK_EQ(words[2], 0xffffffff);
    const struct ptx_var *p = m->vars[1], *q = m->vars[2];
    CHECK_EQ(p->n_relocs, 3);
    CHECK(p->relocs[0].var == m->vars[0]);
    CHECK_EQ(p->relocs[0].addend, 4);
    CHECK(p->relocs[1].is_generic);
    CHECK_EQ(p->relocs[1].offset, 8);
    CHECK(p->relocs[2].func == m->funcs[0]);
    CHECK_EQ(q->relocs[0].shift, 16);
    CHECK_EQ(q->relocs[0].bytes, 1);
    CHECK_EQ(q->init[1], 7);
    CHECK_EQ(q->relocs[1].offset, 2);
    CHECK_EQ(q->relocs[1].addend, 1);
    CHECK_EQ(m->vars[3]->init[3], 0x3f);
    CHECK_EQ(m->vars[4]->init[0], 0xfe);
    CHECK_EQ(m->vars[5]->bytes, 16);
    CHECK_EQ(m->vars[5]->init[7], 0x3f);
    CHECK_EQ(m->vars[6]->bytes, 0);
    CHECK_EQ(m->vars[6]->align, 16);
    done();
}

WF_TEST(declared_ahead)
{
    const struct ptx_module *m = parse(HEAD ".func g(.param .b32 a);\n.extern .global .u32 v;\n"
                                            ".entry k() { .param .b32 a; call g, (a); ret; }\n"
                                            ".visible .global .u32 v = 9;\n"
                                            ".weak .func g(.param .b32 b) { ret; }\n");
    CHECK_EQ(m->n_funcs, 2);
    CHECK_EQ(m->n_vars, 1);
    CHECK(m->funcs[0]->has_body && m->funcs[0]->is_weak);
    CHECK(m->funcs[1]->insns[0].x[0].func == m->funcs[0]);
    CHECK(!m->vars[0]->is_extern && m->vars[0]->is_visible);
    CHECK_EQ(m->vars[0]->init[0], 9);
    done();
}

WF_TEST(locations)
{
    const struct ptx_module *m =
        parse(HEAD ".file 1 \"a.cu\"\n.entry k()\n{\nexit;\n.loc 1 10 5\nexit;\n"
                   ".loc 1 20 3, function_name $s0, inlined_at 1 10 5\nexit;\n"
                   ".loc 1 30 1, function_name $s0+2, inlined_at 1 20 3\nexit;\n}\n"
                   ".section .debug_str\n{\n$s0:\n.b8 102,0,103,0\n}\n");
    const struct ptx_insn *in = m->funcs[0]->insns;
    CHECK_EQ(in[0].loc, 0);
    CHECK_EQ(m->locs[in[1].loc].line, 10);
    const struct ptx_loc *l = &m->locs[in[3].loc];
    CHECK_EQ(l->line, 30);
    CHECK_STR(l->function, "g");
    CHECK_STR(l->inlined_at->function, "f");
    CHECK_EQ(l->inlined_at->line, 20);
    CHECK_EQ(l->inlined_at->inlined_at->line, 10);
    CHECK(l->inlined_at->inlined_at->inlined_at == NULL);
    CHECK_STR(m->files[1], "a.cu");
    done();
}

WF_TEST(pragmas)
{
    const struct ptx_func *f =
        body(".pragma \"nounroll\";\n.pragma \"used_bytes_mask 3\";\nexit;\nexit;\n");
    CHECK_EQ(f->insns[0].n_pragmas, 2);
    CHECK_STR(f->insns[0].pragmas[1], "used_bytes_mask 3");
    CHECK_EQ(f->insns[1].n_pragmas, 0);
    done();
}

WF_TEST(huge_range_is_free)
{
    const struct ptx_module *m = parse(HEAD ".entry k() { .reg .b32 r<4000000000>; "
                                            "mov.u32 r399999999, 1; ret; }\n");
    CHECK_EQ(m->funcs[0]->n_regs, 1);
    CHECK(arena.used_bytes < 1 << 20);
    done();
}

WF_TEST(nul_ends_the_text)
{
    static const char text[] = HEAD ".global .u32 a;\n\0garbage";
    struct ptx_module *m;
    wf_arena_init(&arena, "test");
    CHECK_EQ(ptx_parse(&arena, "t.ptx", text, sizeof text - 1, &m, &err), WF_OK);
    CHECK_EQ(m->n_vars, 1);
    done();
}

WF_TEST(caret)
{
    static const char text[] = HEAD ".entry k()\n{\n\tadd.s32 r1, 2, 3;\n}\n";
    struct ptx_module *m;
    struct wf_str s = {0};
    wf_arena_init(&arena, "test");
    CHECK_EQ(ptx_parse(&arena, "t.ptx", text, sizeof text - 1, &m, &err), WF_E_INPUT);
    CHECK(m == NULL);
    ptx_diag_format(&err, text, sizeof text - 1, &s);
    CHECK_STR(wf_str_get(&s), "t.ptx:6:10: error: 'r1' is not declared\n"
                              "     add.s32 r1, 2, 3;\n"
                              "             ^\n");
    wf_str_fini(&s);
    done();
}

WF_TEST(one_instruction_printed)
{
    const struct ptx_func *f = body("@!%p1 mad.lo.s32 %r1, %r2, -3, %r4;\n");
    struct wf_str s = {0};
    ptx_print_insn(NULL, &f->insns[0], &s);
    CHECK_STR(wf_str_get(&s), "@!%p1 mad.lo.s32 %r1, %r2, -3, %r4;");
    wf_str_fini(&s);
    done();
}
