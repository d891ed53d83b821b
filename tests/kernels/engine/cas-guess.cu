// SPDX-License-Identifier: Apache-2.0
// The guide's way to make an atomic of a type that has none: a plain read guesses, atomicCAS finds out. No finding,
// wherever the word lies and however its address is computed; --cas-guesses tells (cas-guess-told.cu).
// expect: clean
// stdout: PASS
#include <cstdio>

struct sums {
    float spare, total;
};
__device__ float whole;
__device__ struct sums pair;

__device__ double add_double(double *at, double v)
{
    unsigned long long *word = (unsigned long long *)at, old = *word, seen;
    do {
        seen = old;
        old = atomicCAS(word, seen, __double_as_longlong(v + __longlong_as_double(seen)));
    } while (old != seen);
    return __longlong_as_double(old);
}

__global__ void add(double *out, unsigned *each, const int *place)
{
    __shared__ double part;
    __shared__ unsigned bins[4];
    if (threadIdx.x == 0)
        part = 0;
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    __syncthreads();
    add_double(&part, 1);
    unsigned old = bins[threadIdx.x % 4], seen; // an element, its address computed twice
    do {
        seen = old;
        old = atomicCAS(&bins[threadIdx.x % 4], seen, seen + 1);
    } while (old != seen);
    old = *(unsigned *)&whole; // a variable
    do {
        seen = old;
        old = atomicCAS((unsigned *)&whole, seen, __float_as_uint(__uint_as_float(seen) + 1));
    } while (old != seen);
    old = __float_as_uint(pair.total); // a member
    do {
        seen = old;
        old = atomicCAS((unsigned *)&pair.total, seen, __float_as_uint(__uint_as_float(seen) + 1));
    } while (old != seen);
    old = each[place[threadIdx.x]]; // an element whose index comes from memory
    while (old < 64) {
        seen = old;
        old = atomicCAS(each + place[threadIdx.x], seen, seen + 1);
        if (old == seen)
            break;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        add_double(out, part + bins[0] + bins[1] + bins[2] + bins[3]);
}

int main()
{
    double *out, got;
    unsigned *each, counts[2];
    int *place, where[64];
    float f;
    struct sums s;
    for (int i = 0; i < 64; i++)
        where[i] = i / 60;
    cudaMalloc(&out, 8), cudaMalloc(&each, 8), cudaMalloc(&place, sizeof where);
    cudaMemset(out, 0, 8), cudaMemset(each, 0, 8);
    cudaMemcpy(place, where, sizeof where, cudaMemcpyHostToDevice);
    add<<<4, 64>>>(out, each, place);
    cudaMemcpy(&got, out, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(counts, each, 8, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&f, whole, 4);
    cudaMemcpyFromSymbol(&s, pair, 8);
    printf("%s\n", got == 512 && counts[0] == 64 && counts[1] == 16 && f == 256 && s.total == 256 ? "PASS" : "FAIL");
    return 0;
}
