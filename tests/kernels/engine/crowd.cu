// SPDX-License-Identifier: Apache-2.0
// Words that thousands of warps meet in: tickets, counters that are read, flags, tables read before a release. The
// cost of a check must grow with the number of accesses, not with its square: this ends in seconds or not in time.
// expect: clean
// allow: contention
// stdout: PASS
// errors: 0
#include <cstdio>

__device__ unsigned ticket, total, flag, each[64], ready;
__device__ int table[32];

__device__ unsigned load_relaxed(unsigned *p)
{
    unsigned v;
    asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__device__ unsigned load_acquire(unsigned *p)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__global__ void set()
{
    if (threadIdx.x == 0)
        flag = 7;
    table[threadIdx.x] = threadIdx.x;
}

// Every warp takes a ticket and uses it; then a total that grows is looked at.
__global__ void tickets(unsigned *out)
{
    if (threadIdx.x % 32)
        return;
    unsigned mine = atomicAdd(&ticket, 1);
    atomicAdd(&total, 1);
    out[mine] = load_relaxed(&total) > 0;
}

// Counters that many warps share.
__global__ void counters(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 0)
        out[i / 32] = atomicAdd(&each[i / 32 % 64], 1) < 1u << 30 && load_relaxed(&each[i / 32 % 64]);
}

// All wait for one.
__global__ void waiters(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0) {
        flag = 8;
        __threadfence();
        atomicExch(&ready, 1);
    }
    while (!load_acquire(&ready))
        ;
    if (threadIdx.x % 32 == 0)
        out[i / 32] = flag;
}

// Reads that a release publishes: a later write might be ordered after each of them.
__global__ void readers(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = table[threadIdx.x % 32] + flag;
    __threadfence();
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&total, 1);
        out[i / 32] = sum;
    }
}

int main()
{
    const int warps = 1 << 14;
    unsigned *out, last;
    cudaMalloc(&out, warps * sizeof *out);
    set<<<1, 32>>>();
    tickets<<<warps / 8, 256>>>(out);
    counters<<<warps / 8, 256>>>(out);
    waiters<<<warps / 8, 256>>>(out);
    readers<<<warps / 8, 256>>>(out);
    cudaMemcpy(&last, out + warps - 1, sizeof last, cudaMemcpyDeviceToHost);
    puts(cudaGetLastError() == cudaSuccess && last == 8 ? "PASS" : "FAIL");
    return 0;
}
