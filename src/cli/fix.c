// SPDX-License-Identifier: Apache-2.0
// Verified cures. Each proposal (src/cure) is built and run like the program itself, in as many schedules. It
// counts when the finding is gone, no error or warning came that was not there before, and the program ends as it
// did or better. What counts is kept: the next finding is tried on the changed text. See fix.h.
//
// Findings of two texts are compared by kind and by the lines that they had in the original: a line that an
// edit put in is line 0.
#include "cli/fix.h"

#include <fcntl.h>  // open
#include <stdio.h>  // fprintf
#include <stdlib.h> // realpath
#include <string.h> // strcmp
#include <unistd.h> // dup2

#include "base/arena.h"   // wf_xmalloc
#include "base/file.h"    // wf_file_read
#include "base/vec.h"     // WF_VEC
#include "cli/cmd.h"      // wf__cli_fail
#include "cli/runs.h"     // wf__runs_all
#include "core/finding.h" // wf_finding_get
#include "core/loc.h"     // wf_loc_user
#include "core/record.h"  // wf_record_write
#include "cure/cure.h"    // wf_cure_propose

struct key { // a finding, whatever text it was seen in
    enum wf_finding_kind kind;
    enum wf_severity severity;
    uint32_t lines[WF_MAX_PARTIES], n; // of the original, ascending, each once
    const char *how;                   // why it stays
    uint32_t tried;
};
typedef WF_VEC(struct key) keys;

struct fix {
    const struct wf_options *o;
    const struct wf__fix_job *job;
    char dir[256], path[4400]; // a folder, and the changed text in it
    const char *file;                        // what findings call the text under test
    struct wf_file original;
    char *text; // as far as it is mended
    size_t n;
    int code; // of the program with that text
    keys failed;
    uint32_t edits, tried;
};

static bool is_same_file(const char *a, const char *b)
{
    char x[4096], y[4096];
    if (!strcmp(a, b))
        return true;
    return realpath(a, x) && realpath(b, y) && !strcmp(x, y);
}

static const struct wf_loc *in_file(const struct wf_loc *l, const char *file)
{
    l = wf_loc_user(l);
    while (l && (!l->file || !is_same_file(l->file, file)))
        l = l->inlined;
    return l;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static struct key key_of(const struct wf_finding *f, const char *file, const uint32_t *was, uint32_t count)
{
    struct key k = {.kind = f->kind, .severity = f->severity};
    for (uint32_t i = 0; i < f->n_parties; i++) {
        if (f->party[i].role == WF_PARTY_NOTE || f->party[i].role == WF_PARTY_ALLOC)
            continue;
        const struct wf_loc *l = in_file(f->party[i].loc, file);
        uint32_t line = !l ? UINT32_MAX : was && l->line <= count ? was[l->line] : l->line;
        bool is_known = false;
        for (uint32_t j = 0; j < k.n; j++)
            is_known |= k.lines[j] == line;
        if (!is_known)
            k.lines[k.n++] = line;
    }
    qsort(k.lines, k.n, sizeof *k.lines, by_number);
    return k;
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->kind == b->kind && a->n == b->n && !memcmp(a->lines, b->lines, a->n * sizeof *a->lines);
}

static bool holds(const keys *all, const struct key *k)
{
    for (size_t i = 0; i < all->n; i++)
        if (same_key(&all->at[i], k))
            return true;
    return false;
}

// Keys of what the store holds, seen in `text` under the name `file`.
static keys keys_of_store(const struct fix *x, const char *file, const char *text, size_t n)
{
    keys all = {0};
    uint32_t count, *was = wf_cure_lines(x->original.at, x->original.n, text, n, &count);
    for (uint32_t i = 0; i < wf_finding_total(); i++) {
        const struct wf_finding *f = wf_finding_get(i);
        if (f->severity != WF_SEV_ADVICE || f->kind == WF_F_FENCE_ACQUIRE)
            WF_PUSH(&all, key_of(f, file, was, count));
    }
    free(was);
    return all;
}

// What a compiler says of a proposal is nobody's business.
static enum wf_status build_quietly(struct fix *x, char *exe, size_t n)
{
    struct wf_err err;
    fflush(stderr);
    int keep = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
    if (null >= 0)
        dup2(null, STDERR_FILENO);
    enum wf_status rc = x->job->build(x->job->arg, x->path, exe, n, &err);
    fflush(stderr);
    if (keep >= 0)
        dup2(keep, STDERR_FILENO);
    close(keep);
    close(null);
    return rc;
}

// The store is emptied and filled with what the changed text shows. False when it does not build or run.
static bool try_text(struct fix *x, const struct wf_cure *c, struct wf__outcome *out)
{
    char exe[4096];
    struct wf_err err;
    x->tried++;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\rwarpfence: fix: trying %.60s \r", c->what);
    wf_finding_reset();
    if (wf_file_write_atomic(x->path, c->text, c->n, &err) != WF_OK || build_quietly(x, exe, sizeof exe) != WF_OK)
        return false;
    return wf__runs_all(x->o, exe, x->job->argv, true, out, &err) == WF_OK && !out->troubles && out->has_record &&
           !wf__runs_interrupted();
}

// A missing release that has become a missing acquire is half mended.
static bool is_still(const struct key *k, const struct key *target)
{
    struct key like = *k;
    if ((k->kind == WF_F_FENCE_ACQUIRE || k->kind == WF_F_FENCE_RELEASE) &&
        (target->kind == WF_F_FENCE_ACQUIRE || target->kind == WF_F_FENCE_RELEASE))
        like.kind = target->kind;
    return same_key(&like, target);
}

static bool is_better(struct fix *x, const keys *before, const struct key *target, const struct wf_cure *c,
                      const struct wf__outcome *out)
{
    keys now = keys_of_store(x, x->path, c->text, c->n);
    bool good = out->code == 0 || out->code == x->code;
    for (size_t i = 0; i < now.n && good; i++)
        good = !is_still(&now.at[i], target) && (now.at[i].severity == WF_SEV_ADVICE || holds(before, &now.at[i]));
    WF_VEC_FINI(&now);
    return good;
}

static void adopt(struct fix *x, const struct wf_cure *c, const struct wf__outcome *out)
{
    free(x->text);
    x->text = wf_xmalloc(c->n + 1);
    memcpy(x->text, c->text, c->n);
    x->text[c->n] = '\0';
    x->n = c->n;
    x->file = x->path;
    x->code = out->code;
    x->edits++;
}

static void say(const struct fix *x, const struct key *k, const char *how, uint32_t tried)
{
    const char *slug = wf_finding_slug(k->kind);
    if (k->n && k->lines[0] != UINT32_MAX)
        fprintf(stderr, "warpfence: fix: %s:%u: %s: %s", x->job->source, k->lines[0], slug, how);
    else
        fprintf(stderr, "warpfence: fix: %s: %s", slug, how);
    fprintf(stderr, tried ? " (tried: %u)\n" : "\n", tried);
}

static const char *file_of(const struct fix *x, const struct wf_finding *f)
{
    for (uint32_t p = 0; p < f->n_parties; p++) {
        const struct wf_loc *l = in_file(f->party[p].loc, x->file);
        if (l)
            return l->file;
    }
    return NULL;
}

// Tries what may mend the i-th finding of the store. True when one did: the store is then of the mended text.
static bool mend(struct fix *x, uint32_t i, struct key *target)
{
    const struct wf_finding *f = wf_finding_get(i);
    struct wf_cures cures = {0};
    struct wf_str saved = {0};
    struct wf_record none = {0};
    struct wf_err err;
    uint32_t before_tries = x->tried;
    char what[200];
    bool done = false;
    keys before = keys_of_store(x, x->file, x->text, x->n);
    const char *file = file_of(x, f), *how = "no edit is known for it";
    if (!file)
        how = "it lies in another file, which is left alone";
    else
        wf_cure_propose(f, file, x->text, x->n, &cures);
    wf_record_write(&none, &saved);
    for (size_t k = 0; k < cures.list.n && !done && !wf__runs_interrupted(); k++) {
        const struct wf_cure *c = &cures.list.at[k];
        struct wf__outcome out = {0};
        how = "no edit that was tried makes it go away and brings no other";
        done = try_text(x, c, &out) && is_better(x, &before, target, c, &out);
        if (done) {
            adopt(x, c, &out);
            snprintf(what, sizeof what, "%s", c->what);
            how = what;
        }
    }
    if (!done) { // as it was
        wf_finding_reset();
        wf_record_read(saved.at, saved.n, &none, &err);
        wf_finding_sort();
    }
    target->how = how;
    target->tried = x->tried - before_tries;
    if (done)
        say(x, target, how, target->tried);
    wf_cures_fini(&cures);
    wf_str_fini(&saved);
    WF_VEC_FINI(&before);
    return done;
}

// One finding that is not settled yet: mended, or noted as one that cannot be. False: none is left.
static bool step(struct fix *x)
{
    uint32_t count, *was = wf_cure_lines(x->original.at, x->original.n, x->text, x->n, &count);
    struct key k;
    uint32_t i = 0;
    bool found = false;
    wf_finding_sort();
    for (; i < wf_finding_total() && !found; i++) {
        k = key_of(wf_finding_get(i), x->file, was, count);
        found = k.severity != WF_SEV_ADVICE && !holds(&x->failed, &k);
    }
    free(was);
    if (!found || wf__runs_interrupted())
        return false;
    if (mend(x, i - 1, &k))
        x->failed.n = 0; // what could not be mended before may be now
    else
        WF_PUSH(&x->failed, k);
    return true;
}

static enum wf_status write_patch(const struct fix *x, struct wf_err *err)
{
    struct wf_str diff = {0};
    char old[4200], now[4200];
    const char *name = x->job->source;
    bool is_absolute = *name == '/';
    name += !strncmp(name, "./", 2) ? 2 : 0;
    snprintf(old, sizeof old, "%s%s", is_absolute ? "" : "a/", name);
    snprintf(now, sizeof now, "%s%s", is_absolute ? "" : "b/", name);
    wf_cure_diff(old, now, x->original.at, x->original.n, x->text, x->n, &diff);
    enum wf_status rc = WF_OK;
    if (*x->o->patch)
        rc = wf_file_write_atomic(x->o->patch, wf_str_get(&diff), diff.n, err);
    else
        fwrite(wf_str_get(&diff), 1, diff.n, stdout);
    fflush(stdout);
    wf_str_fini(&diff);
    return rc;
}

static enum wf_status set_up(struct fix *x, struct wf_err *err)
{
    const char *slash = strrchr(x->job->source, '/');
    enum wf_status rc = wf_file_read(x->job->source, &x->original, err);
    if (rc == WF_OK)
        rc = wf_file_tempdir(x->dir, sizeof x->dir, err);
    if (rc != WF_OK)
        return rc;
    snprintf(x->path, sizeof x->path, "%s/%s", x->dir, slash ? slash + 1 : x->job->source);
    x->file = x->job->source;
    x->n = x->original.n;
    x->text = wf_xmalloc(x->n + 1);
    memcpy(x->text, x->original.at, x->n + 1);
    return WF_OK;
}

static uint32_t count_real(const keys *all)
{
    uint32_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        n += all->at[i].severity != WF_SEV_ADVICE;
    return n;
}

static enum wf_status mend_all(struct fix *x, const struct wf__outcome *all, struct wf_err *err)
{
    enum wf_status rc = set_up(x, err);
    if (rc != WF_OK)
        return rc;
    x->code = all->code;
    keys first = keys_of_store(x, x->file, x->text, x->n), last;
    while (step(x))
        ;
    for (size_t i = 0; i < x->failed.n; i++)
        say(x, &x->failed.at[i], x->failed.at[i].how, x->failed.at[i].tried);
    last = keys_of_store(x, x->file, x->text, x->n);
    if (x->edits)
        rc = write_patch(x, err);
    if (first.n)
        fprintf(stderr, "warpfence: fix: %u of %u findings are gone\n", count_real(&first) - count_real(&last),
                count_real(&first));
    WF_VEC_FINI(&first);
    WF_VEC_FINI(&last);
    return rc;
}

int wf__run_fix(const struct wf_options *o, const struct wf__fix_job *job)
{
    struct fix x = {.o = o, .job = job};
    struct wf_err err;
    struct wf__outcome all = {0};
    int code = 0;
    enum wf_status rc = wf__runs_begin(&err);
    if (rc == WF_OK)
        rc = wf__runs_all(o, job->exe, job->argv, false, &all, &err);
    if (rc == WF_OK) {
        code = wf__runs_report(o, &all);
        rc = mend_all(&x, &all, &err);
    }
    if (*x.dir)
        wf_file_remove_tree(x.dir);
    wf__runs_end();
    free(x.text);
    wf_file_fini(&x.original);
    WF_VEC_FINI(&x.failed);
    return rc == WF_OK ? code : wf__cli_fail(&err);
}
