// SPDX-License-Identifier: Apache-2.0
// Which edits may mend a finding, by its kind: one function a kind of cure, the most likely place first.
#include <stdio.h>  // snprintf
#include <string.h> // strstr

#include "core/loc.h" // wf_loc_user
#include "cure/edit.h"
#include "cure/propose.h"

#define MAX_CURES 16

struct wf__case wf__case_of(const struct wf_finding *f, const char *file, const struct wf__source *s,
                            struct wf_cures *out)
{
    struct wf__case c = {.f = f, .s = s, .out = out};
    for (uint32_t i = 0; i < f->n_parties && i < WF_MAX_PARTIES; i++) {
        c.stmt[i] = WF__NO_STMT;
        // The innermost position in this file: helpers that were inlined from elsewhere are not edited.
        const struct wf_loc *l = wf_loc_user(f->party[i].loc);
        while (l && (!l->file || strcmp(l->file, file)))
            l = l->inlined;
        if (!l)
            continue;
        c.line[i] = l->line;
        c.stmt[i] = wf__stmt_at(s, l->line, l->col);
    }
    return c;
}

bool wf__is_full(const struct wf__case *c)
{
    return c->out->list.n >= MAX_CURES;
}

static void put_before(struct wf__case *c, uint32_t i, const char *stmt)
{
    struct wf__edits e = {0};
    if (i == WF__NO_STMT || wf__is_full(c))
        return;
    wf__edit_say(&e, "%s before line %u", stmt, wf__line_of(c->s, c->s->stmt.at[i].at));
    wf__edit_before(&e, c->s, i, stmt);
    wf__edits_done(&e, c->s, c->out);
}

static void put_after(struct wf__case *c, uint32_t i, const char *stmt)
{
    struct wf__edits e = {0};
    if (i == WF__NO_STMT || wf__is_full(c))
        return;
    wf__edit_say(&e, "%s after line %u", stmt, wf__line_of(c->s, c->s->stmt.at[i].end - 1));
    wf__edit_after(&e, c->s, i, stmt);
    wf__edits_done(&e, c->s, c->out);
}

static void put_at_loop_end(struct wf__case *c, uint32_t loop, const char *stmt)
{
    struct wf__edits e = {0};
    if (wf__is_full(c))
        return;
    wf__edit_say(&e, "%s at the end of the loop of line %u", stmt, wf__line_of(c->s, c->s->stmt.at[loop].at));
    wf__edit_body_end(&e, c->s, loop, stmt);
    wf__edits_done(&e, c->s, c->out);
}

// ---- barriers: between the two, at the end of the loops around them, at other places of those loops

static void between(struct wf__case *c, uint32_t block, uint32_t a, uint32_t b, const char *stmt)
{
    const struct wf__source *s = c->s;
    if (a == b || a == WF__NO_STMT || b == WF__NO_STMT)
        return;
    put_before(c, b, stmt);
    put_after(c, a, stmt);
    for (uint32_t i = 0; i < s->stmt.n; i++)
        if (s->stmt.at[i].parent == block && s->stmt.at[i].at > s->stmt.at[a].at && s->stmt.at[i].at < s->stmt.at[b].at)
            put_before(c, i, stmt);
}

static void in_loops(struct wf__case *c, uint32_t from, uint32_t a, uint32_t b, const char *stmt)
{
    const struct wf__source *s = c->s;
    for (uint32_t i = from; i != WF__NO_STMT; i = s->stmt.at[i].parent) {
        if (s->stmt.at[i].kind != WF__STMT_LOOP)
            continue;
        put_at_loop_end(c, i, stmt);
        struct wf__edits e = {0}; // both ways round the loop
        uint32_t later = b == WF__NO_STMT ? a : b;
        if (later != WF__NO_STMT && a != b) {
            wf__edit_say(&e, "%s before line %u and at the end of the loop of line %u", stmt,
                         wf__line_of(s, s->stmt.at[later].at), wf__line_of(s, s->stmt.at[i].at));
            wf__edit_before(&e, s, later, stmt);
            wf__edit_body_end(&e, s, i, stmt);
            wf__edits_done(&e, s, c->out);
        }
        for (uint32_t k = i + 1; k < s->stmt.n; k++) { // elsewhere in its body
            uint32_t p = s->stmt.at[k].parent;
            if (s->stmt.at[k].kind != WF__STMT_BLOCK && p != WF__NO_STMT && s->stmt.at[p].parent == i)
                put_after(c, k, stmt);
        }
    }
}

void wf__propose_barrier(struct wf__case *c, const char *stmt)
{
    const struct wf__source *s = c->s;
    uint32_t a = c->stmt[0], b = c->f->n_parties > 1 ? c->stmt[1] : WF__NO_STMT;
    if (a == WF__NO_STMT || b == WF__NO_STMT)
        return;
    if (s->stmt.at[a].at > s->stmt.at[b].at) {
        uint32_t t = a;
        a = b;
        b = t;
    }
    uint32_t common = wf__stmt_common(s, a, b);
    if (common != WF__NO_STMT && s->stmt.at[common].kind == WF__STMT_BLOCK) {
        uint32_t ca = wf__stmt_child(s, common, a), cb = wf__stmt_child(s, common, b);
        if (strstr(c->f->fix, "end of the loop body")) {
            in_loops(c, common, ca, cb, stmt);
            between(c, common, ca, cb, stmt);
            return;
        }
        between(c, common, ca, cb, stmt);
        in_loops(c, common, ca, cb, stmt);
    } else {
        uint32_t ia = wf__stmt_in_block(s, a);
        put_after(c, ia, stmt);
        in_loops(c, common, ia, WF__NO_STMT, stmt);
    }
}

// `cluster.sync();` and the like: a synchronization that the function has at hand.
static void group_syncs(struct wf__case *c, void (*with)(struct wf__case *c, const char *stmt))
{
    const struct wf__source *s = c->s;
    uint32_t body = c->stmt[0] == WF__NO_STMT ? WF__NO_STMT : wf__stmt_function(s, c->stmt[0]);
    for (uint32_t i = 0; body != WF__NO_STMT && i < s->stmt.n; i++) {
        const struct wf__stmt *x = &s->stmt.at[i];
        char text[80];
        if (x->kind != WF__STMT_OTHER || !wf__stmt_holds(s, body, i) || x->end - x->at >= sizeof text)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(x->end - x->at), s->text + x->at);
        size_t n = strlen(text);
        if (n > 8 && !strcmp(text + n - 8, ".sync();") && !strpbrk(text, " \n=")) {
            with(c, text);
            return;
        }
    }
}

// After the statement and after each one around it.
static void after_all(struct wf__case *c, const char *stmt)
{
    for (uint32_t i = wf__stmt_in_block(c->s, c->stmt[0]); i != WF__NO_STMT;
         i = wf__stmt_in_block(c->s, c->s->stmt.at[i].parent))
        put_after(c, i, stmt);
}

// ---- fences: on the writing side before the flag, on the reading side behind it, or both

static void fences(struct wf__case *c, uint32_t before, uint32_t after, uint32_t body, const char *stmt)
{
    const struct wf__source *s = c->s;
    struct wf__edits e = {0};
    if (wf__is_full(c))
        return;
    if (before != WF__NO_STMT)
        wf__edit_before(&e, s, before, stmt);
    if (after != WF__NO_STMT)
        wf__edit_after(&e, s, after, stmt);
    if (body != WF__NO_STMT)
        wf__edit_body_begin(&e, s, body, stmt);
    uint32_t one = before != WF__NO_STMT ? before : after != WF__NO_STMT ? after : body;
    uint32_t two = before == WF__NO_STMT ? WF__NO_STMT : after != WF__NO_STMT ? after : body;
    if (one == WF__NO_STMT)
        return;
    if (two != WF__NO_STMT)
        wf__edit_say(&e, "%s before line %u and after line %u", stmt, wf__line_of(s, s->stmt.at[one].at),
                     wf__line_of(s, s->stmt.at[two].at));
    else
        wf__edit_say(&e, "%s %s line %u", stmt, before != WF__NO_STMT ? "before" : "after",
                     wf__line_of(s, s->stmt.at[one].at));
    wf__edits_done(&e, s, c->out);
}

static void propose_fence(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    const char *stmt = !strcmp(c->f->space, "shared") ? "__threadfence_block();" : "__threadfence();";
    if (c->f->n_parties < 4)
        return;
    uint32_t w = wf__stmt_in_block(s, c->stmt[2]), r = c->stmt[3], none = WF__NO_STMT;
    // A read in an if's condition counts behind it inside: the body's begin.
    uint32_t body = r != none && s->stmt.at[r].kind == WF__STMT_IF ? r : none;
    r = wf__stmt_in_block(s, r);
    uint32_t now = wf__stmt_in_block(s, c->stmt[0]);
    if (body == none && r != none && now != none && wf__stmt_holds(s, r, now)) // the loop is around
        r = now;
    if (w != none && s->stmt.at[w].kind == WF__STMT_IF && c->stmt[2] == w)
        w = wf__stmt_in_block(s, w);
    fences(c, w, none, none, stmt);
    fences(c, none, body == none ? r : none, body, stmt);
    fences(c, w, body == none ? r : none, body, stmt);
    struct wf__edits e = {0};
    if (w != none && now != none) {
        wf__edit_say(&e, "%s before line %u and before line %u", stmt, wf__line_of(s, s->stmt.at[w].at),
                     wf__line_of(s, s->stmt.at[now].at));
        wf__edit_before(&e, s, w, stmt);
        wf__edit_before(&e, s, now, stmt);
        wf__edits_done(&e, s, c->out);
    }
}

// ---- barriers in branches, host waits

static bool is_barrier_stmt(const struct wf__source *s, uint32_t i, char text[80])
{
    if (i == WF__NO_STMT || s->stmt.at[i].kind != WF__STMT_OTHER)
        return false;
    snprintf(text, 80, "%.*s", (int)(s->stmt.at[i].end - s->stmt.at[i].at), s->text + s->stmt.at[i].at);
    return strstr(text, "sync") != NULL;
}

// Two barriers in the two branches of an if become one behind it.
static void propose_join(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    char text[80], other[80];
    if (c->f->n_parties < 2 || c->stmt[0] == c->stmt[1] || !is_barrier_stmt(s, c->stmt[0], text) ||
        !is_barrier_stmt(s, c->stmt[1], other) || strcmp(text, other))
        return;
    uint32_t both = wf__stmt_common(s, c->stmt[0], c->stmt[1]);
    if (both == WF__NO_STMT || s->stmt.at[both].kind != WF__STMT_IF)
        return;
    struct wf__edits e = {0};
    wf__edit_say(&e, "one barrier behind the if of line %u instead of those in lines %u and %u",
                 wf__line_of(s, s->stmt.at[both].at), c->line[0], c->line[1]);
    wf__edit_remove_stmt(&e, s, c->stmt[0]);
    wf__edit_remove_stmt(&e, s, c->stmt[1]);
    wf__edit_after(&e, s, wf__stmt_in_block(s, both), text);
    wf__edits_done(&e, s, c->out);
}

// `if (x) { a; barrier; b }` becomes `if (x) { a } barrier; if (x) { b }`.
static void propose_split_if(struct wf__case *c, uint32_t bar, const char *text)
{
    const struct wf__source *s = c->s;
    uint32_t block = s->stmt.at[bar].parent, branch = block == WF__NO_STMT ? block : s->stmt.at[block].parent;
    if (branch == WF__NO_STMT || s->stmt.at[branch].kind != WF__STMT_IF || s->stmt.at[block].kind != WF__STMT_BLOCK ||
        s->stmt.at[block].at < s->stmt.at[branch].head_end || wf__stmt_in_block(s, branch) != branch)
        return;
    size_t from = s->stmt.at[branch].at, head = s->stmt.at[branch].head_end, indent = from;
    for (size_t i = head; i < s->stmt.at[block].at; i++)
        if (s->code[i] != ' ' && s->code[i] != '\n' && s->code[i] != '\t')
            return; // the else branch
    while (indent > 0 && s->text[indent - 1] != '\n')
        indent--;
    int blanks = (int)(from - indent);
    struct wf__edits e = {0};
    struct wf_str t = {0};
    wf_str_printf(&t, "}\n%.*s%s\n%.*s%.*s {", blanks, s->text + indent, text, blanks, s->text + indent, (int)(head - from),
                  s->text + from);
    size_t at = s->stmt.at[bar].at, start = at;
    while (start > 0 && (s->text[start - 1] == ' ' || s->text[start - 1] == '\t'))
        start--;
    struct wf_str whole = {0};
    wf_str_printf(&whole, "%.*s%s", blanks, s->text + indent, t.at);
    wf__edit_replace(&e, start, s->stmt.at[bar].end - start, whole.at);
    wf__edit_say(&e, "the if of line %u split around the barrier of line %u", wf__line_of(s, from), wf__line_of(s, at));
    wf__edits_done(&e, s, c->out);
    wf_str_fini(&t);
    wf_str_fini(&whole);
}

// The barrier leaves the if that it stands in.
static void propose_move(struct wf__case *c)
{
    const struct wf__source *s = c->s;
    for (uint32_t p = 0; p < c->f->n_parties; p++) {
        uint32_t bar = c->stmt[p];
        char text[80];
        if (!is_barrier_stmt(s, bar, text))
            continue;
        propose_split_if(c, bar, text);
        for (uint32_t i = s->stmt.at[bar].parent; i != WF__NO_STMT; i = s->stmt.at[i].parent) {
            if (s->stmt.at[i].kind != WF__STMT_IF)
                continue;
            for (int after = 1; after >= 0; after--) {
                struct wf__edits e = {0};
                wf__edit_remove_stmt(&e, s, bar);
                uint32_t to = wf__stmt_in_block(s, i);
                if (after)
                    wf__edit_after(&e, s, to, text);
                else
                    wf__edit_before(&e, s, to, text);
                wf__edit_say(&e, "the barrier of line %u moved %s the if of line %u", c->line[p], after ? "behind" : "before",
                             wf__line_of(s, s->stmt.at[i].at));
                wf__edits_done(&e, s, c->out);
            }
        }
    }
}

static void propose_wait(struct wf__case *c)
{
    for (uint32_t p = 0; p < c->f->n_parties; p++)
        if (strstr(c->f->party[p].op, "host"))
            put_before(c, wf__stmt_in_block(c->s, c->stmt[p]), "cudaDeviceSynchronize();");
}

static void propose_race(struct wf__case *c)
{
    const struct wf_finding *f = c->f;
    bool copy = strstr(f->fix, "wait for the copy") != NULL;
    if (copy && strstr(c->s->text, "__pipeline_"))
        wf__propose_barrier(c, "__pipeline_wait_prior(0);");
    if (copy) {
        wf__propose_barrier(c, "asm volatile(\"cp.async.wait_all;\" ::: \"memory\");");
        return;
    }
    bool is_one_line = f->n_parties > 1 && c->line[0] == c->line[1]; // which reads what it writes
    if (strstr(f->fix, "atomic") || is_one_line)
        wf__propose_atomics(c);
    if (is_one_line)
        wf__propose_split(c, strstr(f->fix, "__syncwarp()") ? "__syncwarp();" : "__syncthreads();");
    if (strstr(f->fix, "__syncwarp()"))
        wf__propose_barrier(c, "__syncwarp();");
    else if (strstr(f->fix, "__syncthreads()"))
        wf__propose_barrier(c, "__syncthreads();");
    if (f->kind == WF_F_RACE_GLOBAL)
        group_syncs(c, wf__propose_barrier);
    if (strstr(f->fix, "__syncwarp()"))
        wf__propose_barrier(c, "__syncthreads();");
}

static void propose(struct wf__case *c)
{
    switch ((int)c->f->kind) {
    case WF_F_RACE_SHARED: case WF_F_RACE_GLOBAL: case WF_F_RACE_WARP:
        propose_race(c);
        break;
    case WF_F_RACE_SCOPE:
        wf__propose_scope(c);
        break;
    case WF_F_RACE_VOLATILE: case WF_F_SPIN_HOISTED:
        wf__propose_atomics(c);
        break;
    case WF_F_FENCE_RELEASE: case WF_F_FENCE_ACQUIRE:
        propose_fence(c);
        wf__propose_scope(c);
        break;
    case WF_F_BARRIER_DIVERGENCE: case WF_F_DEADLOCK_BARRIER: case WF_F_DEADLOCK_SPIN:
        wf__propose_count(c);
        propose_join(c);
        propose_move(c);
        break;
    case WF_F_BARRIER_COUNT:
        wf__propose_count(c);
        break;
    case WF_F_WARP_MASK: case WF_F_DEADLOCK_WARP:
        wf__propose_mask(c);
        break;
    case WF_F_MEM_FREED:
        group_syncs(c, after_all);
        break;
    case WF_F_HOST_RACE: case WF_F_HOST_UNSYNCED:
        propose_wait(c);
        break;
    default:
        break;
    }
}

bool wf_cure_knows(enum wf_finding_kind k)
{
    static const enum wf_finding_kind known[] = {
        WF_F_RACE_SHARED,   WF_F_RACE_GLOBAL,        WF_F_RACE_WARP,        WF_F_RACE_SCOPE,    WF_F_RACE_VOLATILE,
        WF_F_SPIN_HOISTED,  WF_F_FENCE_RELEASE,      WF_F_FENCE_ACQUIRE,    WF_F_BARRIER_COUNT, WF_F_BARRIER_DIVERGENCE,
        WF_F_DEADLOCK_SPIN, WF_F_DEADLOCK_BARRIER,   WF_F_WARP_MASK,        WF_F_DEADLOCK_WARP, WF_F_MEM_FREED,
        WF_F_HOST_RACE,     WF_F_HOST_UNSYNCED,
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i] == k)
            return true;
    return false;
}

void wf_cure_propose(const struct wf_finding *f, const char *file, const char *text, size_t n, struct wf_cures *out)
{
    struct wf__source s;
    wf__source_parse(&s, text, n);
    struct wf__case c = wf__case_of(f, file, &s, out);
    propose(&c);
    wf__source_fini(&s);
}
