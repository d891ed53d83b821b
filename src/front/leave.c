// SPDX-License-Identifier: Apache-2.0
// An early "return;" is a block of the LLVM module that holds nothing but a branch to the function's end, and
// the code generator folds it away with its line. A report that says where threads left the kernel needs the
// line, so a jump in inline assembly holds the place.
#include <string.h> // strstr

#include "front/priv.h"

#define BRANCH "  br label %"
#define HOLDER "  call void asm sideeffect \"{ bra.uni WF_LEAVE;\\0AWF_LEAVE: }\", \"\"()"

// Is the block `name` of the function that ends at `end` nothing but a return?
static bool is_end(const char *fn, const char *end, const char *name, size_t n)
{
    for (const char *p = fn; (p = strchr(p, '\n')) && p < end; p++)
        if (strncmp(p + 1, name, n) == 0 && p[1 + n] == ':') {
            const char *next = strchr(p + 1, '\n');
            return next && strncmp(next + 1, "  ret void", 10) == 0;
        }
    return false;
}

bool wf__leave_mark(const char *ll, struct wf_str *out)
{
    const char *done = ll;
    for (const char *fn = ll; (fn = strstr(fn, "\ndefine ")); fn++) {
        const char *end = strstr(fn + 1, "\n}");
        if (!end)
            break;
        for (const char *p = fn; (p = strstr(p, ":")) && p < end; p++) {
            const char *line = strchr(p, '\n'); // behind a label
            if (!line || line >= end || strncmp(line + 1, BRANCH, strlen(BRANCH)) != 0)
                continue;
            const char *label = p;
            while (label[-1] != '\n' && label[-1] != ' ')
                label--;
            const char *name = line + 1 + strlen(BRANCH), *place = strchr(name, ',');
            size_t n = strcspn(name, ",\n ");
            if (label[-1] != '\n' || !place || name[n] != ',' || !is_end(fn, end, name, n))
                continue;
            wf_str_addn(out, done, (size_t)(line + 1 - done));
            wf_str_add(out, HOLDER);
            wf_str_addn(out, place, strcspn(place, "\n"));
            wf_str_add(out, "\n");
            done = line + 1;
        }
    }
    wf_str_add(out, done);
    return done != ll;
}
