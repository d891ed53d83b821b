// SPDX-License-Identifier: Apache-2.0
// Kernels as programs have them, and faulty twins. launches NAME runs one of them twice and prints a sum of its result;
// proofs_test.py says which launches are to be proven free of races and which are to be reported.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define N 4096
#define SIDE 64
#define BLOCK 128

struct arrays {
    const float *a;
    float *out;
    int n;
};

__global__ void add(const float *a, const float *b, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void some(const float *a, float *out, int n) // who knows which ones
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] > 50)
        out[i] = a[i];
}

__global__ void by_value(struct arrays x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x.n)
        x.out[i] = 2 * x.a[i];
}

__global__ void grid_stride(const float *a, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i] * 3;
}

__global__ void thirds(const float *a, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[3 * (i / 3) + i % 3] = a[i];
}

__global__ void plane(const float *a, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int left = x > 0 ? x - 1 : 0, up = y > 0 ? y - 1 : 0;
    out[y * width + x] = a[y * width + left] + a[up * width + x];
}

__global__ void transpose(const float *a, float *out)
{
    __shared__ float tile[16][17];
    tile[threadIdx.y][threadIdx.x] = a[(blockIdx.y * 16 + threadIdx.y) * SIDE + blockIdx.x * 16 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * SIDE + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void tree(const float *a, float *out)
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned half = BLOCK / 2; half; half /= 2) {
        if (t < half)
            s[t] += s[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void tree_bad(const float *a, float *out) // no barrier in the loop
{
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned half = BLOCK / 2; half; half /= 2)
        if (t < half)
            s[t] += s[t + half];
    if (t == 0)
        out[blockIdx.x] = s[0];
}

__global__ void shuffle(const float *a, float *out)
{
    __shared__ float sums[BLOCK / 32];
    float v = a[blockIdx.x * BLOCK + threadIdx.x];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < BLOCK / 32; i++)
            v += sums[i];
        out[blockIdx.x] = v;
    }
}

__global__ void shuffle_bad(const float *a, float *out) // names lanes that do not take part
{
    float v = a[blockIdx.x * BLOCK + threadIdx.x];
    if (threadIdx.x % 32 < 16)
        v += __shfl_down_sync(0xffffffffu, v, 8);
    out[blockIdx.x * BLOCK + threadIdx.x] = v;
}

__global__ void scan(const float *a, float *out)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        float before = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = s[t];
}

__global__ void scan_bad(const float *a, float *out) // reads and writes in one interval
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        float before = t >= d ? s[t - d] : 0;
        s[t] += before;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + t] = s[t];
}

__global__ void bitonic(const float *a, float *out)
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    for (int k = 2; k <= BLOCK; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            int other = t ^ j;
            __syncthreads();
            if (other > t) {
                float x = s[t], y = s[other];
                bool up = (t & k) == 0;
                s[t] = (x > y) == up ? y : x;
                s[other] = (x > y) == up ? x : y;
            }
        }
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t];
}

__global__ void stencil(const float *a, float *out)
{
    __shared__ float s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + 1] = a[i];
    if (t == 0)
        s[0] = a[i > 0 ? i - 1 : 0];
    if (t == BLOCK - 1)
        s[BLOCK + 1] = a[i < N - 1 ? i + 1 : N - 1];
    __syncthreads();
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

__global__ void stencil_bad(const float *a, float *out) // no barrier before the neighbours are read
{
    __shared__ float s[BLOCK + 2];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t + 1] = a[i];
    if (t == 0)
        s[0] = a[i > 0 ? i - 1 : 0];
    if (t == BLOCK - 1)
        s[BLOCK + 1] = a[i < N - 1 ? i + 1 : N - 1];
    out[i] = s[t] + s[t + 1] + s[t + 2];
}

__global__ void pairs_bad(const float *a, float *out, int n) // two threads write one element
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i / 2] = a[i];
}

__global__ void shift_bad(float *out, int n) // reads what the next thread writes, also that of the next block
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < n)
        out[i] = out[i + 1];
}

__global__ void unwritten_bad(float *out) // every second element of shared memory
{
    __shared__ float s[BLOCK];
    if (threadIdx.x % 2 == 0)
        s[threadIdx.x] = 1;
    __syncthreads();
    out[blockIdx.x * BLOCK + threadIdx.x] = s[threadIdx.x];
}

__global__ void bounds_bad(const float *a, float *out, int n) // one element too many
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        out[i] = a[i < n ? i : 0];
}

__global__ void before_bad(const float *a, float *out) // two elements in front of shared memory
{
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    s[t - 2] = a[t];
    __syncthreads();
    out[blockIdx.x * BLOCK + t] = s[t];
}

__global__ void halves_bad(const float *a, float *out) // rounds towards zero, to which two threads come
{
    long i = 2 * (long)threadIdx.x - BLOCK + 1;
    out[blockIdx.x * BLOCK + BLOCK / 2 + i / 2] = a[threadIdx.x];
}

__global__ void floor_bad(const float *a, float *out) // all that is negative becomes 0
{
    int i, t = (int)threadIdx.x - BLOCK / 2;
    asm("min.relu.s32 %0, %1, %2;" : "=r"(i) : "r"(t), "r"(BLOCK));
    out[blockIdx.x * BLOCK + BLOCK / 2 + i] = a[threadIdx.x];
}

__global__ void ends_bad(const int *key, unsigned long long *bins) // the last one lies in the memory by half
{
    atomicAdd(&bins[key[threadIdx.x] / 4], 1);
}

__global__ void histogram(const int *key, int *bins, int n)
{
    __shared__ int s[64];
    for (int b = threadIdx.x; b < 64; b += blockDim.x)
        s[b] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&s[key[i] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void histogram_global(const int *key, int *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[key[i]], 1);
}

__global__ void freed(int *bins)
{
    if (threadIdx.x < 64)
        bins[threadIdx.x] = 1;
}

__global__ void set_key(int *key, int at, int value)
{
    if (threadIdx.x == 0)
        key[at] = value;
}

static float *a, *b, *out, *more;
static int *key, *bins, *odd;

static void launch(const char *name)
{
    dim3 tile(16, 16), tiles(SIDE / 16, SIDE / 16);
    struct arrays x = {a, out, N};
    if (!strcmp(name, "add")) add<<<N / BLOCK + 1, BLOCK>>>(a, b, out, N);
    if (!strcmp(name, "by_value")) by_value<<<N / BLOCK, BLOCK>>>(x);
    if (!strcmp(name, "grid_stride")) grid_stride<<<7, 96>>>(a, out, N);
    if (!strcmp(name, "thirds")) thirds<<<N / 96, 96>>>(a, out, N / 96 * 96);
    if (!strcmp(name, "plane")) plane<<<dim3(3, 5), dim3(32, 16)>>>(a, out, SIDE, SIDE);
    if (!strcmp(name, "transpose")) transpose<<<tiles, tile>>>(a, out);
    if (!strcmp(name, "tree")) tree<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "tree_bad")) tree_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "shuffle")) shuffle<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "shuffle_bad")) shuffle_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "scan")) scan<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "scan_bad")) scan_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "bitonic")) bitonic<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "stencil")) stencil<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "stencil_bad")) stencil_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "pairs_bad")) pairs_bad<<<N / BLOCK, BLOCK>>>(a, out, N);
    if (!strcmp(name, "shift_bad")) shift_bad<<<N / BLOCK, BLOCK>>>(out, N);
    if (!strcmp(name, "unwritten_bad")) unwritten_bad<<<N / BLOCK, BLOCK>>>(out);
    if (!strcmp(name, "bounds_bad")) bounds_bad<<<N / BLOCK + 1, BLOCK>>>(a, out, N);
    if (!strcmp(name, "before_bad")) before_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "halves_bad")) halves_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "floor_bad")) floor_bad<<<N / BLOCK, BLOCK>>>(a, out);
    if (!strcmp(name, "ends_bad")) ends_bad<<<1, BLOCK>>>(key, (unsigned long long *)odd);
    if (!strcmp(name, "freed_bad")) freed<<<1, BLOCK>>>(odd);
    if (!strcmp(name, "histogram")) histogram<<<N / BLOCK, BLOCK>>>(key, bins, N);
    if (!strncmp(name, "histogram_", 10)) histogram_global<<<N / BLOCK, BLOCK>>>(key, bins, N);
}

int main(int argc, char **argv)
{
    static float host[N];
    static int keys[N];
    const char *name = argc > 1 ? argv[1] : "add";
    for (int i = 0; i < N; i++) {
        host[i] = (float)((i * 37) % 101);
        keys[i] = (i * 7) % 64;
    }
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&b, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMalloc(&key, sizeof keys);
    cudaMalloc(&bins, 64 * sizeof(int));
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(out, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(key, keys, sizeof keys, cudaMemcpyHostToDevice);
    cudaMemset(bins, 0, 64 * sizeof(int));
    cudaMalloc(&more, sizeof host);
    cudaMalloc(&odd, 65 * sizeof(int));
    cudaMemset(odd, 0, 65 * sizeof(int));
    if (!strcmp(name, "freed_bad"))
        cudaFree(odd);
    launch(name);
    if (!strcmp(name, "ends_bad"))
        set_key<<<1, 32>>>(key, 99, 4 * 32);
    if (!strcmp(name, "histogram_bounds")) // the second launch leaves the array
        set_key<<<1, 32>>>(key, 99, 64);
    if (!strcmp(name, "histogram_other")) // and here it hits another one
        set_key<<<1, 32>>>(key, 99, (int)(((char *)out - (char *)bins) / (long)sizeof(int)));
    if (!strncmp(name, "streams", 7)) { // a stream that does not wait for the launch before
        cudaStream_t other;
        bool is_apart = !strcmp(name, "streams_apart"), is_perhaps = !strcmp(name, "streams_perhaps");
        cudaDeviceSynchronize();
        if (is_perhaps)
            some<<<N / BLOCK, BLOCK>>>(a, out, N);
        else
            add<<<N / BLOCK, BLOCK>>>(a, b, out, N);
        cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
        add<<<N / BLOCK, BLOCK, 0, other>>>(a, b, is_apart ? more : out, N);
    }
    launch(name);
    cudaError_t err = cudaDeviceSynchronize();
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpy(keys, bins, 64 * sizeof(int), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += host[i] * (i % 17);
    for (int i = 0; i < 64; i++)
        sum += (double)keys[i] * (i % 5);
    printf("%s %s %.1f\n", name, cudaGetErrorName(err), sum);
    return 0;
}
