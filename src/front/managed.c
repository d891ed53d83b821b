// SPDX-License-Identifier: Apache-2.0
// clang has no __managed__ for CUDA. Ours leaves an annotation, which stands in the textual LLVM module as
//     @llvm.global.annotations = ... { ptr addrspacecast (ptr addrspace(1) @NAME to ptr), ptr @TAG, ... }, ...
//     @TAG = ... c"warpfence.managed\00"
// and from which the variable gets .attribute(.managed) in the PTX.
#include <string.h> // strstr

#include "front/priv.h"

#define TAG "c\"warpfence.managed\\00\""
#define VARIABLE "{ ptr addrspacecast (ptr addrspace(1) @"

// Is @name, of n characters, the tag?
static bool is_tag(const char *ll, const char *name, size_t n)
{
    for (const char *p = ll; (p = strstr(p, "\n@")); p += 2)
        if (strncmp(p + 2, name, n) == 0 && strncmp(p + 2 + n, " = ", 3) == 0) {
            const char *tag = strstr(p, TAG);
            return tag && tag < p + 2 + strcspn(p + 2, "\n");
        }
    return false;
}

// Writes the attribute behind ".global" of the line that declares the variable.
static bool mark(struct wf_str *ptx, const char *name, size_t n)
{
    for (const char *p = wf_str_get(ptx); (p = strstr(p, ".global ")); p += 8) {
        size_t line = strcspn(p, "\n;=");
        const char *at = p;
        while ((at = strstr(at, name)) && at < p + line) {
            bool whole = at[-1] == ' ' && strchr("[ ;=\n", at[n]);
            if (whole) {
                struct wf_str out = {0};
                wf_str_addn(&out, ptx->at, (size_t)(p + 8 - ptx->at));
                wf_str_add(&out, ".attribute(.managed) ");
                wf_str_add(&out, p + 8);
                wf_str_fini(ptx);
                *ptx = out;
                return true;
            }
            at++;
        }
    }
    return false;
}

bool wf__managed_mark(const char *ll, struct wf_str *ptx)
{
    bool any = false;
    const char *p = strstr(ll, "@llvm.global.annotations = ");
    if (!p || !strstr(ll, TAG))
        return false;
    const char *end = p + strcspn(p, "\n");
    while ((p = strstr(p, VARIABLE)) && p < end) {
        const char *name = p + strlen(VARIABLE);
        size_t n = strcspn(name, " )");
        const char *tag = strchr(name + n, '@');
        char text[512];
        p = name;
        if (!tag || tag > end || n >= sizeof text || !is_tag(ll, tag + 1, strcspn(tag + 1, ", )")))
            continue;
        memcpy(text, name, n);
        text[n] = 0;
        any |= mark(ptx, text, n);
    }
    return any;
}
