// SPDX-License-Identifier: Apache-2.0
// __shfl_sync and its three sisters. 64-bit values travel as two words, the high one first, as with
// nvcc.
#ifndef WF_CUDA_SHUFFLE_H
#define WF_CUDA_SHUFFLE_H

#include "common.h"

// Clamp operand: ((32 - width) << 8) | last lane of a segment (0 for up). ISA, "shfl.sync".
#define WF_SHFL_WORD(name, op, last)                                                               \
    WF_DEV unsigned int wf_##name(unsigned int mask, unsigned int value, int by, int width)        \
    {                                                                                              \
        unsigned int r, c = (unsigned int)(32 - width) << 8 | last;                                \
        asm volatile("{ .reg .pred p; shfl.sync." op ".b32 %0|p, %1, %2, %3, %4; }"                \
                     : "=r"(r)                                                                     \
                     : "r"(value), "r"(by), "r"(c), "r"(mask)                                      \
                     : "memory");                                                                  \
        return r;                                                                                  \
    }
WF_SHFL_WORD(shfl_idx, "idx", 31)
WF_SHFL_WORD(shfl_up, "up", 0)
WF_SHFL_WORD(shfl_down, "down", 31)
WF_SHFL_WORD(shfl_bfly, "bfly", 31)
#undef WF_SHFL_WORD

#define WF_SHFL_32(name, word, T)                                                                  \
    WF_DEV T name(unsigned int mask, T value, int by, int width = 32)                              \
    {                                                                                              \
        unsigned int bits;                                                                         \
        __builtin_memcpy(&bits, &value, 4);                                                        \
        bits = word(mask, bits, by, width);                                                        \
        __builtin_memcpy(&value, &bits, 4);                                                        \
        return value;                                                                              \
    }
#define WF_SHFL_64(name, word, T)                                                                  \
    WF_DEV T name(unsigned int mask, T value, int by, int width = 32)                              \
    {                                                                                              \
        unsigned long long bits;                                                                   \
        __builtin_memcpy(&bits, &value, 8);                                                        \
        unsigned int high = word(mask, (unsigned int)(bits >> 32), by, width);                     \
        unsigned int low = word(mask, (unsigned int)bits, by, width);                              \
        bits = (unsigned long long)high << 32 | low;                                               \
        __builtin_memcpy(&value, &bits, 8);                                                        \
        return value;                                                                              \
    }
#define WF_SHFL(name, word)                                                                        \
    WF_SHFL_32(name, word, int)                                                                    \
    WF_SHFL_32(name, word, unsigned int)                                                           \
    WF_SHFL_32(name, word, float)                                                                  \
    WF_SHFL_64(name, word, long)                                                                   \
    WF_SHFL_64(name, word, unsigned long)                                                          \
    WF_SHFL_64(name, word, long long)                                                              \
    WF_SHFL_64(name, word, unsigned long long)                                                     \
    WF_SHFL_64(name, word, double)
WF_SHFL(__shfl_sync, wf_shfl_idx)
WF_SHFL(__shfl_up_sync, wf_shfl_up)
WF_SHFL(__shfl_down_sync, wf_shfl_down)
WF_SHFL(__shfl_xor_sync, wf_shfl_bfly)
#undef WF_SHFL
#undef WF_SHFL_32
#undef WF_SHFL_64

#endif
