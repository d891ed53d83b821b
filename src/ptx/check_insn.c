// SPDX-License-Identifier: Apache-2.0
// Legality of operands: kinds, number, register sizes, state spaces. Register types follow PTX ISA
// "Operand Type Checking": .bN agrees with everything of its size, integers agree among each other,
// floats only with the same float; ld, st and cvt take wider registers.
#include <stdio.h>  // snprintf
#include <stdlib.h> // strtoul
#include <string.h> // memchr

#include "ptx/check.h"
#include "ptx/form.h"
#include "ptx/parser.h"

static enum ptx_type wide_of(enum ptx_type t)
{
    switch (ptx_type_bits(t)) {
    case 16:
        return ptx_type_kind(t) == 'S' ? PTX_T_S32 : PTX_T_U32;
    default:
        return ptx_type_kind(t) == 'S' ? PTX_T_S64 : PTX_T_U64;
    }
}

static enum ptx_type named_type(const char *s, size_t n, const struct ptx_opcode *o)
{
    if (n == 4 && memcmp(s, "wide", 4) == 0)
        return wide_of((enum ptx_type)o->m.type[0]);
    for (int t = (int)PTX_T_NONE + 1; t < (int)PTX_T_COUNT; t++) {
        const char *name = ptx_type_name((enum ptx_type)t);
        if (strlen(name) == n && memcmp(name, s, n) == 0)
            return (enum ptx_type)t;
    }
    wf_assert_fail("form.def names types of type.def", __FILE__, __LINE__);
}

void ptx__compile_form(struct ptx_use *use, const struct ptx_form *form, const struct ptx_opcode *o)
{
    use->form = form;
    for (const char *s = form->operands; *s != 0;) {
        size_t n = strcspn(s, " "), i = 0;
        struct ptx_spec *x = &use->spec[use->n_specs];
        unsigned slot = 1;
        bool is_absent = false;
        WF_ASSERT(use->n_specs < PTX_MAX_SPECS);
        *x = (struct ptx_spec){0};
        x->is_pair = s[i] == '|';
        i += x->is_pair;
        x->letter = s[i++];
        if (i < n && s[i] == ':') {
            size_t len = strspn(s + i + 1, "abcdefghijklmopqrstuvwxyz0123456789");
            if (len > 0 && s[i + len] == 'h' && s[i + 1] != 'h') // the flag behind a type
                len--;
            x->type = named_type(s + i + 1, len, o);
            i += 1 + len;
        } else {
            if (i < n && s[i] >= '1' && s[i] <= '6')
                slot = (unsigned)(s[i++] - '0');
            x->type = slot <= o->m.n_types ? (enum ptx_type)o->m.type[slot - 1] : PTX_T_NONE;
        }
        const char *range = memchr(s + i, '=', n - i);
        if (range != NULL) {
            x->has_range = true;
            char *next;
            x->least = (uint32_t)strtoul(range + 1, &next, 10);
            x->most = (uint32_t)strtoul(next + 1, NULL, 10);
        }
        for (; i < n; i++) {
            x->is_optional |= s[i] == '?';
            x->may_sink |= s[i] == '_';
            x->is_vec |= s[i] == 'v' && o->m.vec > 1;
            x->no_imm |= s[i] == 'n';
            is_absent |= s[i] == 'h' && !ptx_has(&o->m, PTX_M_L2_CACHE_HINT);
        }
        x->bits = ptx_type_bits(x->type);
        x->kind = ptx_type_kind(x->type);
        use->n_specs += !is_absent;
        use->n_required += !is_absent && !x->is_optional;
        s += n;
        while (*s == ' ')
            s++;
    }
}

// A complaint about one operand: a sentence into buf. NULL means that all is well.
enum { SENTENCE = 200 };

static bool agrees(const struct ptx_spec *x, const struct ptx_var *reg, bool is_wider_ok)
{
    uint32_t bits = ptx_type_bits(reg->type);
    char kind = ptx_type_kind(reg->type);
    if (x->kind == 'P' || kind == 'P')
        return x->kind == kind;
    if (is_wider_ok ? bits < x->bits : bits != x->bits)
        return false;
    if (kind == 'B' || x->kind == 'B')
        return true;
    if (kind == 'F' || x->kind == 'F')
        return reg->type == x->type ||
               (kind == 'F' && x->kind == 'F' && bits == x->bits && bits == 32 &&
                x->type != PTX_T_F32 && reg->type != PTX_T_F32);
    return true;
}

static const char *bad_reg(const struct ptx_spec *x, const struct ptx_operand *o, bool is_wider_ok,
                           char *buf)
{
    if (o->reg->vec > 1 && o->comp == 0)
        snprintf(buf, SENTENCE, "'%s' is a vector register, one component of it is wanted",
                 o->reg->name);
    else if (!agrees(x, o->reg, is_wider_ok))
        snprintf(buf, SENTENCE, "'%s' is a .%s register, a .%s%s is wanted", o->reg->name,
                 ptx_type_name(o->reg->type), ptx_type_name(x->type),
                 is_wider_ok ? " or wider" : "");
    else
        return NULL;
    return buf;
}

static const char *bad_constant(const struct ptx_spec *x, const struct ptx_operand *o, char *buf)
{
    bool is_float = o->kind == PTX_X_FIMM;
    if (x->kind == 'B' && !is_float)
        return NULL;
    if (x->kind == 'B' && ((x->bits == 32 && o->is_f32) || (x->bits == 64 && !o->is_f32)))
        return NULL;
    if ((x->kind == 'F' && is_float && x->bits >= 32 &&
         (x->type == PTX_T_F32 || x->type == PTX_T_F64)) ||
        (x->kind != 'F' && x->kind != 'B' && !is_float))
        return NULL;
    snprintf(buf, SENTENCE,
             x->kind == 'F' && x->type != PTX_T_F32 && x->type != PTX_T_F64
                 ? "a .%s operand cannot be a constant%s"
                 : "a .%s operand cannot be %s constant",
             ptx_type_name(x->type),
             x->kind == 'F' && x->type != PTX_T_F32 && x->type != PTX_T_F64 ? ""
             : is_float                                                     ? "a floating-point"
                                                                            : "an integer");
    return buf;
}

static const char *not_a(const char *what, char *buf)
{
    snprintf(buf, SENTENCE, "%s is wanted", what);
    return buf;
}

static const char *bad_one(const struct ptx_parser *p, const struct ptx_opcode *op,
                           const struct ptx_spec *x, const struct ptx_operand *o, char *buf);

static const char *bad_vector(const struct ptx_parser *p, const struct ptx_opcode *op,
                              const struct ptx_spec *x, const struct ptx_operand *o, char *buf)
{
    struct ptx_spec one = *x;
    one.is_vec = false;
    if (o->kind == PTX_X_REG && o->reg->vec == op->m.vec && o->comp == 0)
        return agrees(x, o->reg, x->letter == 'X' || x->letter == 'Y')
                   ? NULL
                   : not_a("a vector of that type", buf);
    if (o->kind == PTX_X_SREG && o->is_whole && op->m.vec == 4)
        return NULL;
    if (o->kind != PTX_X_VECTOR || o->n_elem != op->m.vec) {
        snprintf(buf, SENTENCE, "a vector of %u elements is wanted", op->m.vec);
        return buf;
    }
    bool has_value = false;
    for (uint16_t i = 0; i < o->n_elem; i++) {
        has_value |= o->elem[i].kind != PTX_X_SINK;
        const char *bad = bad_one(p, op, &one, &o->elem[i], buf);
        if (bad != NULL)
            return bad;
    }
    return has_value ? NULL : not_a("a vector with at least one register", buf);
}

// {a, b}: registers of one size, constants, sinks. For mov the sizes must add up.
static const char *bad_pack(const struct ptx_opcode *op, const struct ptx_operand *o, char *buf)
{
    uint32_t bits = 0, each = 0;
    if (o->kind != PTX_X_VECTOR)
        return not_a("a vector { }", buf);
    for (uint16_t i = 0; i < o->n_elem; i++) {
        const struct ptx_operand *e = &o->elem[i];
        if (e->kind == PTX_X_REG) {
            uint32_t n = ptx_type_bits(e->reg->type);
            if (ptx_type_kind(e->reg->type) == 'P' || (each != 0 && n != each))
                return not_a("a vector of registers of one size", buf);
            each = n;
        } else if (e->kind != PTX_X_IMM && e->kind != PTX_X_FIMM && e->kind != PTX_X_SINK) {
            return not_a("a vector of registers", buf);
        }
    }
    bits = each * o->n_elem;
    if (op->op == PTX_O_MOV && each != 0 && bits != ptx_type_bits((enum ptx_type)op->m.type[0])) {
        snprintf(buf, SENTENCE, "the vector has %u bits, the type .%s has %u", bits,
                 ptx_type_name((enum ptx_type)op->m.type[0]),
                 ptx_type_bits((enum ptx_type)op->m.type[0]));
        return buf;
    }
    return NULL;
}

static bool checks_space(enum ptx_op op)
{
    return op == PTX_O_LD || op == PTX_O_ST || op == PTX_O_ATOM || op == PTX_O_RED ||
           op == PTX_O_LDU || op == PTX_O_MBARRIER;
}

static const char *bad_memory(const struct ptx_parser *p, const struct ptx_opcode *op,
                              const struct ptx_operand *o, bool has_coords, char *buf)
{
    if (o->kind != PTX_X_MEM)
        return not_a("an address in [ ]", buf);
    if ((o->n_elem > 0) != has_coords)
        return not_a(has_coords ? "[object, {coordinates}]" : "a plain address in [ ]", buf);
    if (o->is_unified && op->op != PTX_O_LD)
        return not_a("an address without .unified", buf);
    if (o->reg != NULL) {
        char kind = ptx_type_kind(o->reg->type);
        uint32_t bits = ptx_type_bits(o->reg->type);
        if (kind == 'F' || kind == 'P' || bits > 64) {
            snprintf(buf, SENTENCE, "'%s' is a .%s register, which holds no address", o->reg->name,
                     ptx_type_name(o->reg->type));
            return buf;
        }
        if (checks_space(op->op) && op->m.space == PTX_SP_GENERIC && bits < 64 &&
            p->module->address_bits == 64) {
            snprintf(buf, SENTENCE, "a generic address has 64 bits, '%s' is a .%s register",
                     o->reg->name, ptx_type_name(o->reg->type));
            return buf;
        }
    }
    if (o->var != NULL && checks_space(op->op) && op->m.space != PTX_SP_GENERIC &&
        op->m.space2 == PTX_SP_GENERIC) {
        enum ptx_space want = (enum ptx_space)op->m.space;
        if (want != o->var->space &&
            !(want == PTX_SP_SHARED_CLUSTER && o->var->space == PTX_SP_SHARED)) {
            snprintf(buf, SENTENCE, "'%s' does not live in the state space of '%s'", o->var->name,
                     op->text);
            return buf;
        }
    }
    return NULL;
}

static const char *bad_predicate(const struct ptx_spec *x, const struct ptx_operand *o, char *buf)
{
    if (o->kind == PTX_X_REG && o->reg->type == PTX_T_PRED)
        return NULL;
    if (!x->no_imm &&
        (o->kind == PTX_X_IMM || (o->kind == PTX_X_SREG && ptx_sreg_bits(o->sreg) == 1)))
        return NULL;
    return not_a("a predicate", buf);
}

static const char *bad_special(const struct ptx_opcode *op, const struct ptx_spec *x,
                               const struct ptx_operand *o, char *buf)
{
    if (op->op != PTX_O_MOV && op->op != PTX_O_CVT)
        return not_a("a register (special registers are read by mov)", buf);
    uint32_t bits = ptx_sreg_bits(o->sreg);
    if (o->is_whole || (op->op == PTX_O_MOV && bits != x->bits && !(bits == 32 && x->bits == 16))) {
        snprintf(buf, SENTENCE,
                 o->is_whole ? "%%%s has four components, one is wanted"
                             : "%%%s has %u bits, the type .%s has %u",
                 ptx_sreg_name(o->sreg), bits, ptx_type_name(x->type), x->bits);
        return buf;
    }
    return NULL;
}

// A source: register, constant, special register, address of a variable or function.
static const char *bad_source(const struct ptx_opcode *op, const struct ptx_spec *x,
                              const struct ptx_operand *o, bool is_wider_ok, char *buf)
{
    switch (o->kind) {
    case PTX_X_REG:
        if (o->is_neg && op->op != PTX_O_VMAD)
            return not_a("a register without a sign (use neg)", buf);
        return bad_reg(x, o, is_wider_ok, buf);
    case PTX_X_IMM:
    case PTX_X_FIMM:
        return bad_constant(x, o, buf);
    case PTX_X_SREG:
        return bad_special(op, x, o, buf);
    case PTX_X_VAR:
    case PTX_X_FUNC:
        if (x->kind == 'F' || (x->bits != 32 && x->bits != 64))
            return not_a("an integer type of 32 or 64 bits for an address", buf);
        return NULL;
    case PTX_X_NONE:
    case PTX_X_LABEL:
    case PTX_X_VECTOR:
    case PTX_X_MEM:
    case PTX_X_SINK:
    case PTX_X_STRING:
        break;
    }
    return not_a("a register or a constant", buf);
}

static const char *bad_one(const struct ptx_parser *p, const struct ptx_opcode *op,
                           const struct ptx_spec *x, const struct ptx_operand *o, char *buf)
{
    bool is_wider_ok = x->letter == 'X' || x->letter == 'Y';
    if (x->has_range && o->kind == PTX_X_IMM && (o->bits < x->least || o->bits > x->most)) {
        snprintf(buf, SENTENCE, "%lld is out of range (%u to %u)", (long long)o->bits, x->least,
                 x->most);
        return buf;
    }
    if (x->is_vec)
        return bad_vector(p, op, x, o, buf);
    if (o->is_negated && x->letter != 'P' && !(x->letter == '*'))
        return not_a("an operand without '!'", buf);
    switch (x->letter) {
    case 'D':
    case 'X':
        if (o->kind == PTX_X_SINK && (x->may_sink || x->is_pair))
            return NULL;
        if (o->kind != PTX_X_REG)
            return not_a("a destination register", buf);
        return bad_reg(x, o, is_wider_ok, buf);
    case 'S':
    case 'Y':
        return bad_source(op, x, o, is_wider_ok, buf);
    case 'R':
        return o->kind == PTX_X_REG ? bad_reg(x, o, false, buf) : not_a("a register", buf);
    case 'I':
        return o->kind == PTX_X_IMM ? NULL : not_a("an integer constant", buf);
    case 'P':
        return bad_predicate(x, o, buf);
    case 'M':
    case 'T':
        return bad_memory(p, op, o, x->letter == 'T', buf);
    case 'V':
        return bad_pack(op, o, buf);
    case '_':
        return o->kind == PTX_X_SINK ? NULL : not_a("the sink '_'", buf);
    case 'L':
        return o->kind == PTX_X_LABEL ? NULL : not_a("a label", buf);
    default:
        return NULL; // '*'
    }
}

// The first fault of the operands against one row: how many were right, whether it is about a
// vector where one may stand, and the sentence.
static const char *bad_operands(const struct ptx_parser *p, const struct ptx_opcode *op,
                                const struct ptx_use *u, const struct ptx_insn *in,
                                uint32_t *n_right, bool *is_vector, char *buf)
{
    uint32_t have = in->n_x, at = 0, required = u->n_required;
    *n_right = 0;
    *is_vector = false;
    if (in->has_pair && (u->n_specs < 2 || !u->spec[1].is_pair)) {
        *n_right = 1;
        return not_a("one destination, not a pair,", buf);
    }
    for (uint32_t i = 0; i < u->n_specs; i++) {
        const struct ptx_spec *x = &u->spec[i];
        if (x->is_pair ? !in->has_pair && x->is_optional : x->is_optional && have - at <= required)
            continue;
        if (x->is_pair && !in->has_pair && (*n_right = 0) == 0)
            return not_a("a pair d|p as the first operand", buf);
        if (at >= have)
            break;
        const char *bad = bad_one(p, op, x, &in->x[at], buf);
        *is_vector = x->letter == 'V' && in->x[at].kind == PTX_X_VECTOR;
        if (bad != NULL)
            return bad;
        required -= !x->is_optional;
        *n_right = ++at;
    }
    if (required == 0 && at == have)
        return NULL;
    snprintf(buf, SENTENCE, "%u operand%s given, %s%u wanted", have, have == 1 ? " is" : "s are",
             u->n_required < u->n_specs ? "at least " : "", u->n_required);
    if (at < have)
        snprintf(buf, SENTENCE, "%u operand%s given, %u at most wanted", have,
                 have == 1 ? " is" : "s are", u->n_specs);
    *n_right = have;
    return buf;
}

// What a parameter or argument weighs, 0 when it cannot be told.
static uint64_t operand_bytes(const struct ptx_operand *x)
{
    if (x->kind == PTX_X_REG)
        return ptx_type_bits(x->reg->type) / 8;
    return x->kind == PTX_X_VAR ? x->var->bytes : 0;
}

static bool check_call(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_insn *in)
{
    if (in->n_x == 0)
        return ptx_lex_fail(&p->lx, at, "a call takes the name of a function or a register with its address");
    const struct ptx_operand *callee = &in->x[in->n_ret];
    if (callee->kind == PTX_X_REG) {
        if (ptx_type_kind(callee->reg->type) == 'F' || ptx_type_bits(callee->reg->type) < 32)
            return ptx_lex_fail(&p->lx, at, "'%s' is a .%s register, which holds no function",
                                callee->reg->name, ptx_type_name(callee->reg->type));
        return true;
    }
    const struct ptx_func *f = callee->func;
    unsigned n = (unsigned)(in->n_x - in->n_ret - 1);
    if (f->is_entry)
        return ptx_lex_fail(&p->lx, at, "'%s' is a kernel and cannot be called", f->name);
    if (in->n_ret != f->sig.n_ret || n != f->sig.n_param)
        return ptx_lex_fail(&p->lx, at,
                            "'%s' has %u results and %u parameters, the call gives %u and %u",
                            f->name, f->sig.n_ret, f->sig.n_param, in->n_ret, n);
    for (unsigned i = 0; i < in->n_ret + n; i++) {
        bool is_ret = i < in->n_ret;
        const struct ptx_var *v = is_ret ? f->sig.ret[i] : f->sig.param[i - in->n_ret];
        uint64_t bytes = operand_bytes(&in->x[is_ret ? i : i + 1]);
        if (bytes != 0 && v->bytes != 0 && bytes != v->bytes)
            return ptx_lex_fail(&p->lx, at, "%s '%s' of '%s' has %llu bytes, the call gives %llu",
                                is_ret ? "result" : "parameter", v->name, f->name,
                                (unsigned long long)v->bytes, (unsigned long long)bytes);
    }
    return true;
}

static bool is_video(enum ptx_op op)
{
    return ptx_op_name(op)[0] == 'v' && op != PTX_O_VOTE;
}

static bool check_selectors(struct ptx_parser *p, const struct ptx_token *at,
                            const struct ptx_insn *in)
{
    for (uint16_t i = 0; i < in->n_x; i++) {
        if (in->x[i].kind == PTX_X_REG && in->x[i].text != NULL)
            return ptx_lex_fail(&p->lx, at, "'.%s' of a register belongs to video instructions",
                                in->x[i].text);
    }
    return true;
}

bool ptx__check_insn(struct ptx_parser *p, const struct ptx_token *at, const struct ptx_opcode *o,
                     const struct ptx_insn *in)
{
    char buf[SENTENCE], best[SENTENCE];
    const char *bad = NULL;
    uint32_t most = 0;
    if (!is_video(o->op) && !check_selectors(p, at, in))
        return false;
    if (o->op == PTX_O_CALL)
        return check_call(p, at, in);
    for (uint32_t i = 0; i < o->n_uses; i++) {
        uint32_t n_right;
        bool is_vector;
        const char *s = bad_operands(p, o, &o->use[i], in, &n_right, &is_vector, buf);
        if (s == NULL)
            return ptx__check_shape(p, at, o, in);
        if (bad == NULL || n_right > most || (n_right == most && is_vector)) {
            memcpy(best, buf, sizeof best);
            bad = best;
            most = n_right;
        }
    }
    if (most < in->n_x && most < PTX_MAX_PLACES)
        return ptx_lex_fail(&p->lx, &p->place[most], "operand %u of '%s': %s", most + 1, o->text,
                            bad);
    return ptx_lex_fail(&p->lx, at, "'%s': %s", o->text, bad);
}
