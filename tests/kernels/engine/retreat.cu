// SPDX-License-Identifier: Apache-2.0
// Memory that has no fast way in the middle of barriers (the program's own, registered; places beside an allocation that
// some lanes must not touch), in loops whose registers have changed by then: nothing is done twice, nothing is lost.
// expect: clean
// stdout: PASS
#include "host.h"

// Reads from memory that may be the host's; what was done before the read must not be done again.
__global__ void sums(const int *in, int *out, int *visits, int n)
{
    __shared__ int part[256];
    int t = threadIdx.x, sum = 0, step = 1;
    for (int i = t; i < n; i += blockDim.x, step += 3) {
        sum += in[i] * step;
        step ^= sum & 1;
    }
    part[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s] + in[s];
        __syncthreads();
    }
    atomicAdd(visits, 1);
    int late = in[t & 7]; // after an effect
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = part[0] + late;
}

static void sums_want(const int *in, int *want, int n, int threads, int blocks)
{
    int part[256];
    for (int t = 0; t < threads; t++) {
        int sum = 0, step = 1;
        for (int i = t; i < n; i += threads, step += 3) {
            sum += in[i] * step;
            step ^= sum & 1;
        }
        part[t] = sum;
    }
    for (int s = threads / 2; s > 0; s >>= 1)
        for (int t = 0; t < s; t++)
            part[t] += part[t + s] + in[s];
    for (int i = 0; i < blocks * threads; i++)
        want[i] = part[0] + in[i % threads & 7];
}

static void registered(int threads, bool is_own)
{
    const int n = 5000, blocks = 7;
    static int in[n], want[blocks * 256];
    int *at = NULL, *host = NULL, total = 0;
    for (int i = 0; i < n; i++)
        in[i] = (i * 7919) % 101 - 50;
    sums_want(in, want, n, threads, blocks);
    Dev<int> out(blocks * threads), visits(1);
    if (is_own) {
        host = (int *)aligned_alloc(4096, (n * sizeof(int) + 4095) / 4096 * 4096);
        memcpy(host, in, sizeof in);
        CK(cudaHostRegister(host, n * sizeof(int), cudaHostRegisterMapped));
        at = host;
    } else {
        CK(cudaMalloc(&at, sizeof in));
        CK(cudaMemcpy(at, in, sizeof in, cudaMemcpyHostToDevice));
    }
    sums<<<blocks, threads>>>(at, out.p, visits.p, n);
    same(is_own ? "host memory" : "device memory", out.get(), want, blocks * threads);
    total = *visits.get();
    if (total != blocks * threads) {
        printf("FAIL: %d visits\n", total);
        n_bad++;
    }
    if (is_own) {
        CK(cudaHostUnregister(host));
        free(host);
    }
}

// Lane 0 of the first warp would read before the start of shared memory, the last lanes behind its end: both are off.
__global__ void neighbours(const int *in, int *out, int n)
{
    extern __shared__ int row[];
    int t = threadIdx.x, around = 0;
    row[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int d = 1; d < 40; d++) {
        if (t >= d)
            around += row[t - d] * d;
        if (t + d < n)
            around -= row[t + d];
        if (t * 2 + d < n)
            around ^= row[2 * t + d];
        __syncthreads();
    }
    if (t < n)
        out[t] = around;
}

static void edges(int n)
{
    int in[1024], want[1024];
    for (int i = 0; i < n; i++)
        in[i] = i * i % 1009;
    for (int t = 0; t < n; t++) {
        int around = 0;
        for (int d = 1; d < 40; d++) {
            if (t >= d)
                around += in[t - d] * d;
            if (t + d < n)
                around -= in[t + d];
            if (t * 2 + d < n)
                around ^= in[2 * t + d];
        }
        want[t] = around;
    }
    Dev<int> d(n), out(n);
    d.put(in);
    neighbours<<<1, n, n * sizeof(int)>>>(d.p, out.p, n);
    same("edges", out.get(), want, n);
}

int main()
{
    for (int threads : {256, 64, 16})
        for (int own = 0; own < 2; own++)
            registered(threads, own);
    for (int n : {7, 32, 33, 100, 256, 1000})
        edges(n);
    return done();
}
