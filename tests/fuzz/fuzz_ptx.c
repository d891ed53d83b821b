// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the PTX front end: whatever parses must print, and what was printed must parse and
// print the same.
#include <stdint.h> // uint8_t
#include <stdlib.h> // abort
#include <string.h> // strcmp

#include "base/arena.h" // struct wf_arena
#include "base/str.h"   // struct wf_str
#include "ptx/parse.h"  // ptx_parse

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct wf_arena arena;
    struct ptx_module *m;
    struct wf_err err;
    wf_arena_init(&arena, "fuzz");
    if (ptx_parse(&arena, "fuzz.ptx", (const char *)data, n, &m, &err) == WF_OK) {
        struct wf_str first = {0}, second = {0};
        struct ptx_module *again;
        ptx_print(m, &first);
        if (ptx_parse(&arena, "again.ptx", wf_str_get(&first), first.n, &again, &err) != WF_OK)
            abort();
        ptx_print(again, &second);
        if (strcmp(wf_str_get(&first), wf_str_get(&second)) != 0)
            abort();
        wf_str_fini(&first);
        wf_str_fini(&second);
    }
    wf_arena_fini(&arena);
    return 0;
}
