// SPDX-License-Identifier: Apache-2.0
// What a register holds in all threads of a launch at once.
//
// A form is k + sum of c[i] * atom[i] + s. The atoms are the digits of tid and ctaid: as many bits as the extent has
// factors of two, and one digit for the odd rest; each takes all values below its extent, independently of the others.
// s is lo plus any multiple of `grain` up to hi, another in each thread. A form is a number, not a bit pattern: the register holds
// it modulo 2^bits; who needs it as signed or unsigned asks (prove__as).
#ifndef WF_PROVE_VALUE_H
#define WF_PROVE_VALUE_H

#include <stdbool.h> // bool
#include <stdint.h>  // int64_t

#include "base/arena.h" // struct wf_arena

#define PROVE_ATOMS 48

struct form {
    bool is_known; // false: any value of `bits` bits
    uint8_t bits;
    int64_t k, lo, hi, grain;
    int64_t min, max; // of all threads
    int64_t origin;   // the pointer of the launch's that is part of it, 0: none or several
    int64_t c[];      // [n_atoms]
};

struct space { // the threads of a launch
    struct wf_arena *arena;
    uint32_t n, n_tid;            // atoms; the first n_tid belong to the thread's index
    int64_t extent[PROVE_ATOMS];
    int64_t linear[PROVE_ATOMS];  // weight in the thread's number in the block, 0 for ctaid's
    const struct form *id[2][3];  // tid, ctaid
    bool has_warps;               // each atom lies inside of a warp or outside
};

bool prove__space(struct space *s, const uint32_t block[3], const uint32_t grid[3]);

const struct form *prove__unknown(struct space *s, unsigned bits);
const struct form *prove__constant(struct space *s, unsigned bits, int64_t k);
const struct form *prove__between(struct space *s, unsigned bits, int64_t lo, int64_t hi);
bool prove__is_constant(const struct space *s, const struct form *a, int64_t *k);
bool prove__has_atoms(const struct form *a, uint32_t from, uint32_t to);
bool prove__same_atoms(const struct space *s, const struct form *a, const struct form *b);

// The register's bits as a signed or an unsigned number.
const struct form *prove__as(struct space *s, const struct form *a, bool is_signed);
// Numbers of `bits` bits; what does not fit is unknown.
const struct form *prove__add(struct space *s, unsigned bits, const struct form *a, const struct form *b, int64_t times);
const struct form *prove__mul(struct space *s, unsigned bits, const struct form *a, const struct form *b);
const struct form *prove__scaled(struct space *s, unsigned bits, const struct form *a, int64_t k, int64_t plus);
const struct form *prove__resized(struct space *s, unsigned bits, const struct form *a);
const struct form *prove__divided(struct space *s, const struct form *a, int64_t by, bool rest); // a >= 0 or by a power of 2: rounds down
const struct form *prove__and(struct space *s, const struct form *a, const struct form *b);
const struct form *prove__or(struct space *s, const struct form *a, const struct form *b);
const struct form *prove__reversed(struct space *s, const struct form *a);
const struct form *prove__xor(struct space *s, const struct form *a, const struct form *b);
int64_t prove__gcd(int64_t a, int64_t b); // not negative; gcd(0, b) = |b|
// Either of the two, nobody knows in which thread.
const struct form *prove__either(struct space *s, const struct form *a, const struct form *b);

#endif
