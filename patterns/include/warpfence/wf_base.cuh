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

// Launch bounds: so many threads a block, and registers for so many blocks a multiprocessor, or for as
// many as the multiprocessor's threads allow (CUDA guide, "Compute Capabilities").
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
#define WF_RESIDENT_THREADS 2048
#elif __CUDA_ARCH__ == 750
#define WF_RESIDENT_THREADS 1024
#else
#define WF_RESIDENT_THREADS 1536
#endif
#define WF_BOUNDS(threads, blocks)                                                                  \
    __launch_bounds__(threads, (blocks) * (threads) > WF_RESIDENT_THREADS                           \
                                   ? WF_RESIDENT_THREADS / (threads)                                \
                                   : (blocks))

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

// The same at block scope, for shared memory.
WF_DEVICE unsigned long long wf_load_relaxed_block64(const unsigned long long *p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.cta.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return v;
}

WF_DEVICE void wf_store_relaxed_block64(unsigned long long *p, unsigned long long v)
{
    asm volatile("st.relaxed.cta.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
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

// The 32-bit address of something in shared memory.
WF_DEVICE unsigned wf_shared_at(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

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

// The value `by` lanes down the warp, `other` where there is none. One instruction's own predicate
// decides: a test of the lane number here invites compilers to split the warp around the shuffles.
template <class T> WF_DEVICE T wf_shfl_up_or(unsigned mask, const T &v, unsigned by, const T &other)
{
    wf_words<T> w, o;
    w.value = v;
    o.value = other;
#pragma unroll
    for (unsigned i = 0; i < sizeof(T) / 4; i++)
        asm volatile("{\n\t.reg .pred p;\n\tshfl.sync.up.b32 %0|p, %1, %2, 0, %4;\n\t"
                     "@!p mov.b32 %0, %3;\n\t}"
                     : "=&r"(w.word[i])
                     : "r"(w.word[i]), "r"(by), "r"(o.word[i]), "r"(mask));
    return w.value;
}

// ---- 16-byte accesses ------------------------------------------------------------------------

template <class T> struct wf_vec {
    static const int count = 16 / sizeof(T);
    T v[16 / sizeof(T)];
};

#ifndef WF_LOAD_HINT
#define WF_LOAD_HINT ".cs"
#endif
#ifndef WF_STORE_HINT
#define WF_STORE_HINT ".cs"
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

// 16 bytes to and from shared memory.
template <class T> WF_DEVICE void wf_write16(uint4 *p, const T (&v)[16 / sizeof(T)])
{
    union {
        T v[16 / sizeof(T)];
        uint4 raw;
    } u;
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(T)); i++)
        u.v[i] = v[i];
    *p = u.raw;
}

template <class T> WF_DEVICE void wf_read16(T (&v)[16 / sizeof(T)], const uint4 *p)
{
    union {
        T v[16 / sizeof(T)];
        uint4 raw;
    } u;
    u.raw = *p;
#pragma unroll
    for (int i = 0; i < (int)(16 / sizeof(T)); i++)
        v[i] = u.v[i];
}

// ---- two launches in a row -------------------------------------------------------------------
// A launch that only waits for the one before it in the stream may start while that one ends
// (programmatic dependent launch, sm_90). Its kernel calls wf_wait_for_previous() before it touches
// what the previous kernel wrote; the previous kernel calls wf_let_next_start().

#if !defined(WF_NO_DEPENDENT_LAUNCH) && defined(CUDART_VERSION) && !defined(__clang__)
#define WF_DEPENDENT_LAUNCH 1
#else
#define WF_DEPENDENT_LAUNCH 0
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define WF_SM90_CODE(...) __VA_ARGS__
#else
#define WF_SM90_CODE(...)
#endif

// Whether `kernel` was compiled for sm_90 or later: elsewhere WF_SM90_CODE is empty.
static inline bool wf_has_sm90(const void *kernel)
{
    cudaFuncAttributes code;
    return cudaFuncGetAttributes(&code, kernel) == cudaSuccess && code.ptxVersion >= 90;
}

WF_DEVICE void wf_wait_for_previous(void)
{
#if WF_DEPENDENT_LAUNCH && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

WF_DEVICE void wf_let_next_start(void)
{
#if WF_DEPENDENT_LAUNCH && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Launches a kernel that calls wf_wait_for_previous(). Falls back to a plain launch where the code
// was not compiled with that wait.
static inline cudaError_t wf_launch_next(const void *kernel, unsigned grid, unsigned threads,
                                         size_t shared_bytes, cudaStream_t stream, void **args)
{
#if WF_DEPENDENT_LAUNCH
    if (wf_has_sm90(kernel)) {
        cudaLaunchAttribute early;
        cudaLaunchConfig_t config;
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        config.gridDim = dim3(grid);
        config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared_bytes;
        config.stream = stream;
        config.attrs = &early;
        config.numAttrs = 1;
        return cudaLaunchKernelExC(&config, kernel, args);
    }
#endif
    return cudaLaunchKernel(kernel, dim3(grid), dim3(threads), args, shared_bytes, stream);
}

// Clears words of 8 bytes. A kernel, because a small memset costs more than a small kernel.
static __global__ void __launch_bounds__(256) wf_clear_kernel(unsigned long long *p, size_t count)
{
    wf_let_next_start();
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    if (i < count)
        p[i] = 0;
}

static inline cudaError_t wf_clear(void *p, size_t bytes, cudaStream_t stream)
{
    size_t count = bytes / 8, blocks = (count + 255) / 256;
    wf_clear_kernel<<<(unsigned)blocks, 256, 0, stream>>>((unsigned long long *)p, count);
    return cudaGetLastError();
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
