// SPDX-License-Identifier: Apache-2.0
// Division by one number at run time, and of a lane index by constants: the compiler multiplies by magic numbers above 2^31, which PTX writes as
// negative immediates of an unsigned wide product.
// expect: clean
// stdout: PASS
#include "host.h"

__host__ __device__ unsigned quotients(unsigned t)
{
    return t / 5 + t / 6 * 3 + t / 7 * 5 + t % 11 * 7 + t % 13 + (t * 3 + 1) / 9 + (t + 0xfffffff0u) / 10;
}

__global__ void divide(unsigned *o) { o[threadIdx.x] = quotients(threadIdx.x); }

// One divisor for all lanes, known only at run time; dividends that are hard to get right.
__global__ void by_one(const unsigned *x, unsigned *o, unsigned d)
{
    unsigned i = threadIdx.x, a = x[i];
    o[4 * i] = a / d;
    o[4 * i + 1] = a % d;
    o[4 * i + 2] = (unsigned)((int)a / (int)d);
    o[4 * i + 3] = (unsigned)((int)a % (int)d);
}

static void run_by_one()
{
    const unsigned divisors[] = {1, 2, 3, 5, 7, 10, 255, 256, 641, 65535, 65537, 6700417, 0x7fffffffu, 0x80000000u, 0x80000001u,
                                 0xfffffffeu, 0xffffffffu, 0xfffffffbu, 0xffff0000u, 1000003};
    for (unsigned d : divisors) {
        unsigned x[256], want[1024], n = 0;
        const unsigned ends[] = {0, 1, 2, 0x7ffffffeu, 0x7fffffffu, 0x80000000u, 0x80000001u, 0xfffffffeu, 0xffffffffu};
        for (unsigned e : ends)
            x[n++] = e;
        for (unsigned k = 1; n < 254; k = k * 5 + 3) { // multiples of d and their neighbours
            x[n++] = k * d;
            x[n++] = k * d - 1;
            x[n++] = k;
        }
        x[254] = 0xffffffffu / d * d;
        x[255] = x[254] - 1;
        for (unsigned i = 0; i < 256; i++) {
            long long s = (int)x[i], t = (int)d;
            want[4 * i] = x[i] / d;
            want[4 * i + 1] = x[i] % d;
            want[4 * i + 2] = (unsigned)(s / t);
            want[4 * i + 3] = (unsigned)(s % t);
        }
        Dev<unsigned> in(256), out(1024);
        in.put(x);
        by_one<<<1, 256>>>(in.p, out.p, d);
        same("by one", out.get(), want, 1024);
    }
}

int main()
{
    run_by_one();
    Dev<unsigned> d(256);
    unsigned want[256];
    divide<<<1, 256>>>(d.p);
    for (unsigned t = 0; t < 256; t++)
        want[t] = quotients(t);
    same("division", d.get(), want, 256);
    return done();
}
