// Matrix loads and stores bring the lanes of a warp together but order no memory. Fault: both exchanges lack __syncwarp().
#include "host.h"
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void rows(const __half *a, float *sum)
{
    __shared__ __half in[256];
    __shared__ float out[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::fill_fragment(fb, __float2half(1.0f));
    for (int k = threadIdx.x; k < 256; k += 32)
        in[k] = a[k];
#ifdef FIX
    __syncwarp();
#endif
    wmma::load_matrix_sync(fa, in, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
#ifdef FIX
    __syncwarp();
#endif
    if (threadIdx.x < 16)
        sum[threadIdx.x] = out[threadIdx.x * 16 + 15];
}

int main()
{
    __half a[256];
    float want[16];
    for (int i = 0; i < 256; i++) a[i] = __float2half(float(i / 16 % 5));
    for (int i = 0; i < 16; i++) want[i] = 16.0f * (i % 5);
    Dev<__half> da(256);
    Dev<float> ds(16);
    da.put(a);
    rows<<<1, 32>>>(da.p, ds.p);
    same("rows", ds.get(), want, 16);
    return done();
}
// twin: -DFIX
// expect: race-warp @17 @21
// expect: race-warp @23 @28
