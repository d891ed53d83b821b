// SPDX-License-Identifier: Apache-2.0
// Barriers in loops: counters that all warps share, warps with nothing to do, barriers with a result, warps that split,
// wait or exit between barriers. Each kernel has its answer from a loop on the host.
// expect: barrier-divergence
// stdout: PASS
#include <cstdio>
#include <cstdlib>

static const int MOST = 1024;
static int failures;

__global__ void tree(int *out) // any block size: the tail of each step is added by hand
{
    __shared__ int s[MOST];
    int tid = threadIdx.x;
    s[tid] = tid * tid + 1;
    __syncthreads();
    for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
        int half = (n + 1) / 2;
        if (tid < n / 2)
            s[tid] += s[tid + half];
        __syncthreads();
    }
    if (tid == 0)
        out[0] = s[0];
}

__global__ void long_loop(int *out) // more barriers than one call of a region passes, and a counter used behind it
{
    __shared__ int s[MOST];
    int tid = threadIdx.x, turn = 0, odd = 0;
    s[tid] = 0;
    __syncthreads();
    for (int i = 0; i < 1000; i++) {
        turn += i % 3;
        if (i & 1)
            odd++;
        if (tid < i % 40)
            s[tid] += turn;
        __syncthreads();
    }
    out[tid] = s[tid] + odd * 1000000;
}

__global__ void bound_from_memory(int *out) // the bound differs from step to step, and all read it
{
    __shared__ int s[MOST], bound;
    int tid = threadIdx.x;
    s[tid] = 1;
    for (int i = 0; i < 20; i++) {
        if (tid == 0)
            bound = i * 7 % 65;
        __syncthreads();
        if (tid < bound)
            s[tid] += i;
        __syncthreads();
    }
    out[tid] = s[tid];
}

__global__ void from_above(int *out) // warps without work come first
{
    __shared__ int s[MOST];
    int tid = threadIdx.x;
    s[tid] = 0;
    __syncthreads();
    for (int i = 0; i < 100; i += 9) {
        if (tid >= i)
            s[tid] += i + 1;
        __syncthreads();
        if (tid != i)
            s[tid]++;
        __syncthreads();
    }
    out[tid] = s[tid];
}

__global__ void two_dimensions(int *out) // threadIdx.x starts again in each row
{
    __shared__ int s[MOST];
    int at = threadIdx.y * blockDim.x + threadIdx.x;
    s[at] = 0;
    __syncthreads();
    for (int i = 1; i <= 32; i *= 2) {
        if (threadIdx.x < i)
            s[at] += i;
        __syncthreads();
    }
    out[at] = s[at];
}

__global__ void counted(int *out) // barriers with a result between plain ones
{
    int tid = threadIdx.x, sum = 0, last = 0;
    for (int i = 1; i < 50; i++) {
        int n = __syncthreads_count(tid % i == 0);
        last = i;
        if (__syncthreads_or(tid == i * 3))
            sum += n;
        __syncthreads();
    }
    out[tid] = sum * 100 + last;
}

__global__ void splitting(int *out) // lanes of the last warp with work go round a loop of their own
{
    __shared__ int s[MOST];
    int tid = threadIdx.x, steps = 0;
    s[tid] = 0;
    __syncthreads();
    for (int i = 5; i < 90; i += 17) {
        if (tid < i) {
            for (int k = tid; k != 1 && k > 0; k = k % 2 ? 3 * k + 1 : k / 2) // lanes take different numbers of turns
                s[tid]++;
        }
        steps += i;
        __syncthreads();
    }
    out[tid] = s[tid] * 1000 + steps;
}

__global__ void leaving(int *out, int stay) // some warps are gone when the others go on
{
    __shared__ int s[MOST];
    int tid = threadIdx.x;
    s[tid] = tid;
    __syncthreads();
    if (tid >= stay) {
        out[tid] = -1;
        return;
    }
    int total = 0;
    for (int i = 1; i <= 16; i *= 2) {
        int from = s[(tid + i) % stay];
        __syncthreads();
        if (tid < 2 * i)
            s[tid] += from;
        total += i;
        __syncthreads();
    }
    out[tid] = s[tid] + 10000 * total;
}

static void compare(const char *name, int threads, const int *got, const int *want, int n)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want[i] && failures++ < 20)
            printf("%s, %d threads: [%d] is %d and should be %d\n", name, threads, i, got[i], want[i]);
}

static int collatz(int k)
{
    int n = 0;
    for (; k != 1 && k > 0; k = k % 2 ? 3 * k + 1 : k / 2)
        n++;
    return n;
}

static void one_size(int threads, int *d)
{
    int got[MOST], want[MOST];
#define GET(n) cudaMemcpy(got, d, (n) * sizeof(int), cudaMemcpyDeviceToHost)
    tree<<<1, threads>>>(d);
    GET(1);
    want[0] = 0;
    for (int i = 0; i < threads; i++)
        want[0] += i * i + 1;
    compare("tree", threads, got, want, 1);

    long_loop<<<1, threads>>>(d);
    GET(threads);
    for (int t = 0; t < threads; t++) {
        int turn = 0;
        want[t] = 500 * 1000000;
        for (int i = 0; i < 1000; i++) {
            turn += i % 3;
            want[t] += t < i % 40 ? turn : 0;
        }
    }
    compare("long_loop", threads, got, want, threads);

    bound_from_memory<<<1, threads>>>(d);
    GET(threads);
    for (int t = 0; t < threads; t++) {
        want[t] = 1;
        for (int i = 0; i < 20; i++)
            want[t] += t < i * 7 % 65 ? i : 0;
    }
    compare("bound_from_memory", threads, got, want, threads);

    from_above<<<1, threads>>>(d);
    GET(threads);
    for (int t = 0; t < threads; t++) {
        want[t] = 0;
        for (int i = 0; i < 100; i += 9)
            want[t] += (t >= i ? i + 1 : 0) + (t != i);
    }
    compare("from_above", threads, got, want, threads);

    counted<<<1, threads>>>(d);
    GET(threads);
    for (int t = 0, sum = 0; t < 1; t++) {
        for (int i = 1; i < 50; i++)
            sum += i * 3 < threads ? (threads + i - 1) / i : 0;
        for (int k = 0; k < threads; k++)
            want[k] = sum * 100 + 49;
    }
    compare("counted", threads, got, want, threads);

    splitting<<<1, threads>>>(d);
    GET(threads);
    for (int t = 0; t < threads; t++) {
        want[t] = 5 + 22 + 39 + 56 + 73;
        for (int i = 5; i < 90; i += 17)
            want[t] += t < i ? 1000 * collatz(t) : 0;
    }
    compare("splitting", threads, got, want, threads);

    int stay = threads / 2 + 1, s[MOST], from[MOST];
    leaving<<<1, threads>>>(d, stay);
    GET(threads);
    for (int t = 0; t < threads; t++)
        s[t] = t;
    for (int i = 1; i <= 16; i *= 2) {
        for (int t = 0; t < stay; t++)
            from[t] = s[(t + i) % stay];
        for (int t = 0; t < stay && t < 2 * i; t++)
            s[t] += from[t];
    }
    for (int t = 0; t < threads; t++)
        want[t] = t < stay ? s[t] + 310000 : -1;
    compare("leaving", threads, got, want, threads);
}

int main()
{
    int *d, got[256], want[256];
    cudaMalloc(&d, MOST * sizeof(int));
    const int sizes[] = {1, 31, 32, 33, 64, 100, 256, 257, 1000, 1024};
    for (int threads : sizes)
        one_size(threads, d);
    two_dimensions<<<1, dim3(32, 8)>>>(d);
    cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 256; t++) {
        want[t] = 0;
        for (int i = 1; i <= 32; i *= 2)
            want[t] += t % 32 < i ? i : 0;
    }
    compare("two_dimensions", 256, got, want, 256);
    puts(failures ? "FAIL" : "PASS");
    cudaFree(d);
    return failures != 0;
}
