// SPDX-License-Identifier: Apache-2.0
// Names of the tables, their lookup, and what a modifier word fills in besides its bit.
#include "ptx/table.h"

#include <string.h> // memcmp

#include "base/arena.h" // WF_NEW

static const struct {
    const char *name;
    uint32_t bits;
    char kind;
} types[PTX_T_COUNT] = {
    [PTX_T_NONE] = {"none", 0, 'B'},
#define PTX_TYPE(id, name, bits, kind, packed) [PTX_T_##id] = {name, bits, #kind[0]},
#include "ptx/type.def"
#undef PTX_TYPE
};

static const struct {
    const char *name;
    enum ptx_group group;
} mods[PTX_M_COUNT] = {
#define PTX_MOD(id, name, group) [PTX_M_##id] = {name, PTX_G_##group},
#include "ptx/mod.def"
#undef PTX_MOD
};

enum { STATE_FULL, STATE_PARSE };
static const struct {
    const char *name;
    int state;
} ops[PTX_O_COUNT] = {
#define PTX_OP(id, name, state) [PTX_O_##id] = {name, STATE_##state},
#include "ptx/op.def"
#undef PTX_OP
};

static const struct {
    const char *name;
    uint32_t bits, comps;
} sregs[PTX_SR_COUNT] = {
#define PTX_SREG(id, name, bits, comps) [PTX_SR_##id] = {name, bits, comps},
#include "ptx/sreg.def"
#undef PTX_SREG
};

uint32_t ptx_type_bits(enum ptx_type t)
{
    return types[t].bits;
}

char ptx_type_kind(enum ptx_type t)
{
    return types[t].kind;
}

const char *ptx_type_name(enum ptx_type t)
{
    return types[t].name;
}

const char *ptx_op_name(enum ptx_op op)
{
    return ops[op].name;
}

bool ptx_op_is_refused(enum ptx_op op)
{
    return ops[op].state == STATE_PARSE;
}

const char *ptx_mod_name(enum ptx_mod m)
{
    return mods[m].name;
}

enum ptx_group ptx_mod_group(enum ptx_mod m)
{
    return mods[m].group;
}

const char *ptx_sreg_name(enum ptx_sreg r)
{
    return sregs[r].name;
}

uint32_t ptx_sreg_bits(enum ptx_sreg r)
{
    return sregs[r].bits;
}

unsigned ptx_sreg_comps(enum ptx_sreg r)
{
    return sregs[r].comps;
}

// Four open-addressed tables in one: the kind is part of the hash.
enum kind { K_OP, K_WORD, K_SREG };
enum { SLOTS = 2048 };
_Static_assert((int)PTX_O_COUNT + (int)PTX_M_COUNT + (int)PTX_T_COUNT + (int)PTX_SR_COUNT <
                   SLOTS / 2,
               "the keyword table wants more slots");

struct slot {
    const char *name;
    uint16_t n, kind;
    int value;
};

struct ptx_table {
    struct slot slot[SLOTS];
};

static uint32_t hash(enum kind kind, const char *s, size_t n)
{
    uint32_t h = 2166136261u ^ (uint32_t)kind;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h ^ h >> 15;
}

static void put(struct ptx_table *t, enum kind kind, const char *name, int value)
{
    size_t n = strlen(name);
    uint32_t i = hash(kind, name, n) % SLOTS;
    while (t->slot[i].name != NULL)
        i = (i + 1) % SLOTS;
    t->slot[i] = (struct slot){name, (uint16_t)n, (uint16_t)kind, value};
}

static int get(const struct ptx_table *t, enum kind kind, const char *s, size_t n)
{
    for (uint32_t i = hash(kind, s, n) % SLOTS; t->slot[i].name != NULL; i = (i + 1) % SLOTS) {
        const struct slot *e = &t->slot[i];
        if (e->n == n && e->kind == (uint16_t)kind && memcmp(e->name, s, n) == 0)
            return e->value;
    }
    return -1;
}

struct ptx_table *ptx_table_new(struct wf_arena *arena)
{
    struct ptx_table *t = WF_NEW(arena, struct ptx_table);
    for (int i = 0; i < (int)PTX_O_COUNT; i++)
        put(t, K_OP, ops[i].name, i);
    for (int i = 0; i < (int)PTX_M_COUNT; i++)
        put(t, K_WORD, mods[i].name, i);
    for (int i = (int)PTX_T_NONE + 1; i < (int)PTX_T_COUNT; i++)
        put(t, K_WORD, types[i].name, PTX_WORD_TYPE + i);
    for (int i = 0; i < (int)PTX_SR_COUNT; i++)
        put(t, K_SREG, sregs[i].name, i);
    return t;
}

bool ptx_table_op(const struct ptx_table *t, const char *s, size_t n, enum ptx_op *out)
{
    int v = get(t, K_OP, s, n);
    if (v < 0)
        return false;
    *out = (enum ptx_op)v;
    return true;
}

int ptx_table_word(const struct ptx_table *t, const char *s, size_t n)
{
    return get(t, K_WORD, s, n);
}

bool ptx_table_type(const struct ptx_table *t, const char *s, size_t n, enum ptx_type *out)
{
    int v = get(t, K_WORD, s, n);
    if (v < PTX_WORD_TYPE)
        return false;
    *out = (enum ptx_type)(v - PTX_WORD_TYPE);
    return true;
}

// %envreg0..31, %pm0..7 and %pm0_64..7_64: name, number, rest.
static bool numbered_sreg(const char *s, size_t n, enum ptx_sreg *out, int *number)
{
    size_t stem = n > 6 && memcmp(s, "envreg", 6) == 0 ? 6
                  : n > 2 && memcmp(s, "pm", 2) == 0   ? 2
                                                       : 0;
    if (stem == 0)
        return false;
    unsigned v = 0;
    size_t i = stem;
    for (; i < n && i < stem + 2 && s[i] >= '0' && s[i] <= '9'; i++)
        v = v * 10 + (unsigned)(s[i] - '0');
    if (i == stem || (s[stem] == '0' && i > stem + 1))
        return false;
    enum ptx_sreg r = stem == 6 ? PTX_SR_ENVREG : PTX_SR_PM;
    if (stem == 2 && n - i == 3 && memcmp(s + i, "_64", 3) == 0) {
        r = PTX_SR_PM64;
        i = n;
    }
    if (i != n || v >= sregs[r].comps)
        return false;
    *out = r;
    *number = (int)v;
    return true;
}

bool ptx_table_sreg(const struct ptx_table *t, const char *s, size_t n, enum ptx_sreg *out,
                    int *number)
{
    *number = -1;
    int v = get(t, K_SREG, s, n);
    if (v < 0 || sregs[v].comps > 4)
        return numbered_sreg(s, n, out, number);
    *out = (enum ptx_sreg)v;
    return true;
}

// Edit distance, given up above 2. Words are short.
static unsigned distance(const char *a, size_t n, const char *b)
{
    enum { MAX = 40 };
    size_t m = strlen(b);
    unsigned row[MAX + 1];
    if (n > MAX || m > MAX || n > m + 2 || m > n + 2)
        return 99;
    for (unsigned j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diag = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = diag + (a[i - 1] != b[j - 1]);
            diag = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

static void nearer(const char *s, size_t n, const char *name, const char **best, unsigned *d)
{
    unsigned x = distance(s, n, name);
    if (x < *d && x < n) {
        *d = x;
        *best = name;
    }
}

const char *ptx_table_near_word(const char *s, size_t n)
{
    const char *best = NULL;
    unsigned d = n > 4 ? 3 : 2;
    for (int i = 0; i < (int)PTX_M_COUNT; i++)
        nearer(s, n, mods[i].name, &best, &d);
    for (int i = (int)PTX_T_NONE + 1; i < (int)PTX_T_COUNT; i++)
        nearer(s, n, types[i].name, &best, &d);
    return best;
}

const char *ptx_table_near_op(const char *s, size_t n)
{
    const char *best = NULL;
    unsigned d = n > 4 ? 3 : 2;
    for (int i = 0; i < (int)PTX_O_COUNT; i++)
        nearer(s, n, ops[i].name, &best, &d);
    return best;
}

static uint8_t space_of(int m)
{
    switch (m) {
    case PTX_M_GLOBAL:
        return PTX_SP_GLOBAL;
    case PTX_M_SHARED:
    case PTX_M_SHARED_CTA:
        return PTX_SP_SHARED;
    case PTX_M_SHARED_CLUSTER:
        return PTX_SP_SHARED_CLUSTER;
    case PTX_M_LOCAL:
        return PTX_SP_LOCAL;
    case PTX_M_CONST:
        return PTX_SP_CONST;
    default:
        return PTX_SP_PARAM;
    }
}

static uint8_t sem_of(int m)
{
    switch (m) {
    case PTX_M_WEAK:
        return PTX_SEM_WEAK;
    case PTX_M_RELAXED:
        return PTX_SEM_RELAXED;
    case PTX_M_ACQUIRE:
        return PTX_SEM_ACQUIRE;
    case PTX_M_RELEASE:
        return PTX_SEM_RELEASE;
    case PTX_M_ACQ_REL:
        return PTX_SEM_ACQ_REL;
    case PTX_M_SC:
        return PTX_SEM_SC;
    case PTX_M_VOLATILE:
        return PTX_SEM_VOLATILE;
    default:
        return PTX_SEM_MMIO;
    }
}

static uint8_t scope_of(int m)
{
    switch (m) {
    case PTX_M_CTA:
        return PTX_SC_CTA;
    case PTX_M_CLUSTER:
        return PTX_SC_CLUSTER;
    case PTX_M_SYS:
        return PTX_SC_SYS;
    default:
        return PTX_SC_GPU;
    }
}

bool ptx_mods_add(struct ptx_mods *m, int word)
{
    if (word >= PTX_WORD_TYPE) {
        if (m->n_types == sizeof m->type)
            return false;
        m->type[m->n_types++] = (uint8_t)(word - PTX_WORD_TYPE);
        return true;
    }
    m->set[word / 64] |= (uint64_t)1 << (word % 64);
    switch (mods[word].group) {
    case PTX_G_SPACE:
        if (m->space == PTX_SP_GENERIC)
            m->space = space_of(word);
        else
            m->space2 = space_of(word);
        break;
    case PTX_G_SEM:
        m->sem = sem_of(word);
        break;
    case PTX_G_SCOPE:
        m->scope = scope_of(word);
        break;
    case PTX_G_RND:
        m->rnd2 = m->rnd;
        m->rnd = (uint16_t)(word + 1);
        break;
    case PTX_G_CMP:
        m->cmp = (uint16_t)(word + 1);
        break;
    case PTX_G_SUB:
        m->sub = (uint16_t)(word + 1);
        break;
    case PTX_G_VEC:
        m->vec = (uint8_t)(word == PTX_M_V2 ? 2 : word == PTX_M_V4 ? 4 : 8);
        break;
    case PTX_G_FLAG:
        break;
    }
    return true;
}
