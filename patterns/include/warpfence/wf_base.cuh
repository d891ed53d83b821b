// SPDX-License-Identifier: Apache-2.0
// Shared ground of the pattern headers: memory operations with an explicit order and scope, vector
// access, moving values between lanes, checks the launchers share. Knows no pattern.
// Every strong access here is one scalar of 4 or 8 bytes: nothing in this library relies on a
// vector access being atomic, which the PTX model does not promise (PTX ISA, "Vector Data-types").
#ifndef WF_BASE_CUH
#define WF_BASE_CUH

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>

// Public launchers are templates with a defaulted parameter so that including a header compiles
// only the kernels a program really calls. They are used like plain functions.
#define WF_API template <int wf_lazy = 0> static inline cudaError_t
#define WF_DEVICE static __device__ __forceinline__

#define WF_FULL_MASK 0xffffffffu

// ---- ordered accesses, gpu scope -------------------------------------------------------------

WF_DEVICE unsigned wf_load_relaxed(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

WF_DEVICE unsigned wf_load_acquire(const unsigned *p)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

WF_DEVICE unsigned long long wf_load_relaxed64(const unsigned long long *p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

WF_DEVICE void wf_store_relaxed(unsigned *p, unsigned v)
{
    asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

WF_DEVICE void wf_store_release(unsigned *p, unsigned v)
{
    asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

WF_DEVICE void wf_store_relaxed64(unsigned long long *p, unsigned long long v)
{
    asm volatile("st.relaxed.gpu.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}

WF_DEVICE unsigned wf_add_relaxed(unsigned *p, unsigned v)
{
    unsigned old;
    asm volatile("atom.relaxed.gpu.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

WF_DEVICE unsigned wf_add_acq_rel(unsigned *p, unsigned v)
{
    unsigned old;
    asm volatile("atom.acq_rel.gpu.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
    return old;
}

// Old value; the counter goes to 0 after reaching `last`, so it is ready for the next use.
WF_DEVICE unsigned wf_inc_wrap_acq_rel(unsigned *p, unsigned last)
{
    unsigned old;
    asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(p), "r"(last)
                 : "memory");
    return old;
}

WF_DEVICE unsigned wf_cas_relaxed(unsigned *p, unsigned want, unsigned v)
{
    unsigned old;
    asm volatile("atom.relaxed.gpu.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(p), "r"(want), "r"(v)
                 : "memory");
    return old;
}

// ---- values as 32-bit words ------------------------------------------------------------------

// A trivially copyable value of 4, 8, 12 or 16 bytes without padding, seen as words.
template <class T> union wf_words {
    T value;
    unsigned word[sizeof(T) / 4];
    __device__ __forceinline__ wf_words() {}
};

WF_DEVICE unsigned wf_lane(void)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

template <class T> WF_DEVICE T wf_shfl(unsigned mask, const T &v, unsigned lane)
{
    wf_words<T> w;
    w.value = v;
#pragma unroll
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        w.word[i] = __shfl_sync(mask, w.word[i], (int)lane);
    return w.value;
}

template <class T> WF_DEVICE T wf_shfl_down(unsigned mask, const T &v, unsigned by)
{
    wf_words<T> w;
    w.value = v;
#pragma unroll
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        w.word[i] = __shfl_down_sync(mask, w.word[i], by);
    return w.value;
}

template <class T> WF_DEVICE T wf_shfl_up(unsigned mask, const T &v, unsigned by)
{
    wf_words<T> w;
    w.value = v;
#pragma unroll
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        w.word[i] = __shfl_up_sync(mask, w.word[i], by);
    return w.value;
}

// ---- 16-byte accesses ------------------------------------------------------------------------

template <class T> struct wf_vec {
    static const int count = 16 / sizeof(T);
    T v[16 / sizeof(T)];
};

#ifndef WF_LOAD_HINT
#define WF_LOAD_HINT ""
#endif
#ifndef WF_STORE_HINT
#define WF_STORE_HINT ""
#endif

// The cache operators below are hints: they change no ordering (PTX ISA, "Cache Operators").
template <class T> WF_DEVICE wf_vec<T> wf_load16(const T *p)
{
    union {
        wf_vec<T> vec;
        unsigned w[4];
    } u;
    asm volatile("{\n\t.reg .u64 a;\n\tcvta.to.global.u64 a, %4;\n\t"
                 "ld.global" WF_LOAD_HINT ".v4.u32 {%0, %1, %2, %3}, [a];\n\t}"
                 : "=r"(u.w[0]), "=r"(u.w[1]), "=r"(u.w[2]), "=r"(u.w[3])
                 : "l"(p));
    return u.vec;
}

template <class T> WF_DEVICE void wf_store16(T *p, const wf_vec<T> &v)
{
    union {
        wf_vec<T> vec;
        unsigned w[4];
    } u;
    u.vec = v;
    asm volatile("{\n\t.reg .u64 a;\n\tcvta.to.global.u64 a, %0;\n\t"
                 "st.global" WF_STORE_HINT ".v4.u32 [a], {%1, %2, %3, %4};\n\t}" ::"l"(p),
                 "r"(u.w[0]), "r"(u.w[1]), "r"(u.w[2]), "r"(u.w[3])
                 : "memory");
}

// ---- host side -------------------------------------------------------------------------------

static inline bool wf_is_aligned(const void *p, size_t bytes)
{
    return ((uintptr_t)p & (bytes - 1)) == 0;
}

static inline size_t wf_round_up(size_t x, size_t to)
{
    return (x + to - 1) / to * to;
}

// The size query and the size check of the two-phase convention. Returns true when the launcher
// must return *status at once.
static inline bool wf_temp_settled(void *temp, size_t *temp_bytes, size_t need, cudaError_t *status)
{
    if (!temp_bytes) {
        *status = cudaErrorInvalidValue;
        return true;
    }
    if (need == 0)
        need = 1;
    if (!temp) {
        *temp_bytes = need;
        *status = cudaSuccess;
        return true;
    }
    if (*temp_bytes < need || !wf_is_aligned(temp, 16)) {
        *status = cudaErrorInvalidValue;
        return true;
    }
    return false;
}

static inline cudaError_t wf_sm_count(int *count)
{
    int device = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status != cudaSuccess)
        return status;
    return cudaDeviceGetAttribute(count, cudaDevAttrMultiProcessorCount, device);
}

#endif
