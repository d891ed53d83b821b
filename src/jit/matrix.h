// SPDX-License-Identifier: Apache-2.0
// How compiled code tells wf_x_matrix the operation: fields of one 64-bit code. Operands are arrays of 32 lanes, in
// the order of ir_insn.more; of 64-bit registers and addresses 64 bits a lane, else 32.
#ifndef WF_JIT_MATRIX_H
#define WF_JIT_MATRIX_H

#include <stdint.h> // uint64_t

enum wf_matrix_what {
    WF_MATRIX_MMA,
    WF_MATRIX_WMMA,
    WF_MATRIX_LOAD,  // wmma.load: m rows, k columns, n: of an accumulator
    WF_MATRIX_STORE, // wmma.store
    WF_MATRIX_LDM,   // ldmatrix: k matrices of 8 x 8
    WF_MATRIX_STM,
    WF_MATRIX_MOVM,
};

struct wf_matrix { // the code, unpacked
    unsigned what, m, n, k;
    unsigned col_a, col_b, satfinite, is_and, rnd; // rnd: 'n', 'z', 'm' or 'p' less 'a'
    unsigned d, a, b, c;                           // enum ptx_type; loads and stores: d and the space in c
    unsigned n_src;
};

static inline uint64_t wf_matrix_code(const struct wf_matrix *x)
{
    return (uint64_t)x->what | (uint64_t)x->m << 3 | (uint64_t)x->n << 9 | (uint64_t)x->k << 15 | (uint64_t)x->col_a << 24 |
           (uint64_t)x->col_b << 25 | (uint64_t)x->satfinite << 26 | (uint64_t)x->is_and << 27 | (uint64_t)x->d << 28 |
           (uint64_t)x->a << 35 | (uint64_t)x->b << 42 | (uint64_t)x->c << 49 | (uint64_t)x->rnd << 56;
}

static inline struct wf_matrix wf_matrix_of(uint64_t c)
{
    return (struct wf_matrix){.what = c & 7, .m = c >> 3 & 63, .n = c >> 9 & 63, .k = c >> 15 & 511, .col_a = c >> 24 & 1,
                              .col_b = c >> 25 & 1, .satfinite = c >> 26 & 1, .is_and = c >> 27 & 1, .d = c >> 28 & 127,
                              .a = c >> 35 & 127, .b = c >> 42 & 127, .c = c >> 49 & 127, .rnd = c >> 56 & 31};
}

#endif
