// SPDX-License-Identifier: Apache-2.0
// min and max for all arithmetic types, on host and device, as CUDA has them in the global
// namespace. The mixed forms follow CUDA: with one unsigned operand both are unsigned.
#ifndef WF_CUDA_MINMAX_H
#define WF_CUDA_MINMAX_H

#include "common.h"

#define WF_MINMAX(T, A, B)                                                                         \
    WF_HD T min(A a, B b)                                                                          \
    {                                                                                              \
        return (T)a < (T)b ? (T)a : (T)b;                                                          \
    }                                                                                              \
    WF_HD T max(A a, B b)                                                                          \
    {                                                                                              \
        return (T)a > (T)b ? (T)a : (T)b;                                                          \
    }
WF_MINMAX(int, int, int)
WF_MINMAX(unsigned int, unsigned int, unsigned int)
WF_MINMAX(unsigned int, int, unsigned int)
WF_MINMAX(unsigned int, unsigned int, int)
WF_MINMAX(long, long, long)
WF_MINMAX(unsigned long, unsigned long, unsigned long)
WF_MINMAX(unsigned long, long, unsigned long)
WF_MINMAX(unsigned long, unsigned long, long)
WF_MINMAX(long long, long long, long long)
WF_MINMAX(unsigned long long, unsigned long long, unsigned long long)
WF_MINMAX(unsigned long long, long long, unsigned long long)
WF_MINMAX(unsigned long long, unsigned long long, long long)
#undef WF_MINMAX

// A NaN loses against a number (IEEE minNum).
WF_HD float min(float a, float b)
{
    return __builtin_fminf(a, b);
}
WF_HD float max(float a, float b)
{
    return __builtin_fmaxf(a, b);
}
WF_HD double min(double a, double b)
{
    return __builtin_fmin(a, b);
}
WF_HD double max(double a, double b)
{
    return __builtin_fmax(a, b);
}
WF_HD double min(float a, double b)
{
    return __builtin_fmin(a, b);
}
WF_HD double max(float a, double b)
{
    return __builtin_fmax(a, b);
}
WF_HD double min(double a, float b)
{
    return __builtin_fmin(a, b);
}
WF_HD double max(double a, float b)
{
    return __builtin_fmax(a, b);
}
WF_HD unsigned int umin(unsigned int a, unsigned int b)
{
    return a < b ? a : b;
}
WF_HD unsigned int umax(unsigned int a, unsigned int b)
{
    return a > b ? a : b;
}
WF_HD long long llmin(long long a, long long b)
{
    return a < b ? a : b;
}
WF_HD long long llmax(long long a, long long b)
{
    return a > b ? a : b;
}
WF_HD unsigned long long ullmin(unsigned long long a, unsigned long long b)
{
    return a < b ? a : b;
}
WF_HD unsigned long long ullmax(unsigned long long a, unsigned long long b)
{
    return a > b ? a : b;
}

#endif
