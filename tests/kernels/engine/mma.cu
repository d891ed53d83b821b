// SPDX-License-Identifier: Apache-2.0
// Matrix products by the tensor-core instructions: nvcuda::wmma of several types, and inline PTX.
// expect: clean
// stdout: PASS
// compiler: -arch=sm_90
#include "host.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

#define M 64
#define N 48
#define K 32
__device__ float at(const __half *p, int i)
{
    return __half2float(p[i]);
}

__global__ void by_wmma(const __half *a, const __half *b, float *c) // a row by row, b column by column
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    int i = blockIdx.y * 16, j = blockIdx.x * 16;
    wmma::fill_fragment(fc, 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(fa, a + i * K + k, K);
        wmma::load_matrix_sync(fb, b + j * K + k, K);
        wmma::mma_sync(fc, fa, fb, fc);
    }
    for (int e = 0; e < fc.num_elements; e++)
        fc.x[e] *= 2;
    wmma::store_matrix_sync(c + i * N + j, fc, N, wmma::mem_row_major);
}

// One tile of another type: d = a * b + c, with a, b, c from the numbers of their places.
template <class T, class E, class A, int FM, int FN, int FK> __global__ void tile(A *out)
{
    __shared__ E sa[FM * FK], sb[FK * FN];
    __shared__ A sc[FM * FN];
    for (int i = threadIdx.x; i < FM * FK; i += 32)
        sa[i] = (E)(float)(i * 5 % 7);
    for (int i = threadIdx.x; i < FK * FN; i += 32)
        sb[i] = (E)(float)(i * 3 % 5);
    for (int i = threadIdx.x; i < FM * FN; i += 32)
        sc[i] = (A)i;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, FM, FN, FK, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, FM, FN, FK, T, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, FM, FN, FK, A> c;
    wmma::load_matrix_sync(a, sa, FK);
    wmma::load_matrix_sync(b, sb, FN);
    wmma::load_matrix_sync(c, sc, FN, wmma::mem_row_major);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(out, c, FM, wmma::mem_col_major);
}

template <class T, class E, class A, int FM, int FN, int FK> static void try_tile(const char *name)
{
    Dev<A> d(FM * FN);
    static A want[32 * 32];
    tile<T, E, A, FM, FN, FK><<<1, 32>>>(d.p);
    for (int i = 0; i < FM; i++)
        for (int j = 0; j < FN; j++) {
            want[j * FM + i] = (A)(i * FN + j);
            for (int k = 0; k < FK; k++)
                want[j * FM + i] += (A)((i * FK + k) * 5 % 7 * ((k * FN + j) * 3 % 5));
        }
    same(name, d.get(), want, FM * FN);
}

// A block of 128 threads makes 64 x 8: 16 rows a warp, operands through shared memory.
__global__ void by_mma(const __half *a, const __half *b, float *c)
{
    __shared__ __align__(16) __half sa[M][K], sb[8][K];
    int t = threadIdx.x, lane = t % 32, row0 = t / 32 * 16, j0 = blockIdx.x * 8;
    for (int i = t; i < M * K; i += 128)
        sa[i / K][i % K] = a[i];
    for (int i = t; i < 8 * K; i += 128)
        sb[i / K][i % K] = b[j0 * K + i];
    __syncthreads();
    float d[4] = {0, 0, 0, 0};
    for (int k = 0; k < K; k += 16) {
        unsigned x[4], y[2];
        unsigned pa = (unsigned)__cvta_generic_to_shared(&sa[row0 + lane % 16][k + lane / 16 * 8]);
        unsigned pb = (unsigned)__cvta_generic_to_shared(&sb[lane % 8][k + lane / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(pa) : "memory");
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(pb) : "memory");
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
    }
    for (int i = 0; i < 4; i++)
        c[(row0 + lane / 4 + i / 2 * 8) * N + j0 + lane % 4 * 2 + i % 2] = d[i];
}

int main()
{
    static __half a[M * K], b[N * K];
    static float want[M * N];
    for (int i = 0; i < M * K; i++)
        a[i] = __float2half((float)(i * 7 % 13 - 6));
    for (int i = 0; i < N * K; i++)
        b[i] = __float2half((float)(i * 5 % 11 - 5));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < K; k++)
                want[i * N + j] += (float)((i * K + k) * 7 % 13 - 6) * (float)((j * K + k) * 5 % 11 - 5);
    Dev<__half> da(M * K), db(N * K);
    Dev<float> dc(M * N);
    da.put(a);
    db.put(b);
    by_mma<<<N / 8, 128>>>(da.p, db.p, dc.p);
    same("mma", dc.get(), want, M * N);
    by_wmma<<<dim3(N / 16, M / 16), 32>>>(da.p, db.p, dc.p);
    for (float &w : want)
        w *= 2;
    same("wmma", dc.get(), want, M * N);
    try_tile<signed char, signed char, int, 16, 16, 16>("s8");
    try_tile<unsigned char, unsigned char, int, 8, 32, 16>("u8");
    try_tile<__nv_bfloat16, __nv_bfloat16, float, 32, 8, 16>("bf16");
    try_tile<wmma::precision::tf32, float, float, 16, 16, 8>("tf32");
    try_tile<double, double, double, 8, 8, 4>("f64");
    try_tile<__half, __half, float, 8, 32, 16>("f16");
    return done();
}
