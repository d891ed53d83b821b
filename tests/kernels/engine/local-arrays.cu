// SPDX-License-Identifier: Apache-2.0
// Local arrays with indices that each lane computes, of 32 and 64 bits, among lanes that do not run.
// expect: clean
// stdout: PASS
#include "host.h"

__host__ __device__ void mix(int t, const int *in, int *sum, double *total)
{
    int a[20];
    double d[9];
    for (int i = 0; i < 20; i++)
        a[i] = i * t;
    for (int i = 0; i < 9; i++)
        d[i] = i + t * .5;
    for (int i = 0; i < 50; i++) {
        int k = in[(t + i) % 64];
        a[k % 20] += a[k * 7 % 20] + i;
        d[k % 9] += d[k * 5 % 9] / 2;
        if (k & 1)
            a[(k + 3) % 20] = k;
    }
    *sum = 0;
    *total = 0;
    for (int i = 0; i < 20; i++)
        *sum += a[i] * (i + 1);
    for (int i = 0; i < 9; i++)
        *total += d[i];
}

__global__ void kernel(const int *in, int *sum, double *total)
{
    int t = threadIdx.x;
    if (t != 7)
        mix(t, in, sum + t, total + t);
}

int main()
{
    int in[64], sum[64] = {};
    double total[64] = {};
    for (int i = 0; i < 64; i++)
        in[i] = i * 37 % 101;
    Dev<int> d(64), s(64);
    Dev<double> f(64);
    d.put(in);
    kernel<<<1, 64>>>(d.p, s.p, f.p);
    for (int t = 0; t < 64; t++)
        if (t != 7)
            mix(t, in, &sum[t], &total[t]);
    same("sums", s.get(), sum, 64);
    same("totals", f.get(), total, 64);
    return done();
}
