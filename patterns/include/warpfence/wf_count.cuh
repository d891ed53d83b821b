// SPDX-License-Identifier: Apache-2.0
// Counts the elements that satisfy a predicate. A reduction (wf_reduce.cuh) over ones and zeros:
// integer addition, so the result is exact and the same on every run.
#ifndef WF_COUNT_CUH
#define WF_COUNT_CUH

#include "wf_reduce.cuh"

// Counts with a user's predicate: a struct with in_type and bool test(in_type) const.
template <class Pred>
static inline cudaError_t wf_count_if(void *temp, size_t *temp_bytes, const typename Pred::in_type *in,
                                      uint64_t *count, size_t n, Pred pred, cudaStream_t stream)
{
    wf_sink_value<uint64_t> sink = {count};
    if (n >> 32) {
        wf_op_count<Pred, uint64_t> op;
        op.pred = pred;
        return wf_reduce(temp, temp_bytes, in, sink, n, op, stream);
    }
    wf_op_count<Pred, uint32_t> op; // cannot wrap
    op.pred = pred;
    return wf_reduce(temp, temp_bytes, in, sink, n, op, stream);
}

// wf_count_gt_f32(temp, &bytes, in, bound, count, n, stream) counts in[i] > bound; and so on.
#define WF_COUNT_DEFINE(name, T, Cmp)                                                               \
    WF_API wf_count_##name(void *temp, size_t *temp_bytes, const T *in, T bound, uint64_t *count,   \
                           size_t n, cudaStream_t stream)                                           \
    {                                                                                               \
        wf_pred<T, Cmp> pred;                                                                       \
        pred.bound = bound;                                                                         \
        return wf_count_if(temp, temp_bytes, in, count, n, pred, stream);                           \
    }
#define WF_COUNT_DEFINE_TYPE(sfx, T)                                                                \
    WF_COUNT_DEFINE(lt_##sfx, T, WF_LT)                                                             \
    WF_COUNT_DEFINE(le_##sfx, T, WF_LE)                                                             \
    WF_COUNT_DEFINE(gt_##sfx, T, WF_GT)                                                             \
    WF_COUNT_DEFINE(ge_##sfx, T, WF_GE)                                                             \
    WF_COUNT_DEFINE(eq_##sfx, T, WF_EQ)                                                             \
    WF_COUNT_DEFINE(ne_##sfx, T, WF_NE)

WF_COUNT_DEFINE_TYPE(i32, int32_t)
WF_COUNT_DEFINE_TYPE(u32, uint32_t)
WF_COUNT_DEFINE_TYPE(i64, int64_t)
WF_COUNT_DEFINE_TYPE(u64, uint64_t)
WF_COUNT_DEFINE_TYPE(f32, float)
WF_COUNT_DEFINE_TYPE(f64, double)

#endif
