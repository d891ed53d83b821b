// SPDX-License-Identifier: Apache-2.0
// Arguments of a kernel given as words (--arg, --grid). Knows no engine: text to bytes only.
#ifndef WF_SESSION_ARGS_H
#define WF_SESSION_ARGS_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "base/err.h"    // enum wf_status
#include "base/str.h"    // struct wf_str
#include "core/launch.h" // struct wf_dim3

enum wf__arg_type { // element types
    WF__ARG_S8,
    WF__ARG_U8,
    WF__ARG_S16,
    WF__ARG_U16,
    WF__ARG_S32,
    WF__ARG_U32,
    WF__ARG_S64,
    WF__ARG_U64,
    WF__ARG_F32,
    WF__ARG_F64
};

struct wf__arg {
    enum wf__arg_type type;
    bool is_memory, is_output; // buf: and out:
    uint64_t count;            // elements of memory
    uint8_t value[8];          // the scalar, or what each element of memory starts as
    bool is_iota;              // elements start as 0, 1, 2, ...
    const char *file;          // elements start as the bytes of this file; borrowed, NULL for none
};

unsigned wf__arg_bytes(enum wf__arg_type t);
// "s32:-5", "buf:1024xf32", "out:1024xf32=iota", "buf:8xu8=@file".
enum wf_status wf__arg_parse(const char *text, struct wf__arg *out, struct wf_err *err);
// Writes the elements' first values; `to` has room for count of them.
enum wf_status wf__arg_fill(const struct wf__arg *a, void *to, struct wf_err *err);
// Appends "0 1 2 ...": at most `limit` elements, then how many more there are.
void wf__arg_print(const struct wf__arg *a, const void *at, uint64_t limit, struct wf_str *out);
// "4" or "4,2" or "4,2,1"; `what` is for the message.
enum wf_status wf__dim_parse(const char *what, const char *text, struct wf_dim3 *out,
                             struct wf_err *err);

#endif
