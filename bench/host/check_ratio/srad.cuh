// SPDX-License-Identifier: Apache-2.0
// Speckle-reducing diffusion of a square image, one step: a launch makes four differences and a
// coefficient of each pixel from a tile with borders in shared memory, a second one moves the pixels.
#ifndef SRAD_CUH
#define SRAD_CUH

#include "../device.h"
#include "../work.h"

#define SR_TILE 16
#define SR_LAMBDA 0.5f
#define SR_SPREAD 0.05f // of the speckle, squared

struct sr_maps {
    float *north, *south, *west, *east, *coefficient;
};

__host__ __device__ static inline int sr_inside(int i, int side)
{
    return i < 0 ? 0 : i >= side ? side - 1 : i;
}

__host__ __device__ static inline float sr_coefficient(float here, float n, float s, float w, float e)
{
    float slope = (n * n + s * s + w * w + e * e) / (here * here);
    float bend = (n + s + w + e) / here;
    float base = 1.0f + 0.25f * bend;
    float q = (0.5f * slope - 0.0625f * bend * bend) / (base * base);
    float c = 1.0f / (1.0f + (q - SR_SPREAD) / (SR_SPREAD * (1.0f + SR_SPREAD)));
    return c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

__global__ void sr_differences(const float *image, struct sr_maps maps, int side)
{
    __shared__ float tile[SR_TILE + 2][SR_TILE + 2];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * SR_TILE + tx, y = blockIdx.y * SR_TILE + ty, i = y * side + x;
    tile[ty + 1][tx + 1] = image[i];
    if (ty == 0)
        tile[0][tx + 1] = image[sr_inside(y - 1, side) * side + x];
    if (ty == SR_TILE - 1)
        tile[SR_TILE + 1][tx + 1] = image[sr_inside(y + 1, side) * side + x];
    if (tx == 0)
        tile[ty + 1][0] = image[y * side + sr_inside(x - 1, side)];
    if (tx == SR_TILE - 1)
        tile[ty + 1][SR_TILE + 1] = image[y * side + sr_inside(x + 1, side)];
    __syncthreads();
    float here = tile[ty + 1][tx + 1];
    float n = tile[ty][tx + 1] - here, s = tile[ty + 2][tx + 1] - here;
    float w = tile[ty + 1][tx] - here, e = tile[ty + 1][tx + 2] - here;
    maps.north[i] = n;
    maps.south[i] = s;
    maps.west[i] = w;
    maps.east[i] = e;
    maps.coefficient[i] = sr_coefficient(here, n, s, w, e);
}

__global__ void sr_move(const float *image, struct sr_maps maps, float *result, int side)
{
    __shared__ float tile[SR_TILE + 1][SR_TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * SR_TILE + tx, y = blockIdx.y * SR_TILE + ty, i = y * side + x;
    tile[ty][tx] = maps.coefficient[i];
    if (ty == SR_TILE - 1)
        tile[SR_TILE][tx] = maps.coefficient[sr_inside(y + 1, side) * side + x];
    if (tx == SR_TILE - 1)
        tile[ty][SR_TILE] = maps.coefficient[y * side + sr_inside(x + 1, side)];
    __syncthreads();
    float c = tile[ty][tx];
    float flow = c * maps.north[i] + tile[ty + 1][tx] * maps.south[i] + c * maps.west[i] +
                 tile[ty][tx + 1] * maps.east[i];
    result[i] = image[i] + 0.25f * SR_LAMBDA * flow;
}

static size_t sr_n;
static int sr_side;
static float *sr_image, *sr_result;
static struct sr_maps sr_device;

static float sr_pixel(int y, int x)
{
    return 1.5f + a_at((size_t)(sr_inside(y, sr_side) * sr_side + sr_inside(x, sr_side)));
}

static void sr_prepare(size_t n)
{
    if (n == sr_n)
        return;
    sr_n = n;
    sr_side = (int)square_side(n);
    size_t pixels = (size_t)sr_side * (size_t)sr_side;
    float *host = (float *)must_have(malloc(pixels * sizeof *host));
    for (size_t i = 0; i < pixels; i++)
        host[i] = sr_pixel((int)i / sr_side, (int)i % sr_side);
    device_room(&sr_image, pixels);
    device_room(&sr_result, pixels);
    device_room(&sr_device.north, pixels);
    device_room(&sr_device.south, pixels);
    device_room(&sr_device.west, pixels);
    device_room(&sr_device.east, pixels);
    device_room(&sr_device.coefficient, pixels);
    upload(sr_image, host, pixels);
    free(host);
}

static void sr_launch(void)
{
    dim3 grid(sr_side / SR_TILE, sr_side / SR_TILE), block(SR_TILE, SR_TILE);
    sr_differences<<<grid, block>>>(sr_image, sr_device, sr_side);
    sr_move<<<grid, block>>>(sr_image, sr_device, sr_result, sr_side);
    finish();
}

static float sr_coefficient_at(int y, int x)
{
    y = sr_inside(y, sr_side);
    x = sr_inside(x, sr_side);
    float here = sr_pixel(y, x);
    return sr_coefficient(here, sr_pixel(y - 1, x) - here, sr_pixel(y + 1, x) - here,
                          sr_pixel(y, x - 1) - here, sr_pixel(y, x + 1) - here);
}

static int sr_is_right(void)
{
    float *result = downloaded(sr_result, (size_t)sr_side * (size_t)sr_side);
    int right = 1;
    for (int y = 0; y < sr_side && right; y++)
        for (int x = 0; x < sr_side && right; x++) {
            float here = sr_pixel(y, x), c = sr_coefficient_at(y, x);
            float flow = c * (sr_pixel(y - 1, x) - here + sr_pixel(y, x - 1) - here) +
                         sr_coefficient_at(y + 1, x) * (sr_pixel(y + 1, x) - here) +
                         sr_coefficient_at(y, x + 1) * (sr_pixel(y, x + 1) - here);
            float want = here + 0.25f * SR_LAMBDA * flow;
            right = fabsf(result[y * sr_side + x] - want) < 1e-4f;
        }
    free(result);
    return right;
}

#endif
