// SPDX-License-Identifier: Apache-2.0
// Checks for host programs over the runtime. A program prints what failed and ends with PASS or
// FAIL.
#ifndef WF_TESTS_API_H
#define WF_TESTS_API_H

#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x))                                                                                  \
            failures++, printf("line %d: %s does not hold\n", __LINE__, #x);                       \
    } while (0)
#define EQ(a, b)                                                                                   \
    do {                                                                                           \
        long long a_ = (long long)(a), b_ = (long long)(b);                                        \
        if (a_ != b_)                                                                              \
            failures++, printf("line %d: %s is %lld, not %lld\n", __LINE__, #a, a_, b_);           \
    } while (0)
// The call gives this code, and sets the last error to it (unless it succeeds).
#define IS(call, code)                                                                             \
    do {                                                                                           \
        int got_ = (int)(call), last_ = (int)cudaGetLastError();                                   \
        if (got_ != (int)(code))                                                                   \
            failures++, printf("line %d: %s gives %d (%s), not %d\n", __LINE__, #call, got_,       \
                               cudaGetErrorName((cudaError_t)got_), (int)(code));                  \
        if (got_ != (int)cudaErrorNotReady && last_ != got_)                                       \
            failures++, printf("line %d: last error is %d, not %d\n", __LINE__, last_, got_);      \
    } while (0)
#define OK(call) IS(call, cudaSuccess)

static inline int finish(void)
{
    printf("%s\n", failures ? "FAIL" : "PASS");
    return failures != 0;
}

#endif
