// SPDX-License-Identifier: Apache-2.0
// Operators: what a reduction or scan combines. An operator is a small struct passed by value with
//   typedefs in_type (element) and acc_type (4 to 16 bytes, no padding),
//   acc_type identity() const, acc_type lift(in_type, uint64_t index) const,
//   acc_type combine(acc_type a, acc_type b) const   (a stands before b).
// A reduction's operator must be associative and commutative up to rounding, a scan's associative.
// combine(identity, x) must be x bit for bit; the sums use -0.0, the only true zero of addition.
#ifndef WF_OPS_CUH
#define WF_OPS_CUH

#include "wf_base.cuh"

template <class T> struct wf_limits;
template <> struct wf_limits<int32_t> {
    WF_DEVICE int32_t low() { return (int32_t)0x80000000u; }
    WF_DEVICE int32_t high() { return 0x7fffffff; }
};
template <> struct wf_limits<uint32_t> {
    WF_DEVICE uint32_t low() { return 0; }
    WF_DEVICE uint32_t high() { return 0xffffffffu; }
};
template <> struct wf_limits<int64_t> {
    WF_DEVICE int64_t low() { return (int64_t)0x8000000000000000ull; }
    WF_DEVICE int64_t high() { return 0x7fffffffffffffffll; }
};
template <> struct wf_limits<uint64_t> {
    WF_DEVICE uint64_t low() { return 0; }
    WF_DEVICE uint64_t high() { return 0xffffffffffffffffull; }
};
template <> struct wf_limits<float> {
    WF_DEVICE float low() { return -__builtin_huge_valf(); }
    WF_DEVICE float high() { return __builtin_huge_valf(); }
};
template <> struct wf_limits<double> {
    WF_DEVICE double low() { return -__builtin_huge_val(); }
    WF_DEVICE double high() { return __builtin_huge_val(); }
};

// ---- sums ------------------------------------------------------------------------------------

template <class T> WF_DEVICE T wf_zero_of_sum(void)
{
    return (T)0;
}
template <> __device__ __forceinline__ float wf_zero_of_sum<float>(void)
{
    return -0.0f;
}
template <> __device__ __forceinline__ double wf_zero_of_sum<double>(void)
{
    return -0.0;
}

// Integer sums wrap. A signed sum is made in unsigned arithmetic: same bits, no undefined overflow.
template <class T> struct wf_modular {
    typedef T type;
};
template <> struct wf_modular<int32_t> {
    typedef uint32_t type;
};
template <> struct wf_modular<int64_t> {
    typedef uint64_t type;
};

template <class In, class Acc> struct wf_op_sum {
    typedef In in_type;
    typedef Acc acc_type;
    __device__ __forceinline__ Acc identity() const { return wf_zero_of_sum<Acc>(); }
    __device__ __forceinline__ Acc lift(In x, uint64_t) const { return (Acc)x; }
    __device__ __forceinline__ Acc combine(Acc a, Acc b) const
    {
        typedef typename wf_modular<Acc>::type m;
        return (Acc)((m)a + (m)b);
    }
};

// ---- minimum and maximum: a NaN anywhere makes the result NaN --------------------------------

template <class T> struct wf_op_min {
    typedef T in_type;
    typedef T acc_type;
    __device__ __forceinline__ T identity() const { return wf_limits<T>::high(); }
    __device__ __forceinline__ T lift(T x, uint64_t) const { return x; }
    __device__ __forceinline__ T combine(T a, T b) const { return (a < b || a != a) ? a : b; }
};

template <class T> struct wf_op_max {
    typedef T in_type;
    typedef T acc_type;
    __device__ __forceinline__ T identity() const { return wf_limits<T>::low(); }
    __device__ __forceinline__ T lift(T x, uint64_t) const { return x; }
    __device__ __forceinline__ T combine(T a, T b) const { return (a > b || a != a) ? a : b; }
};

// ---- value and index: the first of equals wins, the first NaN beats every number --------------

// The index is kept as two words: no padding, so lanes can exchange the struct word by word.
template <class T> struct wf_indexed {
    T value;
    unsigned low, high;
};

template <class T> WF_DEVICE uint64_t wf_index_of(const wf_indexed<T> &a)
{
    return (uint64_t)a.high << 32 | a.low;
}

template <class T, bool Largest> struct wf_op_arg {
    typedef T in_type;
    typedef wf_indexed<T> acc_type;
    __device__ __forceinline__ acc_type identity() const
    {
        acc_type a;
        a.value = Largest ? wf_limits<T>::low() : wf_limits<T>::high();
        a.low = a.high = 0xffffffffu;
        return a;
    }
    __device__ __forceinline__ acc_type lift(T x, uint64_t index) const
    {
        acc_type a;
        a.value = x;
        a.low = (unsigned)index;
        a.high = (unsigned)(index >> 32);
        return a;
    }
    __device__ __forceinline__ acc_type combine(const acc_type &a, const acc_type &b) const
    {
        bool a_nan = a.value != a.value, b_nan = b.value != b.value;
        bool a_wins = Largest ? a.value > b.value : a.value < b.value;
        bool same = a.value == b.value || (a_nan && b_nan);
        bool take_a = same ? wf_index_of(a) < wf_index_of(b) : (a_nan || (a_wins && !b_nan));
        return take_a ? a : b;
    }
};

// ---- predicates (count, compact) --------------------------------------------------------------

enum wf_compare { WF_LT, WF_LE, WF_GT, WF_GE, WF_EQ, WF_NE };

// x OP bound; a NaN satisfies only WF_NE.
template <class T, enum wf_compare Cmp> struct wf_pred {
    typedef T in_type;
    T bound;
    __device__ __forceinline__ bool test(T x) const
    {
        return Cmp == WF_LT   ? x < bound
               : Cmp == WF_LE ? x <= bound
               : Cmp == WF_GT ? x > bound
               : Cmp == WF_GE ? x >= bound
               : Cmp == WF_EQ ? x == bound
                              : x != bound;
    }
};

template <class Pred, class Acc> struct wf_op_count {
    typedef typename Pred::in_type in_type;
    typedef Acc acc_type;
    Pred pred;
    __device__ __forceinline__ Acc identity() const { return 0; }
    __device__ __forceinline__ Acc lift(in_type x, uint64_t) const { return pred.test(x) ? 1 : 0; }
    __device__ __forceinline__ Acc combine(Acc a, Acc b) const { return a + b; }
};

#endif
