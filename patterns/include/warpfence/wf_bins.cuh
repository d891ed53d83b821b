// SPDX-License-Identifier: Apache-2.0
// From key to bin: even bins over integers (width a power of two, or any width, exact), even bins over
// floats, explicit edges, and the short cut for one-byte keys. Knows nothing of counting.
// A rule is a struct with key_type, unsigned bin(key_type) const, giving a bin or WF_NO_BIN, and
// void stage(unsigned *room), called by every thread of a block before a barrier: the place to put a
// table into shared memory, if wf_stage_bytes asked for room.
#ifndef WF_BINS_CUH
#define WF_BINS_CUH

#include "wf_base.cuh"

#define WF_NO_BIN 0xffffffffu

// Distance from the lower bound, modulo 2^32. For a key below it the distance is beyond the range,
// whatever the key type: one comparison finds keys outside on either side.
template <class Key> WF_DEVICE unsigned wf_distance(Key k, Key lower)
{
    return (unsigned)k - (unsigned)lower;
}

// Integer keys, bin width a power of two.
template <class Key> struct wf_bin_shift {
    typedef Key key_type;
    Key lower;
    unsigned range_last, shift; // range - 1
    __device__ __forceinline__ void stage(unsigned *) {}
    __device__ __forceinline__ unsigned bin(Key k) const
    {
        const unsigned d = wf_distance(k, lower);
        return d <= range_last ? d >> shift : WF_NO_BIN;
    }
};

// Integer keys, any width: floor(d * bins / range), exact. The estimate by the reciprocal is at most
// one too low because d * bins < 2^48 and the reciprocal is the floor of 2^64 / range.
template <class Key> struct wf_bin_divide {
    typedef Key key_type;
    Key lower;
    unsigned bins;
    uint64_t range, reciprocal;
    __device__ __forceinline__ void stage(unsigned *) {}
    __device__ __forceinline__ unsigned bin(Key k) const
    {
        const uint64_t d = wf_distance(k, lower);
        if (d >= range)
            return WF_NO_BIN;
        uint64_t scaled = d * bins;
        uint64_t q;
        asm("mul.hi.u64 %0, %1, %2;" : "=l"(q) : "l"(scaled), "l"(reciprocal));
        return (unsigned)q + (scaled - q * range >= range);
    }
};

// Float keys: bin floor((k - lower) * scale) in float arithmetic, the last bin takes what rounds up.
struct wf_bin_scale {
    typedef float key_type;
    float lower, upper, scale;
    unsigned bins;
    __device__ __forceinline__ void stage(unsigned *) {}
    __device__ __forceinline__ unsigned bin(float k) const
    {
        if (!(k >= lower && k < upper))
            return WF_NO_BIN;
        unsigned b = (unsigned)((k - lower) * scale);
        return b < bins ? b : bins - 1;
    }
};

// Explicit edges e[0] <= e[1] <= ... <= e[bins]: bin i holds e[i] <= k < e[i+1]. Where they fit, the
// edges are searched in shared memory, laid out as a search tree level by level: the first steps of
// many searches then touch neighbouring words, not words that share a bank. depth: 2^depth >= bins.
template <class Key> struct wf_bin_edges {
    typedef Key key_type;
    const Key *edges;
    unsigned bins, depth, staged;
    Key lowest, highest;
    __device__ __forceinline__ void stage(unsigned *room)
    {
        lowest = edges[0];
        highest = edges[bins];
        if (!staged)
            return;
        Key *tree = (Key *)room;
        for (unsigned node = 1 + threadIdx.x; node < 1u << depth; node += blockDim.x) {
            const unsigned level = 31 - __clz((int)node);
            const unsigned at = (2 * (node - (1u << level)) + 1) << (depth - 1 - level);
            tree[node] = edges[at < bins ? at : bins];
        }
        edges = tree;
    }
    // Several keys side by side: the steps of one search depend on each other.
    template <int N> __device__ __forceinline__ void search(const Key (&k)[N], unsigned (&at)[N]) const
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            at[i] = staged;
        if (staged) {
            for (unsigned level = 0; level < depth; level++)
#pragma unroll
                for (int i = 0; i < N; i++)
                    at[i] = 2 * at[i] + (k[i] >= edges[at[i]]);
        } else {
            for (unsigned step = 1u << depth >> 1; step; step /= 2)
#pragma unroll
                for (int i = 0; i < N; i++) {
                    const unsigned next = at[i] + step; // beyond bins: as good as bins
                    at[i] = k[i] >= edges[next < bins ? next : bins] ? next : at[i];
                }
        }
#pragma unroll
        for (int i = 0; i < N; i++) {
            at[i] -= staged << depth;
            if (!(k[i] >= lowest && k[i] < highest))
                at[i] = WF_NO_BIN;
        }
    }
    __device__ __forceinline__ unsigned bin(Key k) const
    {
        const Key one[1] = {k};
        unsigned at[1];
        search(one, at);
        return at[0];
    }
};

// Any rule for uint8 keys: the 256 keys are counted as they are, each count then goes to its bin.
template <class Inner> struct wf_bin_by_byte {
    typedef uint8_t key_type;
    Inner inner;
    __device__ __forceinline__ void stage(unsigned *room) { inner.stage(room); }
    __device__ __forceinline__ unsigned bin(uint8_t k) const { return k; }
};

// Where the counts of counter b belong.
template <class Binner> WF_DEVICE unsigned wf_place(const Binner &, unsigned b)
{
    return b;
}
template <class Inner> WF_DEVICE unsigned wf_place(const wf_bin_by_byte<Inner> &binner, unsigned b)
{
    return binner.inner.bin((uint8_t)b);
}
template <class Binner> struct wf_is_placed {
    static const bool yes = false;
};
template <class Inner> struct wf_is_placed<wf_bin_by_byte<Inner> > {
    static const bool yes = true;
};

template <class Binner, int N>
WF_DEVICE void wf_bins_of(const Binner &binner, const typename Binner::key_type (&k)[N],
                          unsigned (&b)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        b[i] = binner.bin(k[i]);
}

template <class Key, int N>
WF_DEVICE void wf_bins_of(const wf_bin_edges<Key> &binner, const Key (&k)[N], unsigned (&b)[N])
{
    binner.search(k, b);
}

// ---- host side: how much room a rule wants, and whether it got it ------------------------------

template <class Binner> static inline size_t wf_stage_bytes(const Binner &)
{
    return 0;
}
template <class Binner> static inline void wf_stage_settle(Binner *, size_t) {}
template <class Key> static inline size_t wf_stage_bytes(const wf_bin_edges<Key> &binner)
{
    return wf_round_up(sizeof(Key) << binner.depth, 4);
}
template <class Key> static inline void wf_stage_settle(wf_bin_edges<Key> *binner, size_t bytes)
{
    binner->staged = bytes != 0;
}

template <class Inner> static inline size_t wf_stage_bytes(const wf_bin_by_byte<Inner> &binner)
{
    return wf_stage_bytes(binner.inner);
}
template <class Inner> static inline void wf_stage_settle(wf_bin_by_byte<Inner> *binner, size_t bytes)
{
    wf_stage_settle(&binner->inner, bytes);
}

#endif
