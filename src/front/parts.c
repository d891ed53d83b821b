// SPDX-License-Identifier: Apache-2.0
// Device code in several sources (-rdc). For the host part of one clang leaves a call of
//     __cudaRegisterLinkedBinary_ID(globals, wrapper, id, callback)
// to a device linker. Ours is the runtime: the call goes to wf_register_part of our cuda_runtime.h, which registers
// the source's code as one part of several. Done in the textual LLVM module.
#include <string.h> // strstr

#include "base/file.h"
#include "front/priv.h"

#define CALL "@__cudaRegisterLinkedBinary"

// The module without the declaration, and with the other name.
static void rename_call(const char *ll, struct wf_str *out)
{
    for (const char *line = ll; *line;) {
        size_t n = strcspn(line, "\n");
        n += line[n] == '\n';
        const char *at = strstr(line, CALL);
        if (at && at < line + n && strncmp(line, "declare", 7) == 0) {
            line += n;
            continue;
        }
        if (at && at < line + n) {
            wf_str_addn(out, line, (size_t)(at - line));
            wf_str_add(out, "@wf_register_part");
            at += strcspn(at, "(");
            n -= (size_t)(at - line);
            line = at;
        }
        wf_str_addn(out, line, n);
        line += n;
    }
}

enum wf_status wf__part_mark(const char *module, struct wf_err *err)
{
    struct wf_file ll;
    struct wf_str out = {0};
    enum wf_status st = wf_file_read(module, &ll, err);
    if (st != WF_OK)
        return st;
    rename_call(ll.at, &out);
    st = wf_file_write_atomic(module, out.at, out.n, err);
    wf_str_fini(&out);
    wf_file_fini(&ll);
    return st;
}
