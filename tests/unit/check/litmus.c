// SPDX-License-Identifier: Apache-2.0
// Litmus tests: small programs in the usual notation, each with the locations that race in at least
// one of its executions. Every program is run in many interleavings, once with each thread in a
// warp of its own and once with the threads of a block as lanes of one warp: the verdict must not
// depend on that.
//
//   [c0,k0]: instr; instr | [c1]: ...    one bracket a thread: block, cluster
//   W x 1   W.rel.gpu x 1   Wv x 1       store; with order and scope; volatile
//   R x a   R.acq.gpu x a   Rv x a       load into register a
//   A.ar.gpu.add x 1 a                   atom (add, exch, cas x compare new a); D: red
//   F.sc.gpu                             fence
//   B 0   Ba 0   B w                     barrier, arrive, warp barrier
//   ?a==1 instr                          only if register a holds 1
#include "world.h"

#include "base/bits.h"
#include "check/ctx.h"
#include "core/finding.h"
#include "test.h"

#define MAX_T 4
#define MAX_I 12

struct insn {
    char op; // W R A D F B
    enum wf_order order;
    enum wf_scope_kind scope;
    bool is_volatile, arrive, is_warp_bar, has_guard, guard_ne, is_reg_value;
    char var, reg, guard_reg, value_reg;
    long guard_value, value, value2;
    int barrier;
    char rmw[5];
};
struct thread {
    int block, cluster, n, pc;
    struct insn i[MAX_I];
    long reg[26];
    uint32_t warp, lane;
    int waits; // barrier it stands at, or -1
};
static struct thread th[MAX_T];
static int n_th;
static long memory[26], start[26];
static uint32_t raced; // variables

static const char *skip(const char *s)
{
    while (*s == ' ')
        s++;
    return s;
}

static const char *parse_mods(const char *s, struct insn *i)
{
    static const struct {
        const char *name;
        enum wf_order order;
    } orders[] = {{"rlx", WF_ORD_RELAXED},
                  {"acq", WF_ORD_ACQUIRE},
                  {"rel", WF_ORD_RELEASE},
                  {"ar", WF_ORD_ACQ_REL},
                  {"sc", WF_ORD_SC}};
    static const struct {
        const char *name;
        enum wf_scope_kind scope;
    } scopes[] = {{"cta", WF_SCOPE_CTA},
                  {"cluster", WF_SCOPE_CLUSTER},
                  {"gpu", WF_SCOPE_GPU},
                  {"sys", WF_SCOPE_SYS}};
    while (*s == '.') {
        char w[12];
        int n = 0;
        for (s++; *s && *s != '.' && *s != ' ' && *s != ';' && n < 11; s++)
            w[n++] = *s;
        w[n] = 0;
        for (int k = 0; k < 5; k++)
            if (!strcmp(w, orders[k].name))
                i->order = orders[k].order;
        for (int k = 0; k < 4; k++)
            if (!strcmp(w, scopes[k].name))
                i->scope = scopes[k].scope;
        if (!strcmp(w, "add") || !strcmp(w, "exch") || !strcmp(w, "cas"))
            memcpy(i->rmw, w, (size_t)n + 1);
    }
    return s;
}

static const char *parse_value(const char *s, struct insn *i, long *v)
{
    s = skip(s);
    if (*s >= 'a' && *s <= 'z') {
        i->is_reg_value = true;
        i->value_reg = *s++;
        if (*s == '+')
            s++;
        else
            return s;
    }
    char *end;
    *v = strtol(s, &end, 10);
    return end;
}

static const char *parse_insn(const char *s, struct insn *i)
{
    *i = (struct insn){0};
    s = skip(s);
    if (*s == '?') {
        i->has_guard = true;
        i->guard_reg = s[1];
        i->guard_ne = s[2] == '!';
        char *end;
        i->guard_value = strtol(s + 4, &end, 10);
        s = skip(end);
    }
    i->op = *s++;
    if (*s == 'v') {
        i->is_volatile = true;
        i->order = WF_ORD_RELAXED;
        i->scope = WF_SCOPE_SYS;
        s++;
    }
    if (*s == 'a') {
        i->arrive = true;
        s++;
    }
    s = skip(parse_mods(s, i));
    if (i->op == 'F')
        return s;
    if (i->op == 'B') {
        i->is_warp_bar = *s == 'w';
        i->barrier = *s == 'w' ? 20 : *s - '0';
        return s + 1;
    }
    i->var = *s++;
    if (i->op == 'W' || i->op == 'A' || i->op == 'D')
        s = parse_value(s, i, &i->value);
    if (!strcmp(i->rmw, "cas"))
        s = parse_value(s, i, &i->value2);
    s = skip(s);
    if (i->op == 'R' || i->op == 'A')
        i->reg = *s++;
    return s;
}

static void parse(const char *s)
{
    n_th = 0;
    memset(start, 0, sizeof start);
    if (!strncmp(s, "init ", 5)) {
        start[s[5] - 'a'] = s[7] - '0';
        s = strchr(s, '[');
    }
    for (; *s; n_th++) {
        struct thread *t = &th[n_th];
        memset(t, 0, sizeof *t);
        s = strchr(s, '[') + 2;
        t->block = *s++ - '0';
        t->cluster = t->block;
        if (*s == ',')
            t->cluster = s[2] - '0';
        s = strchr(s, ':') + 1;
        for (;;) {
            s = skip(parse_insn(s, &t->i[t->n++]));
            if (*s != ';')
                break;
            s++;
        }
        if (*s == '|')
            s++;
    }
}

static void on_race(void *arg, const struct wf__acc *x, uint32_t lane, uint64_t addr, uint8_t bytes)
{
    (void)arg;
    (void)x;
    (void)lane;
    (void)bytes;
    raced |= 1u << ((addr - GLOBAL) / 64);
}

static const struct wf_site *site_of(const struct insn *i, int thread, int pc)
{
    struct site_key k = {.line = (uint32_t)(1 + thread * 20 + pc),
                         .order = i->order,
                         .scope = i->scope,
                         .bytes = 4,
                         .elements = 1,
                         .is_volatile = i->is_volatile};
    k.kind = i->op == 'F' ? WF_SITE_FENCE : i->op == 'B' ? WF_SITE_BARRIER : WF_SITE_ACCESS;
    k.atomic = i->op == 'A' || i->op == 'D';
    k.red = i->op == 'D';
    k.reads = k.atomic || i->op == 'R';
    k.writes = k.atomic || i->op == 'W';
    return site_get(k);
}

static int barrier_users(int block, int id)
{
    int n = 0;
    for (int t = 0; t < n_th; t++)
        for (int p = 0; p < th[t].n; p++)
            if (th[t].block == block && th[t].i[p].op == 'B' && th[t].i[p].barrier == id) {
                n++;
                break;
            }
    return n;
}

static struct { // arrivals that do not wait, per block and id
    int n;
} early[4][24];

static void barrier_try(struct world *w, int block, int id)
{
    uint32_t arrived[8] = {0}, waited[8] = {0}, lanes = 0, warp = 0;
    int n = early[block][id].n;
    const struct wf_site *s = NULL;
    for (int t = 0; t < n_th; t++)
        if (th[t].block == block && th[t].waits == id) {
            n++;
            waited[th[t].warp] |= 1u << th[t].lane;
            arrived[th[t].warp] = waited[th[t].warp];
            lanes |= 1u << th[t].lane;
            warp = th[t].warp;
            s = site_of(&th[t].i[th[t].pc - 1], t, th[t].pc - 1);
        }
    if (n < barrier_users(block, id))
        return;
    bool one_warp = waited[warp] && wf_popcount32(waited[warp]) == (unsigned)n;
    if (id == 20 && one_warp)
        w->ev.warp_sync(w->ev.arg, &w->warp[block][warp], s, lanes);
    else if (s)
        world_bar(w, (uint32_t)block, s, (uint32_t)(id & 15), w->instance[block][id & 15], arrived,
                  waited);
    w->instance[block][id & 15]++;
    early[block][id].n = 0;
    for (int t = 0; t < n_th; t++)
        if (th[t].block == block && th[t].waits == id)
            th[t].waits = -1;
}

static void step(struct world *w, int n)
{
    struct thread *t = &th[n];
    int pc = t->pc++;
    struct insn *i = &t->i[pc];
    if (i->has_guard && (t->reg[i->guard_reg - 'a'] == i->guard_value) == i->guard_ne)
        return;
    uint32_t b = (uint32_t)t->block, bit = 1u << t->lane;
    const struct wf_site *s = site_of(i, n, pc);
    if (i->op == 'F') {
        w->ev.fence(w->ev.arg, &w->warp[b][t->warp], s, bit);
        return;
    }
    if (i->op == 'B') {
        if (i->arrive) {
            w->ev.bar_arrive(w->ev.arg, &w->warp[b][t->warp], s, (uint32_t)i->barrier,
                             w->instance[b][i->barrier & 15], bit);
            early[b][i->barrier].n++;
        } else {
            t->waits = i->barrier;
        }
        barrier_try(w, t->block, i->barrier);
        return;
    }
    long *m = &memory[i->var - 'a'], v = i->value, old = *m;
    if (i->is_reg_value)
        v += t->reg[i->value_reg - 'a'];
    bool writes = i->op != 'R' && (strcmp(i->rmw, "cas") || old == v);
    uint64_t addr[32];
    for (int l = 0; l < 32; l++)
        addr[l] = GLOBAL + 64 * (uint64_t)(i->var - 'a');
    world_access(w, b, t->warp, bit, s, WF_SPACE_GLOBAL, 0, addr, writes ? bit : 0);
    if (i->op == 'R' || i->op == 'A')
        t->reg[i->reg - 'a'] = old;
    if (writes)
        *m = !strcmp(i->rmw, "add") ? old + v : !strcmp(i->rmw, "cas") ? i->value2 : v;
}

static void run_once(uint64_t seed, bool lanes)
{
    static struct world w;
    struct wf_check_opts o = {.race = true, .volatile_mode = WF_VOLATILE_RELAXED};
    uint32_t used[4] = {0}, blocks = 1, per_cluster = 1;
    for (int t = 0; t < n_th; t++) {
        th[t].pc = 0;
        th[t].waits = -1;
        memset(th[t].reg, 0, sizeof th[t].reg);
        th[t].warp = lanes ? 0 : used[th[t].block];
        th[t].lane = lanes ? used[th[t].block] : 0;
        used[th[t].block]++;
        if (th[t].block >= (int)blocks)
            blocks = (uint32_t)th[t].block + 1;
        if (th[t].cluster != th[t].block)
            per_cluster = 2;
    }
    memcpy(memory, start, sizeof memory);
    memset(early, 0, sizeof early);
    world_open(&w, &o);
    wf__check.on_race = on_race;
    world_launch(&w, per_cluster == 2 && blocks < 2 ? 2 : blocks, 4, 15, per_cluster, 64);
    uint64_t x = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (;;) {
        int ready[MAX_T], n = 0;
        for (int t = 0; t < n_th; t++)
            if (th[t].waits < 0 && th[t].pc < th[t].n)
                ready[n++] = t;
        if (!n)
            break;
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        step(&w, ready[(x >> 33) % (unsigned)n]);
    }
    world_end(&w);
    wf_check_fini();
}

static const struct {
    const char *name, *program, *races;
} rows[] = {
#include "litmus.def"
};

static void names(uint32_t vars, char *buf)
{
    int n = 0;
    for (int v = 0; v < 26; v++)
        if (vars >> v & 1)
            buf[n++] = (char)('a' + v);
    buf[n] = 0;
}

WF_TEST(races_of_the_tables)
{
    uint32_t good = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t want = 0, bad = 0;
        for (const char *v = rows[i].races; *v; v++)
            want |= 1u << (*v - 'a');
        parse(rows[i].program);
        for (int lanes = 0; lanes < 2; lanes++) {
            char a[27], b[27];
            raced = 0;
            wf_finding_reset();
            for (uint64_t seed = 1; seed <= 150; seed++)
                run_once(seed, lanes);
            names(want, a);
            names(raced, b);
            bad += raced != want;
            if (raced != want)
                WF_TEST_FAIL("%s (%s): races on \"%s\", expected \"%s\"", rows[i].name,
                             lanes ? "lanes" : "warps", b, a);
        }
        good += !bad;
    }
    printf("%u of %zu litmus tests\n", good, sizeof rows / sizeof *rows);
}
