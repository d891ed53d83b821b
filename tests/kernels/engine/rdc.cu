// SPDX-License-Identifier: Apache-2.0
// Device code in two sources, linked: functions, variables and kernels of the other part, pointers across.
// expect: clean
// stdout: PASS
// compiler: -rdc=true parts/rdc_part.cu
#include "host.h"
#include "parts/rdc.h"

__device__ int shared_by_all = 7;
__constant__ int factor = 3;

__device__ int here(int x)
{
    return x + shared_by_all;
}

__global__ void both(int *out)
{
    int t = threadIdx.x;
    unary f = t % 2 ? there : pick(t);
    out[t] = there(t) * factor + f(t) + part_counter;
}

int main()
{
    Dev<int> d(32);
    int want[32], bad, five = 5;
    CK(cudaMemcpyToSymbol(part_counter, &five, sizeof five));
    both<<<1, 32>>>(d.p);
    for (int t = 0; t < 32; t++)
        want[t] = (t * 2 + t + 7) * 3 + (t % 2 ? t * 2 + t + 7 : t % 4 ? t + 7 : -t) + 5;
    same("both", d.get(), want, 32);
    launch_part(d.p);
    for (int t = 0; t < 32; t++)
        want[t] = t + 7 + t * 2 + t + 7;
    same("part", d.get(), want, 32);
    CK(cudaMemcpyFromSymbol(&bad, part_counter, sizeof bad));
    bad = bad != 37;
    same("counter", &bad, want, 0);
    if (bad)
        puts("FAIL counter"), n_bad++;
    return done();
}
