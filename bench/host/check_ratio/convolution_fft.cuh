// SPDX-License-Identifier: Apache-2.0
// Circular convolution of rows of 256 floats with one filter, by Fourier transforms in shared memory:
// forward, product with the filter's spectrum, back. A barrier a stage, strided shared accesses.
#ifndef CONVOLUTION_FFT_CUH
#define CONVOLUTION_FFT_CUH

#include "../device.h"
#include "../work.h"

#define CF_POINTS 256
#define CF_BITS 8

// 128 threads. Bit-reversed order in, natural order out; sign -1 is forward.
__device__ void cf_transform(float2 *point, float sign)
{
    int t = threadIdx.x;
    for (int half = 1; half < CF_POINTS; half *= 2) {
        int k = t % half, low = (t - k) * 2 + k;
        float turn_sin, turn_cos;
        __syncthreads();
        sincosf(sign * 3.14159265f * (float)k / (float)half, &turn_sin, &turn_cos);
        float2 p = point[low], q = point[low + half];
        float2 turned = make_float2(q.x * turn_cos - q.y * turn_sin, q.x * turn_sin + q.y * turn_cos);
        point[low] = make_float2(p.x + turned.x, p.y + turned.y);
        point[low + half] = make_float2(p.x - turned.x, p.y - turned.y);
    }
    __syncthreads();
}

__device__ int cf_reversed(int i)
{
    return (int)(__brev((unsigned)i) >> (32 - CF_BITS));
}

__global__ void cf_forward(const float *rows, float2 *spectrum)
{
    __shared__ float2 point[CF_POINTS];
    int first = blockIdx.x * CF_POINTS;
    for (int i = threadIdx.x; i < CF_POINTS; i += blockDim.x)
        point[cf_reversed(i)] = make_float2(rows[first + i], 0.0f);
    cf_transform(point, -1.0f);
    for (int i = threadIdx.x; i < CF_POINTS; i += blockDim.x)
        spectrum[first + i] = point[i];
}

__global__ void cf_multiply(float2 *spectrum, const float2 *filter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float2 p = spectrum[i], f = filter[i % CF_POINTS];
    spectrum[i] = make_float2((p.x * f.x - p.y * f.y) / CF_POINTS, (p.x * f.y + p.y * f.x) / CF_POINTS);
}

__global__ void cf_backward(const float2 *spectrum, float *rows)
{
    __shared__ float2 point[CF_POINTS];
    int first = blockIdx.x * CF_POINTS;
    for (int i = threadIdx.x; i < CF_POINTS; i += blockDim.x)
        point[cf_reversed(i)] = spectrum[first + i];
    cf_transform(point, 1.0f);
    for (int i = threadIdx.x; i < CF_POINTS; i += blockDim.x)
        rows[first + i] = point[i].x;
}

static size_t cf_n;
static float *cf_rows, *cf_result, *cf_filter;
static float2 *cf_spectrum, *cf_filter_spectrum;

static float cf_filter_at(size_t i)
{
    return i < 16 ? b_at(i) : 0.0f;
}

static void cf_prepare(size_t n)
{
    if (n == cf_n)
        return;
    float *host = (float *)must_have(malloc(n * sizeof *host));
    device_room(&cf_rows, n);
    device_room(&cf_result, n);
    device_room(&cf_spectrum, n);
    device_room(&cf_filter, CF_POINTS);
    device_room(&cf_filter_spectrum, CF_POINTS);
    for (size_t i = 0; i < n; i++)
        host[i] = a_at(i);
    upload(cf_rows, host, n);
    for (size_t i = 0; i < CF_POINTS; i++)
        host[i] = cf_filter_at(i);
    upload(cf_filter, host, CF_POINTS);
    cf_forward<<<1, CF_POINTS / 2>>>(cf_filter, cf_filter_spectrum);
    finish();
    free(host);
    cf_n = n;
}

static void cf_launch(void)
{
    int rows = (int)(cf_n / CF_POINTS);
    cf_forward<<<rows, CF_POINTS / 2>>>(cf_rows, cf_spectrum);
    cf_multiply<<<(int)blocks_of(cf_n), BLOCK>>>(cf_spectrum, cf_filter_spectrum, (int)cf_n);
    cf_backward<<<rows, CF_POINTS / 2>>>(cf_spectrum, cf_result);
    finish();
}

static int cf_is_right(void)
{
    float *result = downloaded(cf_result, cf_n);
    int right = 1;
    for (size_t i = 0; i < cf_n && right; i++) {
        size_t first = i / CF_POINTS * CF_POINTS;
        double want = 0;
        for (size_t k = 0; k < 16; k++)
            want += (double)cf_filter_at(k) * (double)a_at(first + (i + CF_POINTS - k) % CF_POINTS);
        right = fabs((double)result[i] - want) < 1e-4;
    }
    free(result);
    return right;
}

#endif
