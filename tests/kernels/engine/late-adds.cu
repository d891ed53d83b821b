// SPDX-License-Identifier: Apache-2.0
// Atomic adds whose old value nobody reads: those that may be made late, and those whose effect somebody sees at once.
// expect: clean
// allow: contention
// stdout: PASS
#include <cstdio>
#include <cstring>

static const int BINS = 5000, BLOCKS = 300, THREADS = 128;
static int failures;

__global__ void count(const int *x, int n, unsigned *total)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] % 3 == 0)
        atomicAdd(total, 1u);
}

__global__ void spread(const int *x, int n, unsigned *bins) // more places than a worker keeps apart
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[x[i] % BINS], 0x10000001u * (unsigned)x[i]);
}

__global__ void own(unsigned *place, unsigned *seen) // a thread sees its own addition
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&place[i], 5u);
    seen[i] = place[i];
}

__global__ void of_the_block(unsigned *place, unsigned *seen) // and behind a barrier those of its block
{
    atomicAdd(&place[blockIdx.x], threadIdx.x);
    __syncthreads();
    seen[blockIdx.x * blockDim.x + threadIdx.x] = place[blockIdx.x];
}

__global__ void in_turn(const unsigned *x, unsigned *place, unsigned *seen) // a loop comes back to a read
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) {
        sum += place[i] * x[k];
        atomicAdd(&place[i], x[k]);
    }
    seen[i] = sum;
}

__global__ void last_block(unsigned *total, unsigned *tickets, unsigned *result)
{
    __shared__ bool is_last;
    atomicAdd(total, threadIdx.x + blockIdx.x);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(tickets, 1u) == gridDim.x - 1;
        __threadfence();
        if (is_last)
            *result = *(volatile unsigned *)total;
    }
}

__global__ void put_after(unsigned *place) // a store behind the addition wins
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&place[i], 77u);
    place[i] = 3;
}

__global__ void many_places(unsigned *bins) // the same for the whole block, another in each turn
{
    for (int k = 0; k < 40; k++) {
        if (threadIdx.x % (k + 1) == 0)
            atomicAdd(&bins[k * 3 + blockIdx.x % 2], k + 1);
        if (k % 7 == 0)
            __syncthreads();
    }
}

static void compare(const char *name, const unsigned *got, const unsigned *want, int n)
{
    for (int i = 0; i < n; i++)
        if (got[i] != want[i] && failures++ < 20)
            printf("%s: [%d] is %u and should be %u\n", name, i, got[i], want[i]);
}

int main()
{
    const int n = BLOCKS * THREADS;
    static int x[n];
    static unsigned got[n], want[n];
    int *in;
    unsigned *a, *b;
    cudaMalloc(&in, sizeof x);
    cudaMalloc(&a, sizeof got);
    cudaMalloc(&b, sizeof got);
    for (int i = 0; i < n; i++)
        x[i] = (int)((unsigned)i * 2654435761u >> 8);
    cudaMemcpy(in, x, sizeof x, cudaMemcpyHostToDevice);
#define CLEAR() cudaMemset(a, 0, sizeof got), cudaMemset(b, 0, sizeof got), memset(want, 0, sizeof want)
#define GET(p) cudaMemcpy(got, p, sizeof got, cudaMemcpyDeviceToHost)

    CLEAR();
    count<<<BLOCKS, THREADS>>>(in, n - 5, a);
    GET(a);
    for (int i = 0; i < n - 5; i++)
        want[0] += x[i] % 3 == 0;
    compare("count", got, want, 1);

    CLEAR();
    spread<<<BLOCKS, THREADS>>>(in, n, a);
    GET(a);
    for (int i = 0; i < n; i++)
        want[x[i] % BINS] += 0x10000001u * (unsigned)x[i];
    compare("spread", got, want, n);

    CLEAR();
    own<<<BLOCKS, THREADS>>>(a, b);
    GET(b);
    for (int i = 0; i < n; i++)
        want[i] = 5;
    compare("own", got, want, n);

    CLEAR();
    of_the_block<<<BLOCKS, THREADS>>>(a, b);
    GET(b);
    for (int i = 0; i < n; i++)
        want[i] = THREADS * (THREADS - 1) / 2;
    compare("of_the_block", got, want, n);

    CLEAR();
    in_turn<<<BLOCKS, THREADS>>>((const unsigned *)in, a, b);
    GET(b);
    for (int k = 0, before = 0; k < 8; before += x[k], k++)
        want[0] += (unsigned)before * (unsigned)x[k];
    for (int i = 1; i < n; i++)
        want[i] = want[0];
    compare("in_turn", got, want, n);

    CLEAR();
    last_block<<<BLOCKS, THREADS>>>(a, a + 1, b);
    GET(b);
    for (int i = 0; i < n; i++)
        want[0] += (unsigned)(i % THREADS + i / THREADS);
    compare("last_block", got, want, 1);

    CLEAR();
    put_after<<<BLOCKS, THREADS>>>(a);
    GET(a);
    for (int i = 0; i < n; i++)
        want[i] = 3;
    compare("put_after", got, want, n);

    CLEAR();
    many_places<<<BLOCKS, THREADS>>>(a);
    GET(a);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 40; k++)
            want[k * 3 + i / THREADS % 2] += i % THREADS % (k + 1) == 0 ? k + 1 : 0;
    compare("many_places", got, want, 200);

    unsigned *pinned;
    cudaMallocHost(&pinned, sizeof *pinned);
    *pinned = 7;
    count<<<BLOCKS, THREADS>>>(in, n, pinned);
    cudaDeviceSynchronize();
    want[0] = 7;
    for (int i = 0; i < n; i++)
        want[0] += x[i] % 3 == 0;
    compare("pinned", pinned, want, 1);

    puts(failures ? "FAIL" : "PASS");
    cudaFreeHost(pinned);
    cudaFree(in);
    cudaFree(a);
    cudaFree(b);
    return failures != 0;
}
