// SPDX-License-Identifier: Apache-2.0
// Experiment 2: kernels that wait for what cannot come, and the same kernels mended. Run by `warpfence lab deadlock`, a
// case at a time; alone: ./a.out CASE, or ./a.out for the list.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__device__ int word[4], taken[64];

// Half of the block takes a way without the barrier.
__global__ void branch(bool mended)
{
    if (threadIdx.x < 48) {
        if (!mended)
            __syncthreads();
    }
    if (mended)
        __syncthreads();
}

// Two barriers in the two ways of a branch: not the same one.
__global__ void two_barriers(bool mended)
{
    if (threadIdx.x < 32) {
        if (!mended)
            __syncthreads();
    } else {
        if (!mended)
            __syncthreads();
        else
            __threadfence_block();
    }
    if (mended)
        __syncthreads();
}

// A lock is held at a barrier that those who wait for the lock shall reach.
__global__ void lock(bool mended)
{
    while (atomicCAS(&word[0], 0, 1) != 0)
        ;
    if (!mended)
        __syncthreads();
    __threadfence();
    atomicExch(&word[0], 0);
    if (mended)
        __syncthreads();
}

// A flag that nobody raises before it is waited for: the raiser stands behind the waiters in its own block.
__global__ void flag(bool mended)
{
    if (mended && threadIdx.x == 0)
        atomicExch(&word[2], 1);
    if (threadIdx.x == 32)
        while (atomicAdd(&word[2], 0) == 0)
            ;
    __syncthreads();
    if (!mended && threadIdx.x == 0)
        atomicExch(&word[2], 1);
}

// A shuffle's mask names lanes that wait, elsewhere, for what comes after the shuffle.
__global__ void mask(bool mended)
{
    unsigned lane = threadIdx.x % 32, named = mended ? 0x0000ffffu : 0xffffffffu;
    if (lane < 16) {
        taken[threadIdx.x] = __shfl_sync(named, lane, 0);
        __threadfence();
        if (threadIdx.x == 0)
            atomicExch(&word[3], 1);
    } else {
        while (atomicAdd(&word[3], 0) == 0)
            ;
    }
}

static const struct {
    const char *name;
    void (*kernel)(bool);
} cases[] = {{"branch", branch}, {"two-barriers", two_barriers}, {"lock", lock}, {"flag", flag}, {"mask", mask}};

int main(int argc, char **argv)
{
    bool mended = argc > 2 && std::strcmp(argv[2], "mended") == 0;
    for (const auto &c : cases) {
        if (argc < 2) {
            std::puts(c.name);
        } else if (std::strcmp(argv[1], c.name) == 0) {
            c.kernel<<<1, 64>>>(mended);
            cudaError_t e = cudaDeviceSynchronize();
            std::puts(cudaGetErrorString(e));
            return e != cudaSuccess;
        }
    }
    return argc < 2 ? 0 : 2;
}

// expect: clean
// args: flag mended
// stdout: no error
