// SPDX-License-Identifier: Apache-2.0
// Experiment 1: three reductions of n floats to one sum a block, on several sizes: time, and error against the exact
// sum. Run by `warpfence lab reduce`; as a program of its own: nvcc reduce.cu && ./a.out
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define T 256

// A tree in shared memory, a barrier a step.
__global__ void basic(const float *in, float *out, int n)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Each thread takes two elements first, so half the blocks do.
__global__ void two_each(const float *in, float *out, int n)
{
    __shared__ float s[T];
    int t = threadIdx.x, i = blockIdx.x * 2 * T + t;
    s[t] = (i < n ? in[i] : 0) + (i + T < n ? in[i + T] : 0);
    __syncthreads();
    for (int half = T / 2; half > 0; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__device__ float warp_sum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}

// Registers within a warp, shared memory between warps: one barrier.
__global__ void shuffle(const float *in, float *out, int n)
{
    __shared__ float s[T / 32];
    int t = threadIdx.x, i = blockIdx.x * T + t;
    float v = warp_sum(i < n ? in[i] : 0);
    if (t % 32 == 0)
        s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < T / 32 ? s[t] : 0);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

// One atomic an element: what a reduction saves.
__global__ void atomic(const float *in, float *out, int n)
{
    int i = blockIdx.x * T + threadIdx.x;
    if (i < n)
        atomicAdd(out, in[i]);
}

static void require(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::printf("%s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

static const struct {
    const char *name;
    void (*kernel)(const float *, float *, int);
    int per_block; // elements; 0: one sum only
} rows[] = {{"tree, barrier a step", basic, T},
            {"two elements a thread", two_each, 2 * T},
            {"warp shuffles", shuffle, T},
            {"an atomic an element", atomic, 0}};

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int sizes[] = {1 << 12, 1 << 16, 1 << 20, 1 << 22}, MOST = 1 << 22, TIMES = 5;
    int n_sizes = argc > 1 ? std::atoi(argv[1]) : 4; // fewer for a quick look
    float *in, *out, *host = (float *)std::malloc(MOST * sizeof(float)), *part = (float *)std::malloc(MOST);
    for (int i = 0; i < MOST; i++)
        host[i] = 1.0f / (1 + i % 1000);
    require(cudaMalloc(&in, MOST * sizeof(float)));
    require(cudaMalloc(&out, MOST));
    require(cudaMemcpy(in, host, MOST * sizeof(float), cudaMemcpyHostToDevice));
    cudaEvent_t start, stop;
    require(cudaEventCreate(&start));
    require(cudaEventCreate(&stop));
    std::printf("%-22s %10s %10s %10s %12s\n", "reduction", "n", "ms", "GB/s", "rel. error");
    for (int k = 0; k < n_sizes && k < 4; k++) {
        int n = sizes[k];
        double exact = 0;
        for (int i = 0; i < n; i++)
            exact += host[i];
        for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
            int blocks = rows[r].per_block ? (n + rows[r].per_block - 1) / rows[r].per_block : (n + T - 1) / T;
            int sums = rows[r].per_block ? blocks : 1;
            float ms[TIMES];
            for (int i = -1; i < TIMES; i++) { // the first one warms up
                require(cudaMemset(out, 0, sums * sizeof(float)));
                require(cudaEventRecord(start));
                rows[r].kernel<<<blocks, T>>>(in, out, n);
                require(cudaGetLastError());
                require(cudaEventRecord(stop));
                require(cudaEventSynchronize(stop));
                float one;
                require(cudaEventElapsedTime(&one, start, stop));
                if (i >= 0)
                    ms[i] = one;
            }
            std::qsort(ms, TIMES, sizeof *ms, by_value);
            require(cudaMemcpy(part, out, sums * sizeof(float), cudaMemcpyDeviceToHost));
            double sum = 0;
            for (int i = 0; i < sums; i++)
                sum += part[i];
            double mid = ms[TIMES / 2];
            std::printf("%-22s %10d %10.4f %10.2f %12.1e\n", rows[r].name, n, mid, n * 4.0 / (mid > 0 ? mid : 1e-3) / 1e6,
                        std::fabs(sum - exact) / exact);
        }
    }
    return 0;
}

// expect: clean
// allow: contention order-float
// args: 1
// stdout: warp shuffles *
