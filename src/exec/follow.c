// SPDX-License-Identifier: Apache-2.0
// Faults that follow from a race: threads which decided by what they read in one, and met wrongly after that.

#include <string.h> // strlen

#include "core/loc.h"
#include "exec/exec_priv.h"

static uint32_t index_of(const struct wf_code *c, const struct wf_site *s)
{
    for (uint32_t i = 0; i < c->n_sites; i++)
        if (c->sites[i] == exec__first_site(s))
            return i;
    return IR_NONE;
}

static bool find_out(const struct build_of *code, const struct wf_site *what, const struct wf_site *read)
{
    for (uint32_t i = 0; i < code->prog->n_funcs; i++) {
        uint32_t a = index_of(&code->code[i], what), b = index_of(&code->code[i], read);
        if (a != IR_NONE && b != IR_NONE)
            return ir_rests_on(code->prog->funcs[i], a, b);
    }
    return false;
}

// The same is asked for each of a race's many threads.
bool exec__rests_on(const struct wf_ev_grid *g, const struct wf_site *what, const struct wf_site *read)
{
    static _Thread_local struct {
        const struct wf_site *what, *read;
        bool rests;
    } known[64], *k;
    k = &known[(what->id * 7 + read->id) % 64];
    if (k->what != what || k->read != read) {
        k->rests = find_out(g->code, what, read);
        k->what = what;
        k->read = read;
    }
    return k->rests;
}

void exec__follows_race(struct grid *g, const struct wf_site *a, const struct wf_site *b, struct wf_finding *f)
{
    const struct wf_site *read[16];
    uint32_t n = g->ev && g->ev->raced_reads ? g->ev->raced_reads(g->ev->arg, &g->evg, read, 16) : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!exec__rests_on(&g->evg, a, read[i]) && !(b && exec__rests_on(&g->evg, b, read[i])))
            continue;
        size_t at = strlen(f->why);
        f->severity = WF_SEV_WARNING;
        snprintf(f->why + at, sizeof f->why - at, "%sline %u reads in a race what decides about it, which may be why",
                 at ? "; " : "", wf_loc_user(read[i]->loc)->line);
        return;
    }
}
