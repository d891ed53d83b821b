// SPDX-License-Identifier: Apache-2.0
// Division of a lane index by constants: the compiler multiplies by magic numbers above 2^31, which PTX writes as
// negative immediates of an unsigned wide product.
// expect: clean
// stdout: PASS
#include "host.h"

__host__ __device__ unsigned quotients(unsigned t)
{
    return t / 5 + t / 6 * 3 + t / 7 * 5 + t % 11 * 7 + t % 13 + (t * 3 + 1) / 9 + (t + 0xfffffff0u) / 10;
}

__global__ void divide(unsigned *o) { o[threadIdx.x] = quotients(threadIdx.x); }

int main()
{
    Dev<unsigned> d(256);
    unsigned want[256];
    divide<<<1, 256>>>(d.p);
    for (unsigned t = 0; t < 256; t++)
        want[t] = quotients(t);
    same("division", d.get(), want, 256);
    return done();
}
