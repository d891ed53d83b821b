// SPDX-License-Identifier: Apache-2.0
// alloca in kernels: sizes that differ between threads, in a loop, across a call that recurses.
// expect: clean
// stdout: PASS
#include "host.h"
#ifdef __clang__
#define stack_alloc(n) __builtin_alloca(n)
#else
#define stack_alloc(n) alloca(n)
#endif

__host__ __device__ int fill(int *a, int n, int seed)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        a[i] = seed + i * i;
    for (int i = n - 1; i >= 0; i--)
        s = s * 3 + a[i];
    return s;
}

__device__ __noinline__ int deep(int n, int seed)
{
    int *a = (int *)stack_alloc((n + 1) * sizeof(int));
    int s = fill(a, n + 1, seed);
    if (n > 0)
        s += deep(n - 1, seed + a[n]);
    return s + a[0];
}

static int host_deep(int n, int seed)
{
    int a[64];
    int s = fill(a, n + 1, seed);
    if (n > 0)
        s += host_deep(n - 1, seed + a[n]);
    return s + a[0];
}

__global__ void stack(int *out)
{
    int t = threadIdx.x, sum = 0;
    for (int k = 1; k < 4; k++) {
        int n = t % 7 + k;
        int *a = (int *)stack_alloc(n * sizeof(int)), *b = (int *)stack_alloc(4);
        *b = t;
        sum += fill(a, n, t) + *b;
    }
    out[t] = sum + deep(t % 5, t);
}

int main()
{
    Dev<int> d(64);
    int want[64], a[64];
    stack<<<1, 64>>>(d.p);
    for (int t = 0; t < 64; t++) {
        want[t] = host_deep(t % 5, t);
        for (int k = 1; k < 4; k++)
            want[t] += fill(a, t % 7 + k, t) + t;
    }
    same("stack", d.get(), want, 64);
    return done();
}
