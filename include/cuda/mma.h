// SPDX-License-Identifier: Apache-2.0
// Warp matrix functions (CUDA C++ Programming Guide, "Warp Matrix Functions"): fragments, loads, stores, products.
// Which elements of a matrix a thread's fragment has is left open there. Here, as in our engine (src/exec/mma.c):
// the matrix row by row, the lanes' elements one after the other, beginning anew when the matrix is at its end.
// Products are wmma.mma; loads and stores are ordinary accesses.
#ifndef WF_CUDA_MMA_H
#define WF_CUDA_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#ifdef __CUDACC__
namespace nvcuda
{
namespace wmma
{
struct matrix_a {
};
struct matrix_b {
};
struct accumulator {
};
struct row_major {
};
struct col_major {
};
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32 {
};
} // namespace precision

namespace wf_detail
{
template <class T> struct stored {
    typedef T type;
};
template <> struct stored<precision::tf32> {
    typedef float type;
};
// A fragment as the registers that instructions take.
template <int N> struct words {
    unsigned int w[N];
    WF_MEM const unsigned int &operator[](int i) const
    {
        return w[i];
    }
    WF_MEM unsigned int &operator[](int i)
    {
        return w[i];
    }
};
template <class F> WF_DEV auto words_of(const F &f)
{
    words<sizeof(f.x) / 4> r;
    __builtin_memcpy(&r, f.x, sizeof r);
    return r;
}
template <class A, class B> constexpr bool same = false;
template <class A> constexpr bool same<A, A> = true;

WF_DEV unsigned int lane()
{
    unsigned int r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

WF_DEV void meet()
{
    (void)__any_sync(0xffffffffu, 0);
}
} // namespace wf_detail

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment
{
  public:
    typedef T element_type;
    typedef typename wf_detail::stored<T>::type storage_element_type;
    static constexpr int wf_rows = wf_detail::same<Use, matrix_b> ? K : M;
    static constexpr int wf_cols = wf_detail::same<Use, matrix_a> ? K : N;
    static constexpr bool wf_is_twice = wf_detail::same<T, __half> && !wf_detail::same<Use, accumulator>;
    static constexpr int num_elements = wf_is_twice ? 16 : wf_rows * wf_cols / 32;
    static constexpr int num_storage_elements = num_elements;
    alignas(8) storage_element_type x[num_elements];

    // Place of element i in a matrix of leading dimension ld.
    WF_MEM static unsigned int wf_at(int i, unsigned int ld, bool is_row)
    {
        unsigned int e = (wf_detail::lane() * num_elements + i) % (wf_rows * wf_cols), row = e / wf_cols, col = e % wf_cols;
        return is_row ? row * ld + col : col * ld + row;
    }
};

template <class Use, int M, int N, int K, class T, class L, class V>
WF_DEV void fill_fragment(fragment<Use, M, N, K, T, L> &f, const V &v)
{
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = v;
}
// As wmma.load and wmma.store, they bring the lanes together and order no memory.
template <class Use, int M, int N, int K, class T, class L, class P>
WF_DEV void load_matrix_sync(fragment<Use, M, N, K, T, L> &f, const P *p, unsigned int ld)
{
    wf_detail::meet();
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = p[f.wf_at(i, ld, wf_detail::same<L, row_major>)];
}
template <int M, int N, int K, class T, class P>
WF_DEV void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const P *p, unsigned int ld, layout_t layout)
{
    wf_detail::meet();
    for (int i = 0; i < f.num_elements; i++)
        f.x[i] = p[f.wf_at(i, ld, layout == mem_row_major)];
}
template <int M, int N, int K, class T, class P>
WF_DEV void store_matrix_sync(P *p, const fragment<accumulator, M, N, K, T> &f, unsigned int ld, layout_t layout)
{
    wf_detail::meet();
    for (int i = 0; i < f.num_elements; i++)
        p[f.wf_at(i, ld, layout == mem_row_major)] = f.x[i];
}
WF_DEV float __float_to_tf32(float v)
{
    unsigned int r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return __uint_as_float(r);
}

// ---- products: names by the registers of d, a, b, c
#define WF_IN1(c, p) "" c(p[0])
#define WF_IN2(c, p) WF_IN1(c, p), "" c(p[1])
#define WF_IN4(c, p) WF_IN2(c, p), "" c(p[2]), "" c(p[3])
#define WF_IN8(c, p) WF_IN4(c, p), "" c(p[4]), "" c(p[5]), "" c(p[6]), "" c(p[7])
#define WF_OUT1(c, p) "=" c(p[0])
#define WF_OUT2(c, p) WF_OUT1(c, p), "=" c(p[1])
#define WF_OUT4(c, p) WF_OUT2(c, p), "=" c(p[2]), "=" c(p[3])
#define WF_OUT8(c, p) WF_OUT4(c, p), "=" c(p[4]), "=" c(p[5]), "=" c(p[6]), "=" c(p[7])
#define WF_R8888 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9,%10,%11,%12,%13,%14,%15}," \
    "{%16,%17,%18,%19,%20,%21,%22,%23}," \
    "{%24,%25,%26,%27,%28,%29,%30,%31}"
#define WF_R4884 \
    "{%0,%1,%2,%3}," \
    "{%4,%5,%6,%7,%8,%9,%10,%11}," \
    "{%12,%13,%14,%15,%16,%17,%18,%19}," \
    "{%20,%21,%22,%23}"
#define WF_R8884 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9,%10,%11,%12,%13,%14,%15}," \
    "{%16,%17,%18,%19,%20,%21,%22,%23}," \
    "{%24,%25,%26,%27}"
#define WF_R4888 \
    "{%0,%1,%2,%3}," \
    "{%4,%5,%6,%7,%8,%9,%10,%11}," \
    "{%12,%13,%14,%15,%16,%17,%18,%19}," \
    "{%20,%21,%22,%23,%24,%25,%26,%27}"
#define WF_R8448 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9,%10,%11}," \
    "{%12,%13,%14,%15}," \
    "{%16,%17,%18,%19,%20,%21,%22,%23}"
#define WF_R8288 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9}," \
    "{%10,%11,%12,%13,%14,%15,%16,%17}," \
    "{%18,%19,%20,%21,%22,%23,%24,%25}"
#define WF_R8828 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9,%10,%11,%12,%13,%14,%15}," \
    "{%16,%17}," \
    "{%18,%19,%20,%21,%22,%23,%24,%25}"
#define WF_R8228 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9}," \
    "{%10,%11}," \
    "{%12,%13,%14,%15,%16,%17,%18,%19}"
#define WF_R8148 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8}," \
    "{%9,%10,%11,%12}," \
    "{%13,%14,%15,%16,%17,%18,%19,%20}"
#define WF_R8418 \
    "{%0,%1,%2,%3,%4,%5,%6,%7}," \
    "{%8,%9,%10,%11}," \
    "{%12}," \
    "{%13,%14,%15,%16,%17,%18,%19,%20}"
#define WF_R2112 \
    "{%0,%1}," \
    "{%2}," \
    "{%3}," \
    "{%4,%5}"
#define WF_MMA(name, nd, cd, na, nb, nc, cc, regs)                                                                     \
    asm volatile("wmma.mma.sync.aligned.row.col." name " " regs ";"                                                    \
                 : WF_OUT##nd(cd, d)                                                                                   \
                 : WF_IN##na("r", a), WF_IN##nb("r", b), WF_IN##nc(cc, c))
#define WF_SHAPES(types, nd, cd, na, nb, nc, cc, regs)                                                                 \
    if constexpr (M == 16)                                                                                             \
        WF_MMA("m16n16k16" types, nd, cd, na, nb, nc, cc, regs);                                                       \
    else if constexpr (M == 8)                                                                                         \
        WF_MMA("m8n32k16" types, nd, cd, na, nb, nc, cc, regs);                                                        \
    else                                                                                                               \
        WF_MMA("m32n8k16" types, nd, cd, na, nb, nc, cc, regs)

template <int M, int N, int K, class D, class C, class LA, class LB>
WF_DEV void mma_sync(fragment<accumulator, M, N, K, D> &fd, const fragment<matrix_a, M, N, K, __half, LA> &fa,
                     const fragment<matrix_b, M, N, K, __half, LB> &fb, const fragment<accumulator, M, N, K, C> &fc)
{
    const auto a = wf_detail::words_of(fa);
    const auto b = wf_detail::words_of(fb);
    if constexpr (wf_detail::same<D, float> && wf_detail::same<C, float>) {
        float *d = fd.x;
        const float *c = fc.x;
        WF_SHAPES(".f32.f32", 8, "f", 8, 8, 8, "f", WF_R8888);
    } else if constexpr (wf_detail::same<D, float>) {
        float *d = fd.x;
        const auto c = wf_detail::words_of(fc);
        WF_SHAPES(".f32.f16", 8, "f", 8, 8, 4, "r", WF_R8884);
    } else if constexpr (wf_detail::same<C, float>) {
        wf_detail::words<4> d;
        const float *c = fc.x;
        WF_SHAPES(".f16.f32", 4, "r", 8, 8, 8, "f", WF_R4888);
        __builtin_memcpy(fd.x, &d, sizeof d);
    } else {
        wf_detail::words<4> d;
        const auto c = wf_detail::words_of(fc);
        WF_SHAPES(".f16.f16", 4, "r", 8, 8, 4, "r", WF_R4884);
        __builtin_memcpy(fd.x, &d, sizeof d);
    }
}
template <int M, int N, int K, class LA, class LB>
WF_DEV void mma_sync(fragment<accumulator, M, N, K, float> &fd, const fragment<matrix_a, M, N, K, __nv_bfloat16, LA> &fa,
                     const fragment<matrix_b, M, N, K, __nv_bfloat16, LB> &fb, const fragment<accumulator, M, N, K, float> &fc)
{
    const auto a = wf_detail::words_of(fa);
    const auto b = wf_detail::words_of(fb);
    float *d = fd.x;
    const float *c = fc.x;
    if constexpr (M == 16)
        WF_MMA("m16n16k16.f32.bf16.bf16.f32", 8, "f", 4, 4, 8, "f", WF_R8448);
    else if constexpr (M == 8)
        WF_MMA("m8n32k16.f32.bf16.bf16.f32", 8, "f", 2, 8, 8, "f", WF_R8288);
    else
        WF_MMA("m32n8k16.f32.bf16.bf16.f32", 8, "f", 8, 2, 8, "f", WF_R8828);
}
#define WF_BYTES(T, name)                                                                                              \
    template <int M, int N, int K, class LA, class LB>                                                                 \
    WF_DEV void mma_sync(fragment<accumulator, M, N, K, int> &fd, const fragment<matrix_a, M, N, K, T, LA> &fa,        \
                         const fragment<matrix_b, M, N, K, T, LB> &fb, const fragment<accumulator, M, N, K, int> &fc,  \
                         bool saturates = false)                                                                       \
    {                                                                                                                  \
        const auto a = wf_detail::words_of(fa);                                                                        \
        const auto b = wf_detail::words_of(fb);                                                                        \
        int *d = fd.x;                                                                                                 \
        const int *c = fc.x;                                                                                           \
        if (saturates) {                                                                                               \
            if constexpr (M == 16)                                                                                     \
                WF_MMA("m16n16k16.s32." name "." name ".s32.satfinite", 8, "r", 2, 2, 8, "r", WF_R8228);               \
            else if constexpr (M == 8)                                                                                 \
                WF_MMA("m8n32k16.s32." name "." name ".s32.satfinite", 8, "r", 1, 4, 8, "r", WF_R8148);                \
            else                                                                                                       \
                WF_MMA("m32n8k16.s32." name "." name ".s32.satfinite", 8, "r", 4, 1, 8, "r", WF_R8418);                \
            return;                                                                                                    \
        }                                                                                                              \
        if constexpr (M == 16)                                                                                         \
            WF_MMA("m16n16k16.s32." name "." name ".s32", 8, "r", 2, 2, 8, "r", WF_R8228);                             \
        else if constexpr (M == 8)                                                                                     \
            WF_MMA("m8n32k16.s32." name "." name ".s32", 8, "r", 1, 4, 8, "r", WF_R8148);                              \
        else                                                                                                           \
            WF_MMA("m32n8k16.s32." name "." name ".s32", 8, "r", 4, 1, 8, "r", WF_R8418);                              \
    }
WF_BYTES(signed char, "s8")
WF_BYTES(unsigned char, "u8")
template <class LA, class LB>
WF_DEV void mma_sync(fragment<accumulator, 16, 16, 8, float> &fd, const fragment<matrix_a, 16, 16, 8, precision::tf32, LA> &fa,
                     const fragment<matrix_b, 16, 16, 8, precision::tf32, LB> &fb, const fragment<accumulator, 16, 16, 8, float> &fc)
{
    const auto a = wf_detail::words_of(fa);
    const auto b = wf_detail::words_of(fb);
    float *d = fd.x;
    const float *c = fc.x;
    WF_MMA("m16n16k8.f32.tf32.tf32.f32", 8, "f", 4, 4, 8, "f", WF_R8448);
}
template <class LA, class LB>
WF_DEV void mma_sync(fragment<accumulator, 8, 8, 4, double> &fd, const fragment<matrix_a, 8, 8, 4, double, LA> &fa,
                     const fragment<matrix_b, 8, 8, 4, double, LB> &fb, const fragment<accumulator, 8, 8, 4, double> &fc)
{
    asm volatile("wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 " WF_R2112 ";"
                 : "=d"(fd.x[0]), "=d"(fd.x[1])
                 : "d"(fa.x[0]), "d"(fb.x[0]), "d"(fc.x[0]), "d"(fc.x[1]));
}
#undef WF_BYTES
#undef WF_SHAPES
#undef WF_MMA
#undef WF_R8888
#undef WF_R4884
#undef WF_R8884
#undef WF_R4888
#undef WF_R8448
#undef WF_R8288
#undef WF_R8828
#undef WF_R8228
#undef WF_R8148
#undef WF_R8418
#undef WF_R2112
#undef WF_IN1
#undef WF_IN2
#undef WF_IN4
#undef WF_IN8
#undef WF_OUT1
#undef WF_OUT2
#undef WF_OUT4
#undef WF_OUT8
} // namespace wmma
} // namespace nvcuda
#endif

#endif
