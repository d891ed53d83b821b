// SPDX-License-Identifier: Apache-2.0
// Tensor copies as the CUDA programming guide shows them: a tensor map by the driver API, tiles in and out by one
// thread, the tensor map as a kernel's parameter.
// expect: clean
// stdout: PASS
// compiler: -arch=sm_90 -lcuda
#include "host.h"
#include "bulk.h"
#include <cuda.h>

#define W 64
#define H 32
#define TW 16
#define TH 8

__global__ void add_one(const __grid_constant__ CUtensorMap map)
{
    __shared__ __align__(128) int tile[TH][TW];
    __shared__ unsigned long long bar;
    int x = blockIdx.x * TW, y = blockIdx.y * TH, t = threadIdx.x;
    if (t == 0)
        mbar_init(&bar, 1);
    __syncthreads();
    if (t == 0) {
        mbar_expect(&bar, sizeof tile);
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(tile)),
                     "l"(&map), "r"(x), "r"(y), "r"(at(&bar))
                     : "memory");
    }
    mbar_wait(&bar, 0);
    tile[t / TW][t % TW] += 1;
    proxy_fence();
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), "r"(at(tile))
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        bulk_read_done();
    }
}

int main()
{
    static int in[H * W], want[H * W];
    Dev<int> d(H * W);
    for (int i = 0; i < H * W; i++) {
        in[i] = i * 3;
        want[i] = i * 3 + 1;
    }
    d.put(in);
    CUtensorMap map;
    cuuint64_t size[2] = {W, H}, stride[1] = {W * sizeof(int)};
    cuuint32_t box[2] = {TW, TH}, step[2] = {1, 1};
    CUresult e = cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, d.p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (e != CUDA_SUCCESS) {
        printf("FAIL: %d\n", (int)e);
        return 1;
    }
    add_one<<<dim3(W / TW, H / TH), TW * TH>>>(map);
    same("tiles", d.get(), want, H * W);
    return done();
}
