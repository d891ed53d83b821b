// SPDX-License-Identifier: Apache-2.0
// What a kernel may call of the C library: printf, assert, malloc and free, memcpy and a few more.
// (new and delete come with clang's own wrapper of <new>.) PTX knows four externals; everything
// ends there: vprintf (clang packs the arguments of printf itself),
// __assertfail, malloc, free.
#ifndef WF_CUDA_SYSTEM_H
#define WF_CUDA_SYSTEM_H

#include <stddef.h> // size_t

#include "common.h"

extern "C" {
__device__ int vprintf(const char *format, const char *arguments);
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t size);
__device__ void free(void *ptr);
__device__ void __assertfail(const char *message, const char *file, unsigned int line,
                             const char *function, size_t char_size);
// The C library's assert macro calls this one.
static __inline__ __device__ __attribute__((always_inline, nodebug, unused)) void
__assert_fail(const char *message, const char *file, unsigned int line, const char *function)
{
    __assertfail(message, file, line, function, 1);
}
}

extern "C" {
WF_DEV void *memcpy(void *to, const void *from, size_t n)
{
    return __builtin_memcpy(to, from, n);
}
WF_DEV void *memmove(void *to, const void *from, size_t n)
{
    return __builtin_memmove(to, from, n);
}
WF_DEV void *memset(void *to, int value, size_t n)
{
    return __builtin_memset(to, value, n);
}
WF_DEV int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}
WF_DEV size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}
}

#endif
