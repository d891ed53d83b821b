// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 arithmetic of atomics, on bit patterns, rounded to nearest even.
#ifndef WF_EXEC_HALF_H
#define WF_EXEC_HALF_H

#include <math.h>    // fmaf
#include <stdbool.h> // bool
#include <stdint.h>  // uint16_t
#include <string.h>  // memcpy

static inline float wf__half_float(uint16_t h, bool bf)
{
    float f;
    if (bf) {
        uint32_t w = (uint32_t)h << 16;
        memcpy(&f, &w, 4);
        return f;
    }
    _Float16 x;
    memcpy(&x, &h, 2);
    return (float)x;
}

static inline uint16_t wf__float_half(float f, bool bf)
{
    uint16_t h;
    if (f != f)
        return 0x7fff;
    if (bf) {
        uint32_t w;
        memcpy(&w, &f, 4);
        return (uint16_t)((w + 0x7fff + ((w >> 16) & 1)) >> 16);
    }
    _Float16 x = (_Float16)f;
    memcpy(&h, &x, 2);
    return h;
}

// The float sum of two halves is exact but for bf16 of very different size, where double steps in.
static inline uint16_t wf__f16_add(uint16_t a, uint16_t b)
{
    return wf__float_half(wf__half_float(a, false) + wf__half_float(b, false), false);
}

static inline uint16_t wf__bf16_add(uint16_t a, uint16_t b)
{
    float x = wf__half_float(a, true), y = wf__half_float(b, true), s = x + y;
    double d = (double)x + (double)y, e = d - (double)s;
    uint32_t w;
    memcpy(&w, &s, 4);
    // Round to odd when the float sum was inexact, so that the second rounding does not see a false tie.
    if (s == s && e != 0 && !(w & 1))
        w = (e > 0) == (s > 0) ? w + 1 : w - 1;
    memcpy(&s, &w, 4);
    return wf__float_half(s, true);
}

static inline uint16_t wf__half_minmax(uint16_t a, uint16_t b, bool bf, bool is_min)
{
    float x = wf__half_float(a, bf), y = wf__half_float(b, bf);
    if (x != x)
        return y != y ? 0x7fff : b;
    if (y != y)
        return a;
    if (x == y)
        return is_min ? (uint16_t)(a | b) : (uint16_t)(a & b); // signed zeros; equal otherwise
    return (x < y) == is_min ? a : b;
}

#endif
