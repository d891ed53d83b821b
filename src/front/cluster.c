// SPDX-License-Identifier: Apache-2.0
// clang 19 has no cluster attribute. Our __cluster_dims__ leaves an annotation, which stands in the
// textual LLVM module as
//     @llvm.global.annotations = ... [{...} { ptr @KERNEL, ptr @TAG, ptr @FILE, i32 LINE, ptr @ARGS
//     }, ...]
//     @TAG = ... c"warpfence.cluster\00"          @ARGS = ... { i32, i32 } { i32 2, i32 1 }
// and from which the PTX gets .explicitcluster and .reqnctapercluster.
#define _GNU_SOURCE // memmem
#include <stdio.h>  // sscanf
#include <stdlib.h> // strtoul
#include <string.h> // strstr

#include "front/priv.h"

#define TAG "c\"warpfence.cluster\\00\""

// The line that defines @name, or NULL.
static const char *definition(const char *ll, const char *name, size_t n)
{
    for (const char *p = ll; (p = strstr(p, "\n@")); p += 2)
        if (strncmp(p + 2, name, n) == 0 && strncmp(p + 2 + n, " = ", 3) == 0)
            return p + 2 + n;
    return NULL;
}

static bool line_has(const char *line, const char *text)
{
    size_t n = line ? strcspn(line, "\n") : 0;
    return line && memmem(line, n, text, strlen(text)) != NULL;
}

// "@name" at or behind *p, at most up to `end`; moves *p behind it.
static bool next_name(const char **p, const char *end, const char **name, size_t *n)
{
    const char *at = memchr(*p, '@', (size_t)(end - *p));
    if (!at)
        return false;
    *name = at + 1;
    *n = strcspn(at + 1, ",) }");
    *p = at + 1 + *n;
    return *p <= end;
}

// The values in "... { i32, i32 } { i32 2, i32 1 }, ...".
static void read_dims(const char *line, unsigned dims[3])
{
    const char *p = strstr(line, "} {");
    for (int i = 0; p && i < 3; i++) {
        p = strstr(p, " i");
        if (!p)
            return;
        p += strcspn(p + 1, " ") + 1; // behind the type
        dims[i] = (unsigned)strtoul(p, NULL, 10);
        if (p[strcspn(p, ",}\n")] != ',')
            return;
    }
}

// Writes the directives behind the parameter list of the kernel's body.
static void mark_kernel(struct wf_str *ptx, const char *name, size_t n, const unsigned dims[3])
{
    for (const char *p = wf_str_get(ptx); (p = strstr(p, ".entry ")); p += 7) {
        const char *end = strchr(p, ')');
        if (strncmp(p + 7, name, n) != 0 || !strchr("(\n ", p[7 + n]) || !end)
            continue;
        const char *body = end + 1 + strspn(end + 1, " \t\n");
        if (*body == ';') // a declaration
            continue;
        struct wf_str out = {0};
        wf_str_addn(&out, ptx->at, (size_t)(end + 1 - ptx->at));
        wf_str_printf(&out, "\n.explicitcluster\n.reqnctapercluster %u, %u, %u\n", dims[0], dims[1],
                      dims[2]);
        wf_str_add(&out, end + 1);
        wf_str_fini(ptx);
        *ptx = out;
        return;
    }
}

void wf__cluster_mark(const char *ll, struct wf_str *ptx)
{
    const char *p = strstr(ll, "@llvm.global.annotations = ");
    if (!p || !strstr(ll, TAG))
        return;
    const char *end = p + strcspn(p, "\n");
    while ((p = memmem(p, (size_t)(end - p), "{ ptr @", 7))) {
        const char *kernel, *tag, *file, *args;
        size_t kernel_n, tag_n, file_n, args_n;
        unsigned dims[3] = {1, 1, 1};
        if (!next_name(&p, end, &kernel, &kernel_n) || !next_name(&p, end, &tag, &tag_n) ||
            !next_name(&p, end, &file, &file_n) || !line_has(definition(ll, tag, tag_n), TAG) ||
            !next_name(&p, end, &args, &args_n))
            continue;
        const char *values = definition(ll, args, args_n);
        if (values) {
            read_dims(values, dims);
            mark_kernel(ptx, kernel, kernel_n, dims);
        }
    }
}
