// SPDX-License-Identifier: Apache-2.0
// Advice that is tried before it is given. A barrier that ordered nothing is left out in a run of its own: when
// that run shows anything new or ends otherwise, nothing is said. And with one block resident at a time, blocks
// that start in ascending order must not wait for ever, or it is no matter of order; when they do in
// descending order, the kernel relies on the order in which blocks start, which CUDA does not promise.
#include "cli/advice.h"

#include <stdio.h>  // snprintf
#include <stdlib.h> // setenv
#include <string.h> // strcmp

#include "base/str.h"     // struct wf_str
#include "base/vec.h"     // WF_VEC
#include "cli/cmd.h"      // wf__cli_fail
#include "cli/runs.h"     // wf__runs_all
#include "core/finding.h" // wf_finding_get
#include "core/loc.h"     // wf_loc_user
#include "core/record.h"  // wf_record_write

struct advice {
    const struct wf_options *o;
    const char *path;
    char *const *argv;
    struct wf__outcome all;
    struct wf_str first; // the findings of the plain runs
    WF_VEC(char *) before, unneeded; // keys of what is no advice; "FILE:LINE" of barriers
};

// Kind and places, whatever the order of the parties.
static char *key_of(const struct wf_finding *f)
{
    struct wf_str s = {0};
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->n_parties; i++) {
        const struct wf_loc *l = wf_loc_user(f->party[i].loc);
        uint64_t h = UINT64_C(0xcbf29ce484222325) ^ (l ? l->line : 0);
        for (const char *c = l && l->file ? l->file : ""; *c; c++)
            h = (h ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
        sum += f->party[i].role == WF_PARTY_NOTE ? 0 : h;
    }
    wf_str_printf(&s, "%d %llx", (int)f->kind, (unsigned long long)sum);
    return s.at;
}

static bool is_known(const struct advice *a, const struct wf_finding *f)
{
    char *key = key_of(f);
    bool found = false;
    for (size_t i = 0; i < a->before.n; i++)
        found |= !strcmp(a->before.at[i], key);
    free(key);
    return found;
}

static enum wf_status run(struct advice *a, const char *name, const char *value, struct wf__outcome *out, struct wf_err *err)
{
    wf_finding_reset();
    setenv(name, value, 1);
    enum wf_status rc = wf__runs_all(a->o, a->path, a->argv, true, out, err);
    unsetenv(name);
    return rc;
}

static bool shows_more(const struct advice *a, const struct wf__outcome *out)
{
    if (out->code != a->all.code || !out->has_record || out->troubles != a->all.troubles)
        return true;
    for (uint32_t i = 0; i < wf_finding_total(); i++)
        if (wf_finding_get(i)->severity != WF_SEV_ADVICE && !is_known(a, wf_finding_get(i)))
            return true;
    return false;
}

static void note_barriers(struct advice *a)
{
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        const struct wf_loc *l = f->n_parties ? wf_loc_user(f->party[0].loc) : NULL;
        if (f->severity != WF_SEV_ADVICE)
            WF_PUSH(&a->before, key_of(f));
        if (f->kind != WF_F_BARRIER_REDUNDANT || !l || !l->file)
            continue;
        struct wf_str place = {0};
        wf_str_printf(&place, "%s:%u", l->file, l->line);
        WF_PUSH(&a->unneeded, place.at);
    }
}

// One after another; those that were not missed stay out.
static enum wf_status try_barriers(struct advice *a, struct wf_err *err)
{
    struct wf_str without = {0};
    enum wf_status rc = WF_OK;
    size_t kept = 0;
    for (size_t i = 0; i < a->unneeded.n && rc == WF_OK; i++) {
        struct wf__outcome out = {0};
        size_t n = without.n;
        wf_str_printf(&without, "%s%s", n ? "\n" : "", a->unneeded.at[i]);
        rc = run(a, "WARPFENCE_WITHOUT", without.at, &out, err);
        if (rc == WF_OK && !shows_more(a, &out) && !wf__runs_interrupted()) {
            a->unneeded.at[kept++] = a->unneeded.at[i];
            continue;
        }
        free(a->unneeded.at[i]);
        without.n = n;
        without.at[n] = '\0';
    }
    a->unneeded.n = kept;
    wf_str_fini(&without);
    return rc;
}

static bool keep(void *arg, struct wf_finding *f)
{
    struct advice *a = arg;
    const struct wf_loc *l = f->n_parties ? wf_loc_user(f->party[0].loc) : NULL;
    char place[4200];
    if (f->kind != WF_F_BARRIER_REDUNDANT || !l || !l->file)
        return true;
    snprintf(place, sizeof place, "%s:%u", l->file, l->line);
    for (size_t i = 0; i < a->unneeded.n; i++)
        if (!strcmp(a->unneeded.at[i], place)) {
            size_t n = strlen(f->sentence);
            snprintf(f->sentence + n, sizeof f->sentence - n, " A run without it (and without others of which this is said) showed nothing new.");
            return true;
        }
    return false;
}

static const struct wf_finding *deadlock(const struct advice *a)
{
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        bool is_wait = f->kind == WF_F_DEADLOCK_SPIN || f->kind == WF_F_DEADLOCK_RESIDENCY || f->kind == WF_F_SPIN_HOISTED;
        if (is_wait && f->severity == WF_SEV_ERROR && !is_known(a, f))
            return f;
    }
    return NULL;
}

// Does a wait have no end in descending order only? Then the record holds what to say of it, among others.
static bool relies_on_order(struct advice *a, struct wf_str *record, struct wf_err *err)
{
    struct wf__outcome out = {0};
    struct wf_record none = {0};
    bool found = false;
    setenv("WARPFENCE_RESIDENT_BLOCKS", "1", 1);
    if (run(a, "WARPFENCE_DESCENDING", "no", &out, err) == WF_OK && !deadlock(a) &&
        run(a, "WARPFENCE_DESCENDING", "yes", &out, err) == WF_OK && deadlock(a)) {
        struct wf_finding f = *deadlock(a);
        f.kind = WF_F_START_ORDER;
        f.severity = WF_SEV_ADVICE;
        snprintf(f.sentence, sizeof f.sentence,
                 "A block waits for blocks of lower index: it ends because those have started before.");
        snprintf(f.why, sizeof f.why,
                 "CUDA does not say in which order blocks start; with one block resident and a descending order the "
                 "kernel never ended, with an ascending one it did");
        snprintf(f.fix, sizeof f.fix,
                 "take the place in line from a counter (ticket = atomicAdd(&next, 1) in one thread of the block), not "
                 "from blockIdx");
        found = true;
        wf_finding_add(&f);
        wf_record_write(&none, record);
    }
    if (a->o->resident_blocks) {
        char n[24];
        snprintf(n, sizeof n, "%lld", (long long)a->o->resident_blocks);
        setenv("WARPFENCE_RESIDENT_BLOCKS", n, 1);
    } else {
        unsetenv("WARPFENCE_RESIDENT_BLOCKS");
    }
    return found;
}

static bool only_start_order(void *arg, struct wf_finding *f)
{
    (void)arg;
    return f->kind == WF_F_START_ORDER;
}

static enum wf_status gather(struct advice *a, struct wf_err *err)
{
    struct wf_record none = {0};
    struct wf_str order = {0};
    enum wf_status rc = wf__runs_all(a->o, a->path, a->argv, false, &a->all, err);
    if (rc != WF_OK)
        return rc;
    wf_record_write(&none, &a->first);
    note_barriers(a);
    rc = try_barriers(a, err);
    bool found = rc == WF_OK && !wf__runs_interrupted() && relies_on_order(a, &order, err);
    wf_finding_reset();
    if (rc == WF_OK)
        rc = wf_record_read_some(a->first.at, a->first.n, &none, keep, a, err);
    if (rc == WF_OK && found)
        rc = wf_record_read_some(order.at, order.n, &none, only_start_order, NULL, err);
    wf_str_fini(&order);
    return rc;
}

int wf__run_advice(const struct wf_options *o, const char *path, char *const argv[])
{
    struct wf_err err;
    struct advice a = {.o = o, .path = path, .argv = argv};
    enum wf_status rc = wf__runs_begin(&err);
    if (rc == WF_OK)
        rc = gather(&a, &err);
    int code = rc == WF_OK ? wf__runs_report(o, &a.all) : wf__cli_fail(&err);
    wf__runs_end();
    for (size_t i = 0; i < a.before.n; i++)
        free(a.before.at[i]);
    for (size_t i = 0; i < a.unneeded.n; i++)
        free(a.unneeded.at[i]);
    WF_VEC_FINI(&a.before);
    WF_VEC_FINI(&a.unneeded);
    wf_str_fini(&a.first);
    return code;
}
