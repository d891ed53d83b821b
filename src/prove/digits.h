// SPDX-License-Identifier: Apache-2.0
// The digits that an address is made of: weight times 0, 1, ... up to the extent.
#ifndef WF_PROVE_DIGITS_H
#define WF_PROVE_DIGITS_H

#include <stdint.h> // int64_t
#include <stdlib.h> // qsort

struct digit {
    int64_t weight, extent; // weight > 0
};

static inline int prove__by_weight(const void *a, const void *b)
{
    const struct digit *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static inline void prove__sort_digits(struct digit *d, uint32_t n)
{
    qsort(d, n, sizeof *d, prove__by_weight);
}

static inline int64_t prove__magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

static inline int64_t prove__floor_div(int64_t a, int64_t b) // b > 0
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

#endif
