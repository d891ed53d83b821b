// SPDX-License-Identifier: Apache-2.0
// The elementwise emitters against an H200 (tests/values): every line of ops.txt is parsed as PTX,
// emitted with 32 lanes and with one, compiled and run on the inputs that the GPU had.
// WF_VALUES_FULL names a whole recording; then every differing row is printed. WF_VALUES_ONLY: a
// piece of the text to select by.
#define WF_TEST_SECONDS 200
#include "test.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "../values/values.c"
#include "base/file.h"
#include "jit/elem.h"
#include "jit/helper.h"
#include "ptx/parse.h"

typedef void (*op_fn)(const void *in, void *out, uint64_t row);

struct suite {
    struct val_op *ops;
    uint32_t n;
    uint8_t *stored; // h200.bin, or a whole recording
    bool is_full;
    const struct ptx_func **fn; // NULL where the parser refused
    struct wf_arena arena;
};

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *s = calloc(1, (size_t)n + 1);
    if (fread(s, 1, (size_t)n, f) != (size_t)n)
        exit(1);
    fclose(f);
    return s;
}

static void parse_ops(struct suite *s, const char *text, const char *target)
{
    s->n = val_read(text, &s->ops);
    s->fn = calloc(s->n, sizeof *s->fn);
    wf_arena_init(&s->arena, "values");
    for (uint32_t k = 0; k < s->n; k++) {
        char body[1500], ptx[2000];
        struct ptx_module *m;
        struct wf_err err;
        val_body(&s->ops[k], body, sizeof body);
        snprintf(ptx, sizeof ptx,
                 ".version 9.0\n.target %s\n.address_size 64\n"
                 ".visible .entry op%u()\n{\n%sret;\n}\n",
                 target, k, body);
        if (ptx_parse(&s->arena, "ops.txt", ptx, strlen(ptx), &m, &err) == WF_OK)
            s->fn[k] = m->funcs[0];
        else
            CHECK_STR(s->ops[k].text, err.text);
    }
}

static void load(struct suite *s)
{
    parse_ops(s, read_all(WF_TEST_DATA "/values/ops.txt"), "sm_90");
    const char *full = getenv("WF_VALUES_FULL");
    s->is_full = full != NULL;
    s->stored = (uint8_t *)read_all(full ? full : WF_TEST_DATA "/values/h200.bin");
}

static void init_types(struct jit *j, LLVMContextRef cx)
{
    j->cx = cx;
    j->i1 = LLVMInt1TypeInContext(cx);
    j->i8 = LLVMInt8TypeInContext(cx);
    j->i16 = LLVMInt16TypeInContext(cx);
    j->i32 = LLVMInt32TypeInContext(cx);
    j->i64 = LLVMInt64TypeInContext(cx);
    j->f16 = LLVMHalfTypeInContext(cx);
    j->bf16 = LLVMBFloatTypeInContext(cx);
    j->f32 = LLVMFloatTypeInContext(cx);
    j->f64 = LLVMDoubleTypeInContext(cx);
    j->ptr = LLVMPointerTypeInContext(cx, 0);
    j->void_t = LLVMVoidTypeInContext(cx);
}

// Width in which an emitter wants source i: the type's, cvt's second type, 32 for counts, 1 for
// predicates.
static unsigned wanted_bits(const struct ptx_insn *in, unsigned i, unsigned have)
{
    bool narrow = in->op == PTX_O_CVT && i == 0 &&
                  ptx_type_bits((enum ptx_type)in->m.type[1]) == 8 &&
                  ptx_type_kind((enum ptx_type)in->m.type[1]) != 'F';
    return narrow ? 8 : have;
}

static void emit_insn(struct jit *j, const struct ptx_insn *in, jv *regs, jv *carry)
{
    struct ir_insn ir = {
        .op = (uint16_t)in->op, .m = in->m, .type = in->m.type[0], .has_pair = in->has_pair};
    jv s[8], d[3] = {NULL, NULL, NULL};
    unsigned n_dst = in->has_pair ? 2 : 1;
    for (unsigned i = n_dst; i < in->n_x; i++) {
        const struct ptx_operand *x = &in->x[i];
        jv v;
        if (x->kind == PTX_X_REG) {
            v = regs[x->reg->id];
            v = e_fit(j, v, wanted_bits(in, i - n_dst, e_bits(v)), false);
        } else {
            unsigned bits = ptx_type_bits((enum ptx_type)in->m.type[0]);
            v = jit_const(j, bits, x->bits);
        }
        s[ir.n_src++] = x->is_negated ? e_not(j, v) : v;
    }
    if (in->op == PTX_O_ADDC || in->op == PTX_O_SUBC || in->op == PTX_O_MADC)
        s[ir.n_src++] = *carry;
    ir.n_dst = (uint8_t)n_dst;
    jit_elem_fn fn = jit_elem_find(in->op);
    if (!fn) {
        printf("no emitter for %s\n", ptx_op_name(in->op));
        exit(1);
    }
    fn(j, &ir, s, d);
    if (j->error[0]) {
        printf("%s\n", j->error);
        exit(1);
    }
    for (unsigned i = 0; i < n_dst; i++) {
        const struct ptx_var *r = in->x[i].reg;
        unsigned bits = ptx_type_bits(r->type);
        regs[r->id] =
            bits == 1 ? d[i] : e_fit(j, d[i], bits, e_is_signed((enum ptx_type)in->m.type[0]));
    }
    if (ptx_has(&in->m, PTX_M_CC))
        *carry = d[1];
}

static LLVMValueRef address(struct jit *j, LLVMValueRef base, LLVMValueRef row, uint64_t off,
                            unsigned bytes)
{
    LLVMValueRef at =
        e_add(j, e_mul(j, row, LLVMConstInt(j->i64, bytes, 0)), LLVMConstInt(j->i64, off, 0));
    return LLVMBuildGEP2(j->b, j->i8, base, &at, 1, "");
}

static void emit_op(struct jit *j, const struct val_op *op, const struct ptx_func *f)
{
    LLVMTypeRef at[3] = {j->ptr, j->ptr, j->i64};
    j->fn = LLVMAddFunction(j->mod, f->name, LLVMFunctionType(j->void_t, at, 3, 0));
    LLVMPositionBuilderAtEnd(j->b, LLVMAppendBasicBlockInContext(j->cx, j->fn, ""));
    jv regs[32] = {NULL}, carry = NULL, row = LLVMGetParam(j->fn, 2);
    for (uint32_t i = 0; i < f->n_regs;
         i++) { // sources are loaded into the registers of their names
        const struct ptx_var *r = f->regs[i];
        unsigned bits = ptx_type_bits(r->type);
        const char *at_name = strchr("abce", r->name[0]);
        regs[i] = jit_const(j, bits, 0);
        if (!at_name || (bits == 1) || (r->name[1] && r->name[1] != '1'))
            continue;
        unsigned k = (unsigned)(at_name - "abce");
        jv p = address(j, LLVMGetParam(j->fn, 0), row, (uint64_t)k * 8 * VAL_N, bits / 8);
        regs[i] = LLVMBuildLoad2(j->b, jit_int(j, bits), p, "");
        LLVMSetAlignment(regs[i], bits / 8);
    }
    for (uint32_t i = 0; i < f->n_insns; i++)
        if (f->insns[i].op != PTX_O_RET)
            emit_insn(j, &f->insns[i], regs, &carry);
    for (uint32_t i = 0; i < f->n_regs; i++) {
        const struct ptx_var *r = f->regs[i];
        if (strcmp(r->name, op->dst.bits == 1 ? "d1" : "d"))
            continue;
        jv p = address(j, LLVMGetParam(j->fn, 1), row, 0, val_bytes(&op->dst));
        LLVMSetAlignment(LLVMBuildStore(j->b, regs[i], p), val_bytes(&op->dst));
    }
    LLVMBuildRetVoid(j->b);
}

static void must(LLVMErrorRef e)
{
    if (e) {
        printf("%s\n", LLVMGetErrorMessage(e));
        exit(1);
    }
}

static LLVMTargetMachineRef host_machine(void)
{
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
         *feat = LLVMGetHostCPUFeatures();
    LLVMTargetRef t;
    char *msg;
    const char *attr = getenv("WF_VALUES_FEATURES"); // to try other processors
    LLVMGetTargetFromTriple(triple, &t, &msg);
    return LLVMCreateTargetMachine(t, triple, attr ? "x86-64" : cpu, attr ? attr : feat,
                                   LLVMCodeGenLevelDefault, LLVMRelocDefault,
                                   LLVMCodeModelJITDefault);
}

// The tables and LLVM's objects here live as long as the test does; leaks of the tool are other tests' matter.
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static void define_helpers(LLVMOrcLLJITRef jit)
{
    static const struct {
        const char *name;
        void (*at)(const void *const *, void *, uint32_t);
    } rows[] = {
#define JIT_HELPER(name) {#name, name},
#include "jit/helper.def"
#undef JIT_HELPER
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        LLVMOrcCSymbolMapPair pair = {LLVMOrcLLJITMangleAndIntern(jit, rows[i].name),
                                      {(LLVMOrcExecutorAddress)(uintptr_t)rows[i].at,
                                       {LLVMJITSymbolGenericFlagsExported, 0}}};
        must(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit),
                                   LLVMOrcAbsoluteSymbols(&pair, 1)));
    }
    LLVMOrcDefinitionGeneratorRef process; // memcpy and friends
    must(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL));
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
}

static bool is_wanted(const struct val_op *op)
{
    const char *only = getenv("WF_VALUES_ONLY");
    return !only || strstr(op->text, only);
}

static LLVMOrcLLJITRef compile(struct suite *s, int lanes)
{
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMOrcThreadSafeContextRef ts = LLVMOrcCreateNewThreadSafeContext();
    struct jit j = {.lanes = lanes};
    init_types(&j, LLVMOrcThreadSafeContextGetContext(ts));
    j.mod = LLVMModuleCreateWithNameInContext("values", j.cx);
    j.b = LLVMCreateBuilderInContext(j.cx);
    LLVMTargetMachineRef tm = host_machine();
    LLVMSetTarget(j.mod, LLVMGetTargetMachineTriple(tm));
    LLVMSetModuleDataLayout(j.mod, LLVMCreateTargetDataLayout(tm));
    for (uint32_t k = 0; k < s->n; k++)
        if (s->fn[k] && is_wanted(&s->ops[k]))
            emit_op(&j, &s->ops[k], s->fn[k]);
    char *msg = NULL;
    if (LLVMVerifyModule(j.mod, LLVMReturnStatusAction, &msg)) {
        printf("%s\n", msg);
        exit(1);
    }
    must(LLVMRunPasses(j.mod,
                       "function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg)", tm,
                       LLVMCreatePassBuilderOptions()));
    if (getenv("WF_VALUES_ASM")) {
        LLVMTargetMachineEmitToFile(tm, j.mod, getenv("WF_VALUES_ASM"), LLVMAssemblyFile, &msg);
        exit(0);
    }
    LLVMOrcLLJITRef jit;
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(tm));
    must(LLVMOrcCreateLLJIT(&jit, builder));
    define_helpers(jit);
    must(LLVMOrcLLJITAddLLVMIRModule(jit, LLVMOrcLLJITGetMainJITDylib(jit),
                                     LLVMOrcCreateNewThreadSafeModule(j.mod, ts)));
    return jit;
}

static uint64_t result_at(const void *p, uint32_t bytes, uint32_t row)
{
    uint64_t v = 0;
    memcpy(&v, (const uint8_t *)p + (size_t)row * bytes, bytes);
    return v;
}

static void complain(const struct val_op *op, uint32_t row, uint64_t ours, uint64_t gpu)
{
    printf("  row %u:", row);
    for (uint32_t i = 0; i < op->n_src; i++)
        printf(" %0*llx", (int)op->src[i].bits / 4, (unsigned long long)val_input(op, i, row));
    printf(" gives %llx, H200 %llx\n", (unsigned long long)ours, (unsigned long long)gpu);
}

// Compares; *stored moves on to the next operation. Returns the number of wrong rows or blocks.
static uint32_t compare(const struct suite *s, const struct val_op *op, const uint8_t *out,
                        const uint8_t **stored)
{
    uint32_t bytes = val_bytes(&op->dst), bad = 0, whole = s->is_full ? VAL_N : VAL_STORED;
    const uint8_t *p = *stored;
    if (!s->is_full) {
        CHECK_EQ(result_at(p, 4, 0), val_hash(op->text, (uint32_t)strlen(op->text)));
        p += 4;
    }
    for (uint32_t row = 0; row < whole; row++) {
        uint64_t ours = result_at(out, bytes, row), gpu = result_at(p, bytes, row);
        if (ours != gpu && bad++ < 6)
            complain(op, row, ours, gpu);
    }
    p += (size_t)whole * bytes;
    for (uint32_t h = 0; whole < VAL_N && h < VAL_HASHES; h++, p += 4) {
        uint32_t sum = val_hash(out + (VAL_STORED + h * VAL_BLOCK) * bytes, VAL_BLOCK * bytes);
        bad += sum != result_at(p, 4, 0);
    }
    if (bad)
        printf("  %u wrong: %s\n", bad, op->text);
    *stored = p;
    return bad;
}

static void skip(const struct suite *s, const struct val_op *op, const uint8_t **stored)
{
    uint32_t bytes = val_bytes(&op->dst);
    *stored += s->is_full ? VAL_N * bytes : 4 + VAL_STORED * bytes + 4 * VAL_HASHES;
}

static op_fn look_up(const struct suite *s, LLVMOrcLLJITRef jit, uint32_t k)
{
    LLVMOrcExecutorAddress at;
    must(LLVMOrcLLJITLookup(jit, &at, s->fn[k]->name));
    return (op_fn)(uintptr_t)at;
}

static void check_all(int lanes)
{
    static struct suite s;
    load(&s);
    LLVMOrcLLJITRef jit = compile(&s, lanes);
    uint8_t *in = aligned_alloc(64, VAL_MAX_SRC * 8 * VAL_N), *out = aligned_alloc(64, 8 * VAL_N);
    const uint8_t *stored = s.stored;
    uint32_t n_bad = 0;
    for (uint32_t k = 0; k < s.n; k++) {
        const struct val_op *op = &s.ops[k];
        if (!s.fn[k] || !is_wanted(op)) {
            skip(&s, op, &stored);
            continue;
        }
        for (uint32_t i = 0; i < op->n_src; i++)
            for (uint32_t row = 0; row < VAL_N; row++) {
                uint64_t v = val_input(op, i, row);
                memcpy(in + i * 8 * VAL_N + row * val_bytes(&op->src[i]), &v,
                       val_bytes(&op->src[i]));
            }
        op_fn fn = look_up(&s, jit, k);
        for (uint32_t row = 0; row < VAL_N; row += (uint32_t)lanes)
            fn(in, out, row);
        n_bad += compare(&s, op, out, &stored) != 0;
    }
    CHECK_EQ(n_bad, 0);
}

WF_TEST(values_32_lanes)
{
    check_all(32);
}

WF_TEST(values_1_lane)
{
    check_all(1);
}

// Long rows by their hash alone: every significand, every exponent, every f16.
WF_TEST(sweeps)
{
    static struct suite s;
    setenv("WF_VALUES_ONLY", ".approx", 0);
    load(&s);
    LLVMOrcLLJITRef jit = compile(&s, 32);
    uint8_t *in = aligned_alloc(64, 8 * VAL_N), *out = aligned_alloc(64, 8 * VAL_N);
    char *text = read_all(WF_TEST_DATA "/values/sweeps.txt"), *line;
    while ((line = strsep(&text, "\n")) != NULL) {
        struct val_sweep w;
        uint32_t k = 0, hash = 0;
        if (!val_sweep_read(line, &w))
            continue;
        while (k < s.n && strcmp(s.ops[k].text, w.text))
            k++;
        if (k == s.n || !is_wanted(&s.ops[k]))
            continue;
        op_fn fn = look_up(&s, jit, k);
        uint32_t bytes = val_bytes(&s.ops[k].src[0]);
        for (uint32_t done = 0; done < w.count; done += VAL_N) {
            for (uint32_t row = 0; row < VAL_N; row++) {
                uint32_t v = w.first + (done + row) * w.step;
                memcpy(in + row * bytes, &v, bytes);
            }
            for (uint32_t row = 0; row < VAL_N; row += 32)
                fn(in, out, row);
            hash = hash * 31 + val_hash(out, VAL_N * val_bytes(&s.ops[k].dst));
        }
        if (hash != w.hash)
            printf("  %s from %08x:\n", w.text, w.first);
        CHECK_EQ(hash, w.hash);
    }
}

// ---- forms of later GPUs, against the same thing said with instructions that are recorded ----
static void run_half(const struct val_op *packed, unsigned half, op_fn fn, uint8_t *in,
                     uint32_t *out)
{
    for (uint32_t i = 0; i < packed->n_src; i++)
        for (uint32_t row = 0; row < VAL_N; row++) {
            uint32_t v = (uint32_t)(val_input(packed, i, row) >> (32 * half));
            memcpy(in + i * 8 * VAL_N + row * 4, &v, 4);
        }
    for (uint32_t row = 0; row < VAL_N; row += 32)
        fn(in, out, row);
}

WF_TEST(pairs_of_f32)
{
    static const char text[] =
        "f32x2 f32x2 f32x2 | {add,sub,mul}.{rn,rz}.{f32x2,ftz.f32x2} d, a, b\n"
        "f32x2 f32x2 f32x2 f32x2 | fma.{rn,rm}.{f32x2,ftz.f32x2} d, a, b, c\n"
        "f32 f32 f32 | {add,sub,mul}.{rn,rz}.{f32,ftz.f32} d, a, b\n"
        "f32 f32 f32 f32 | fma.{rn,rm}.{f32,ftz.f32} d, a, b, c\n";
    static struct suite s;
    parse_ops(&s, text, "sm_100");
    LLVMOrcLLJITRef jit = compile(&s, 32);
    uint8_t *in = aligned_alloc(64, VAL_MAX_SRC * 8 * VAL_N);
    uint64_t *both = aligned_alloc(64, 8 * VAL_N);
    uint32_t *one = aligned_alloc(64, 4 * VAL_N), n = s.n / 2;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t bad = 0;
        for (uint32_t i = 0; i < s.ops[k].n_src; i++)
            for (uint32_t row = 0; row < VAL_N; row++) {
                uint64_t v = val_input(&s.ops[k], i, row);
                memcpy(in + i * 8 * VAL_N + row * 8, &v, 8);
            }
        for (uint32_t row = 0; row < VAL_N; row += 32)
            look_up(&s, jit, k)(in, both, row);
        for (unsigned half = 0; half < 2; half++) {
            run_half(&s.ops[k], half, look_up(&s, jit, n + k), in, one);
            for (uint32_t row = 0; row < VAL_N; row++)
                bad += (uint32_t)(both[row] >> (32 * half)) != one[row];
        }
        CHECK_EQ(bad, 0);
    }
}

WF_TEST(extremes_of_three)
{
    static const char text[] = "f32 f32 f32 f32 | min.{f32,ftz.f32,NaN.f32} d, a, b, c\n"
                               "f32 f32 f32 f32 | min.f32 d, a, b; min.f32 d, d, c\n";
    static struct suite s;
    parse_ops(&s, text, "sm_100");
    LLVMOrcLLJITRef jit = compile(&s, 32);
    uint8_t *in = aligned_alloc(64, VAL_MAX_SRC * 8 * VAL_N);
    uint32_t *three = aligned_alloc(64, 4 * VAL_N), *two = aligned_alloc(64, 4 * VAL_N);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t row = 0; row < VAL_N; row++) {
            uint64_t v = val_input(&s.ops[0], i, row);
            memcpy(in + i * 8 * VAL_N + row * 4, &v, 4);
        }
    for (uint32_t row = 0; row < VAL_N; row += 32) {
        look_up(&s, jit, 0)(in, three, row);
        look_up(&s, jit, 3)(in, two, row);
    }
    CHECK(memcmp(three, two, 4 * VAL_N) == 0);
}
