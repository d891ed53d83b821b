// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share: input that repeats, and a comparison with what the host computed.
#ifndef WF_TESTS_CCCL_VERIFY_H
#define WF_TESTS_CCCL_VERIFY_H

#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong;

static void ok(cudaError_t status, const char *what)
{
    if (status != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(status));
        exit(1);
    }
}

// The same numbers on every machine.
struct numbers {
    unsigned state;
    explicit numbers(unsigned seed) : state(seed) {}
    unsigned next(unsigned below)
    {
        state = state * 1664525u + 1013904223u;
        return (unsigned)(((unsigned long long)(state >> 8) * below) >> 24);
    }
};

template <class T>
static std::vector<T> some(size_t n, unsigned below, unsigned seed = 1)
{
    numbers from(seed);
    std::vector<T> v(n);
    for (T &x : v)
        x = (T)from.next(below);
    return v;
}

// Device memory that goes with its owner.
template <class T>
struct on_device {
    T *p = nullptr;
    size_t n;
    explicit on_device(size_t count) : n(count) { ok(cudaMalloc(&p, (n ? n : 1) * sizeof(T)), "malloc"); }
    explicit on_device(const std::vector<T> &v) : on_device(v.size())
    {
        ok(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice), "copy");
    }
    on_device(const on_device &) = delete;
    ~on_device() { cudaFree(p); }
    std::vector<T> read(size_t count) const
    {
        std::vector<T> v(count);
        ok(cudaMemcpy(v.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost), "copy back");
        return v;
    }
    std::vector<T> read() const { return read(n); }
    T first() const { return read(1)[0]; }
};

// A CUB algorithm is called twice: for the size of its scratch memory, and to run.
template <class F>
static void twice(const char *what, F call)
{
    size_t bytes = 0;
    ok(call(nullptr, bytes), what);
    on_device<char> scratch(bytes);
    ok(call(scratch.p, bytes), what);
    ok(cudaDeviceSynchronize(), what);
}

template <class A, class B>
static void same(const char *what, const A &got, const B &wanted)
{
    if (!(got == wanted)) {
        printf("%s is wrong\n", what);
        wrong++;
    }
}

static int verdict()
{
    puts(wrong ? "FAIL" : "PASS");
    return wrong != 0;
}

#endif
