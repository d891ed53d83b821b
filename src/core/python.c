// SPDX-License-Identifier: Apache-2.0
// Findings of kernels written in Python name what Python programs call: cuda.syncthreads(), not __syncthreads().
#include <stdio.h>  // snprintf
#include <string.h> // strstr

#include "core/finding.h"

static bool is_python(const struct wf_loc *loc)
{
    size_t n = loc && loc->file ? strlen(loc->file) : 0;
    return n > 3 && strcmp(loc->file + n - 3, ".py") == 0;
}

static void rename_in(char *text, size_t size, const char *from)
{
    char out[512];
    size_t n = strlen(from);
    for (char *at = text; (at = strstr(at, from)); at += n) {
        snprintf(out, sizeof out, "%.*scuda.%s", (int)(at - text), text, at + 2); // less the two dashes
        snprintf(text, size, "%s", out);
    }
}

static void rename_all(char *text, size_t size)
{
    rename_in(text, size, "__sync");
    rename_in(text, size, "__threadfence");
}

void wf__finding_python(struct wf_finding *f)
{
    bool is = false;
    for (uint32_t i = 0; i < f->n_parties; i++)
        is |= is_python(f->party[i].loc);
    if (!is)
        return;
    rename_all(f->sentence, sizeof f->sentence);
    rename_all(f->why, sizeof f->why);
    rename_all(f->fix, sizeof f->fix);
    for (uint32_t i = 0; i < f->n_parties; i++) {
        rename_all(f->party[i].op, sizeof f->party[i].op);
        rename_all(f->party[i].note, sizeof f->party[i].note);
    }
}
