// SPDX-License-Identifier: Apache-2.0
// Reads the Makefile rule that compilers and the linker write with -MD and --dependency-file.
#include <string.h> // strstr

#include "base/file.h"
#include "front/priv.h"

enum wf_status wf__deps_read(const char *path, struct wf_arena *arena, struct wf__argv *out,
                             struct wf_err *err)
{
    struct wf_file f;
    enum wf_status st = wf_file_read(path, &f, err);
    if (st != WF_OK)
        return st;
    // The prerequisites stand behind the colon that ends the target.
    const char *s = strstr(f.at, ": ");
    s = s ? s + 2 : f.at + f.n;
    struct wf_str name = {0};
    for (;; s++) {
        bool ends = !*s || *s == ' ' || *s == '\t' || *s == '\n' || *s == '\r';
        if (*s == '\\' && (s[1] == '\n' || s[1] == '\r')) {
            ends = true;
            s++;
        } else if (*s == '\\' && (s[1] == ' ' || s[1] == '#' || s[1] == '\\')) {
            wf_str_addc(&name, *++s);
            continue;
        } else if (*s == '$' && s[1] == '$') {
            s++;
        }
        if (!ends) {
            wf_str_addc(&name, *s);
            continue;
        }
        if (name.n)
            wf__argv_add(out, wf_arena_strndup(arena, name.at, name.n));
        name.n = 0;
        if (!*s || (*s == '\n' && s[-1] != '\\'))
            break; // -MP would add phony rules behind the first; we do not ask for them
    }
    wf_str_fini(&name);
    wf_file_fini(&f);
    return WF_OK;
}
