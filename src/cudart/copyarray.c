// SPDX-License-Identifier: Apache-2.0
// Copies from and to arrays, by position in bytes and rows.
#include "cudart/priv.h"
#include "rt/array.h" // wf_rt_array_box

#define DEFAULT_STREAM NULL

struct side { // an array with a position, or pitched memory
    uint64_t array, x, y;
    uint64_t addr, pitch;
};

static enum wf_cu box_of(const struct side *s, const struct wf_rt_copy *c, struct wf_rt_box *out)
{
    if (s->array)
        return wf_rt_array_box(s->array, s->x, s->y, 0, c->width, c->height, 1, out);
    *out = (struct wf_rt_box){s->addr, s->pitch, 0};
    return s->pitch < c->width && c->height > 1 ? WF_CU_INVALID_PITCH_VALUE : WF_CU_SUCCESS;
}

static enum wf_cu copy(const struct side *dst, const struct side *src, size_t width, size_t height,
                       int kind, bool is_async, uint64_t stream)
{
    struct wf_rt_copy c = {
        .width = width, .height = height, .depth = 1, .kind = kind, .is_async = is_async};
    if (!width || !height)
        return wf_rt_copy(&c, stream);
    enum wf_cu e = box_of(dst, &c, &c.dst);
    if (e == WF_CU_SUCCESS)
        e = box_of(src, &c, &c.src);
    return e == WF_CU_SUCCESS ? wf_rt_copy(&c, stream) : e;
}

static struct side in_array(const void *array, size_t x, size_t y)
{
    return (struct side){.array = ADDR(array) ? ADDR(array) : UINT64_MAX, .x = x, .y = y};
}
static struct side in_memory(const void *p, size_t pitch)
{
    return (struct side){.addr = ADDR(p), .pitch = pitch};
}

static enum wf_cu to_array(const void *dst, size_t x, size_t y, const void *src, size_t pitch,
                           size_t width, size_t height, int kind, bool is_async, uint64_t stream)
{
    struct side to = in_array(dst, x, y), from = in_memory(src, pitch);
    return copy(&to, &from, width, height, kind, is_async, stream);
}
static enum wf_cu from_array(void *dst, size_t pitch, const void *src, size_t x, size_t y,
                             size_t width, size_t height, int kind, bool is_async, uint64_t stream)
{
    struct side to = in_memory(dst, pitch), from = in_array(src, x, y);
    return copy(&to, &from, width, height, kind, is_async, stream);
}
BOTH(cudaMemcpy2DToArray, _ptds,
     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
      size_t height, int kind),
     to_array(dst, x, y, src, pitch, width, height, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpy2DToArrayAsync, _ptsz,
     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width,
      size_t height, int kind, cudaStream_t stream),
     to_array(dst, x, y, src, pitch, width, height, kind, true, S(stream)))
BOTH(cudaMemcpy2DFromArray, _ptds,
     (void *dst, size_t pitch, const void *src, size_t x, size_t y, size_t width, size_t height,
      int kind),
     from_array(dst, pitch, src, x, y, width, height, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpy2DFromArrayAsync, _ptsz,
     (void *dst, size_t pitch, const void *src, size_t x, size_t y, size_t width, size_t height,
      int kind, cudaStream_t stream),
     from_array(dst, pitch, src, x, y, width, height, kind, true, S(stream)))

static enum wf_cu between(const void *dst, size_t dst_x, size_t dst_y, const void *src,
                          size_t src_x, size_t src_y, size_t width, size_t height, int kind,
                          uint64_t stream)
{
    struct side to = in_array(dst, dst_x, dst_y), from = in_array(src, src_x, src_y);
    return copy(&to, &from, width, height, kind, false, stream);
}
BOTH(cudaMemcpy2DArrayToArray, _ptds,
     (cudaArray_t dst, size_t dst_x, size_t dst_y, const void *src, size_t src_x, size_t src_y,
      size_t width, size_t height, int kind),
     between(dst, dst_x, dst_y, src, src_x, src_y, width, height, kind, S(DEFAULT_STREAM)))

// The calls of old count bytes on through the rows: a part of a row, whole rows, a part again. The
// two sides are cut alike when both are arrays only if they stand alike.
static enum wf_cu run_on(struct side *to, struct side *from, size_t n, int kind, bool is_async,
                         uint64_t stream)
{
    struct wf_rt_array a;
    enum wf_cu e = wf_rt_array_info(to->array ? to->array : from->array, &a);
    if (e != WF_CU_SUCCESS)
        return e;
    uint64_t row = (uint64_t)a.image.level[0].width * wf_texel_bytes(&a.image.format);
    if (to->array && from->array) {
        struct wf_rt_array b;
        e = wf_rt_array_info(from->array, &b);
        if (e != WF_CU_SUCCESS)
            return e;
        bool is_alike = to->x == from->x && row == (uint64_t)b.image.level[0].width *
                                                       wf_texel_bytes(&b.image.format);
        if (!is_alike && (to->x + n > row || from->x + n > row))
            return wf__unsupported("cudaMemcpyArrayToArray over the ends of rows that differ");
    }
    while (n && e == WF_CU_SUCCESS) {
        struct side *array = to->array ? to : from;
        uint64_t room = array->x < row ? row - array->x : 0, rows = 1;
        if (!room)
            return WF_CU_INVALID_VALUE;
        uint64_t part = n < room ? n : room;
        if (array->x == 0 && n >= row)
            rows = n / row;
        to->pitch = from->pitch = part;
        e = copy(to, from, part, rows, kind, is_async, stream);
        n -= part * rows;
        to->addr += part * rows;
        from->addr += part * rows;
        to->x = from->x = 0;
        to->y += rows;
        from->y += rows;
    }
    return e;
}
static enum wf_cu to_array_on(const void *dst, size_t x, size_t y, const void *src, size_t n,
                              int kind, bool is_async, uint64_t stream)
{
    struct side to = in_array(dst, x, y), from = in_memory(src, 0);
    return run_on(&to, &from, n, kind, is_async, stream);
}
static enum wf_cu from_array_on(void *dst, const void *src, size_t x, size_t y, size_t n, int kind,
                                bool is_async, uint64_t stream)
{
    struct side to = in_memory(dst, 0), from = in_array(src, x, y);
    return run_on(&to, &from, n, kind, is_async, stream);
}
static enum wf_cu between_on(const void *dst, size_t dst_x, size_t dst_y, const void *src,
                             size_t src_x, size_t src_y, size_t n, int kind, uint64_t stream)
{
    struct side to = in_array(dst, dst_x, dst_y), from = in_array(src, src_x, src_y);
    return run_on(&to, &from, n, kind, false, stream);
}
BOTH(cudaMemcpyToArray, _ptds,
     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, int kind),
     to_array_on(dst, x, y, src, n, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpyToArrayAsync, _ptsz,
     (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, int kind,
      cudaStream_t stream),
     to_array_on(dst, x, y, src, n, kind, true, S(stream)))
BOTH(cudaMemcpyFromArray, _ptds,
     (void *dst, const void *src, size_t x, size_t y, size_t n, int kind),
     from_array_on(dst, src, x, y, n, kind, false, S(DEFAULT_STREAM)))
BOTH(cudaMemcpyFromArrayAsync, _ptsz,
     (void *dst, const void *src, size_t x, size_t y, size_t n, int kind, cudaStream_t stream),
     from_array_on(dst, src, x, y, n, kind, true, S(stream)))
BOTH(cudaMemcpyArrayToArray, _ptds,
     (cudaArray_t dst, size_t dst_x, size_t dst_y, const void *src, size_t src_x, size_t src_y,
      size_t n, int kind),
     between_on(dst, dst_x, dst_y, src, src_x, src_y, n, kind, S(DEFAULT_STREAM)))
