// SPDX-License-Identifier: Apache-2.0
// Typed growing array on the heap: WF_VEC(struct x) v = {0}; WF_PUSH(&v, item); v.n; v.at[i];
// WF_VEC_FINI(&v).
#ifndef WF_BASE_VEC_H
#define WF_BASE_VEC_H

#include <stdlib.h> // free

#include "base/arena.h" // wf_xrealloc

#define WF_VEC(T)                                                                                  \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t n, cap;                                                                             \
    }
#define WF_VEC_RESERVE(v, want)                                                                    \
    do {                                                                                           \
        if ((v)->cap < (want)) {                                                                   \
            (v)->cap = (want) > 2 * (v)->cap ? (want) : 2 * (v)->cap;                              \
            (v)->at = wf_xrealloc((v)->at, (v)->cap * sizeof *(v)->at);                            \
        }                                                                                          \
    } while (0)
#define WF_PUSH(v, ...)                                                                            \
    do {                                                                                           \
        WF_VEC_RESERVE(v, (v)->n + 1);                                                             \
        (v)->at[(v)->n++] = __VA_ARGS__;                                                           \
    } while (0)
#define WF_VEC_FINI(v) (free((v)->at), (v)->at = NULL, (v)->n = (v)->cap = 0)

#endif
