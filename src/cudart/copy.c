// SPDX-License-Identifier: Apache-2.0
// Copies and fills in one dimension and two.
#include "rt/copy.h" // wf_rt_copy

#include "cudart/priv.h"

#define DEFAULT_STREAM NULL

BOTH(cudaMemcpy, _ptds, (void *dst, const void *src, size_t n, int kind),
     wf_rt_copy_linear(ADDR(dst), ADDR(src), n, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpyAsync, _ptsz, (void *dst, const void *src, size_t n, int kind, cudaStream_t stream),
     wf_rt_copy_linear(ADDR(dst), ADDR(src), n, kind, true, S(stream)))

static enum wf_cu copy_2d(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                          size_t width, size_t height, int kind, bool is_async, uint64_t stream)
{
    struct wf_rt_copy c = {.dst = {ADDR(dst), dst_pitch, 0},
                           .src = {ADDR(src), src_pitch, 0},
                           .width = width,
                           .height = height,
                           .depth = 1,
                           .kind = kind,
                           .is_async = is_async};
    if (width && height && (dst_pitch < width || src_pitch < width))
        return WF_CU_INVALID_PITCH_VALUE;
    return wf_rt_copy(&c, stream);
}
BOTH(cudaMemcpy2D, _ptds,
     (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
      int kind),
     copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpy2DAsync, _ptsz,
     (void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width, size_t height,
      int kind, cudaStream_t stream),
     copy_2d(dst, dst_pitch, src, src_pitch, width, height, kind, true, S(stream)))

static enum wf_cu copy_peer(void *dst, int dst_device, const void *src, int src_device, size_t n,
                            bool is_async, uint64_t stream)
{
    if (dst_device != 0 || src_device != 0)
        return WF_CU_INVALID_DEVICE;
    return wf_rt_copy_linear(ADDR(dst), ADDR(src), n, WF_RT_DEVICE_TO_DEVICE, is_async, stream);
}
API(cudaMemcpyPeer, (void *dst, int dst_device, const void *src, int src_device, size_t n),
    copy_peer(dst, dst_device, src, src_device, n, false, S(DEFAULT_STREAM)))
API(cudaMemcpyPeerAsync,
    (void *dst, int dst_device, const void *src, int src_device, size_t n, cudaStream_t stream),
    copy_peer(dst, dst_device, src, src_device, n, true, S(stream)))

static enum wf_cu fill(void *dst, int value, size_t n, bool is_async, uint64_t stream)
{
    struct wf_rt_box box = {ADDR(dst), n, n};
    return wf_rt_fill(&box, n, 1, 1, (uint32_t)value, 1, is_async, stream);
}
BOTH(cudaMemset, _ptds, (void *dst, int value, size_t n),
     fill(dst, value, n, false, S(DEFAULT_STREAM)))
BOTH(cudaMemsetAsync, _ptsz, (void *dst, int value, size_t n, cudaStream_t stream),
     fill(dst, value, n, true, S(stream)))

static enum wf_cu fill_2d(void *dst, size_t pitch, int value, size_t width, size_t height,
                          bool is_async, uint64_t stream)
{
    struct wf_rt_box box = {ADDR(dst), pitch, 0};
    return wf_rt_fill(&box, width, height, 1, (uint32_t)value, 1, is_async, stream);
}
BOTH(cudaMemset2D, _ptds, (void *dst, size_t pitch, int value, size_t width, size_t height),
     fill_2d(dst, pitch, value, width, height, false, S(DEFAULT_STREAM)))
BOTH(cudaMemset2DAsync, _ptsz,
     (void *dst, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
     fill_2d(dst, pitch, value, width, height, true, S(stream)))
