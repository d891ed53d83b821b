// SPDX-License-Identifier: Apache-2.0
// Tiles of blocks that are 16, 48 or 8 threads wide: a warp is two rows, or four. Every way of walking over a tile, with
// elements of 4 and 8 bytes, steps up, down and across, and with an index that wraps inside a row.
// expect: clean
// stdout: PASS
#include "host.h"

template <class T> __global__ void walk(const T *in, T *out, int pitch)
{
    __shared__ T tile[24][49];
    int x = threadIdx.x, y = threadIdx.y, w = blockDim.x, h = blockDim.y;
    const T *from = in + blockIdx.x * 24 * pitch;
    tile[y][x] = from[y * pitch + x];
    __syncthreads();
    T sum = 0;
    for (int k = 0; k < 8; k++)
        sum += tile[y][k] * (T)(k + 1) + tile[k % h][x] * (T)3; // one place a row, then a row
    sum += tile[y][w - 1 - x] * (T)5;                           // downwards
    if (x < h && y < w)
        sum += tile[x][y] * (T)7; // across
    __syncthreads();
    tile[h - 1 - y][w - 1 - x] = sum;
    __syncthreads();
    out[(blockIdx.x * h + y) * w + x] = tile[y][x];
}

template <class T> static void tiles(const char *name, int w, int h)
{
    const int pitch = 100, blocks = 3;
    T in[24 * pitch * blocks], want[1024 * blocks];
    for (int i = 0; i < 24 * pitch * blocks; i++)
        in[i] = (T)(i % 37);
    for (int b = 0; b < blocks; b++)
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                const T *from = in + b * 24 * pitch;
                T sum = 0;
                for (int k = 0; k < 8; k++)
                    sum += from[y * pitch + k] * (T)(k + 1) + from[k % h * pitch + x] * (T)3;
                sum += from[y * pitch + w - 1 - x] * (T)5;
                if (x < h && y < w)
                    sum += from[x * pitch + y] * (T)7;
                want[(b * h + h - 1 - y) * w + w - 1 - x] = sum;
            }
    Dev<T> d(24 * pitch * blocks), out(w * h * blocks);
    d.put(in);
    walk<<<blocks, dim3(w, h)>>>(d.p, out.p, pitch);
    same(name, out.get(), want, w * h * blocks);
}

// A 32-bit index that passes the end of its range inside a row, once as an unsigned and once as a signed number.
__global__ void wraps(int *all, unsigned first, int *middle, int second)
{
    int t = threadIdx.x + threadIdx.y * blockDim.x;
    all[first + threadIdx.x + threadIdx.y * blockDim.x] = 1000 + t;
    middle[(int)((unsigned)second + threadIdx.x + threadIdx.y * blockDim.x)] += t;
}

static void wrap()
{
    int got[128], want[128];
    int *all;
    unsigned first = 0u - 20; // 20 at the end of 16 GiB, 44 at the start
    long long n = 1ll << 32;
    CK(cudaMalloc(&all, (n + 64) * sizeof(int)));
    CK(cudaMemset(all, 0, 64 * sizeof(int)));
    CK(cudaMemset(all + n - 64, 0, 64 * sizeof(int)));
    wraps<<<1, dim3(16, 4)>>>(all, first, all + (1ll << 31), (int)(0x80000000u - 20)); // the same places
    CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(got, all, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    CK(cudaMemcpy(got + 64, all + n - 64, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++) {
        int t = i < 44 ? 20 + i : i >= 108 ? i - 108 : -1;
        want[i] = t < 0 ? 0 : 1000 + 2 * t;
    }
    same("wrap", got, want, 128);
    CK(cudaFree(all));
}

int main()
{
    tiles<float>("16 x 16", 16, 16);
    tiles<double>("16 x 16, double", 16, 16);
    tiles<int>("16 x 24", 16, 24);
    tiles<float>("48 x 6", 48, 6);
    tiles<double>("48 x 6, double", 48, 6);
    tiles<float>("8 x 8", 8, 8);
    tiles<float>("16 x 3, half a warp missing", 16, 3);
    tiles<double>("24 x 4", 24, 4);
    tiles<long long>("16 x 8", 16, 8);
    wrap();
    return done();
}
