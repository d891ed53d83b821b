// SPDX-License-Identifier: Apache-2.0
// Values of an H200 as test data: ops.txt lists PTX texts, values.c expands them and makes the
// inputs; record.cu runs them on a GPU, check.c runs our emitters and compares. Both sides use this
// header, so only results have to be stored.
#ifndef WF_TESTS_VALUES_H
#define WF_TESTS_VALUES_H

#include <stdint.h> // uint64_t

#ifdef __cplusplus
extern "C" {
#endif

#define VAL_N 2048     // input rows of an operation
#define VAL_STORED 256 // results stored whole; the others by a hash of each VAL_BLOCK
#define VAL_BLOCK 128
#define VAL_HASHES ((VAL_N - VAL_STORED) / VAL_BLOCK)
#define VAL_MAX_SRC 4

struct val_operand {
    char kind[12]; // type name or "pred", "n" (a count), "len", "trig", ...
    uint32_t bits; // of the register: 1 for a predicate, 16, 32, 64
};

struct val_op {
    char text[200]; // PTX: one or more instructions over the registers d, a, b, c, e (t, u, p, q:
                    // scratch)
    struct val_operand dst, src[VAL_MAX_SRC];
    uint32_t n_src;
};

struct val_sweep { // a line of sweeps.txt
    uint32_t hash, first, count, step;
    char text[100];
};

// Reads one line; 0 when it is a comment.
int val_sweep_read(const char *line, struct val_sweep *w);
// Reads ops.txt (its text). Returns the number of operations; the array is the caller's (free).
uint32_t val_read(const char *text, struct val_op **out);
// Row `row` of source `i`, as register bits.
uint64_t val_input(const struct val_op *op, uint32_t i, uint32_t row);
// Declarations and instructions, predicates loaded from and stored to 32-bit registers: in a1.. and
// d1.
void val_body(const struct val_op *op, char *buf, uint32_t n);
uint32_t val_bytes(const struct val_operand *o); // in memory
uint32_t val_hash(const void *p, uint32_t n);

#ifdef __cplusplus
}
#endif

#endif
