// SPDX-License-Identifier: Apache-2.0
// printf of kernels: every kind of argument, text from device memory, what it returns, lines of several threads in order.
// expect: clean
// stdout: ints -5 4294967291 ff FF 17 +3    7|7   |007
// stdout: wide -1234567890123 1234567890123 fedcba9876543210
// stdout: floats 1.500000 -2.25e+00 0.333 inf 1e+20 3
// stdout: text warp ?  ab??ab  ??a? c % done
// stdout: none
// stdout: thread 0 of 3
// stdout: thread 1 of 3
// stdout: thread 2 of 3
// stdout: star ?   42??0042??1.50?
// stdout: returned 2 0
// stdout: PASS
#include "host.h"

__device__ char name[16] = "warp";

__global__ void all(int *returned)
{
    int i = -5;
    long long q = -1234567890123ll;
    printf("ints %d %u %x %X %o %+d %4d|%-4d|%03d\n", i, (unsigned)i, 255, 255, 15, 3, 7, 7, 7);
    printf("wide %lld %llu %llx\n", q, (unsigned long long)-q, 0xfedcba9876543210ull);
    printf("floats %f %.2e %.3f %f %g %.0f\n", 1.5f, -2.25, 1.0 / 3, 1e300 * 1e300, 1e20, 3.0);
    printf("text %s [%4s][%-4s][%.1s] %c %% %s\n", name, "ab", "ab", "ab", 'c', "done");
    returned[0] = printf("none\n");
    returned[0] = printf("%s%s", "", "");
    returned[1] = printf("");
    printf("star [%*d][%0*d][%.*f]\n", 5, 42, 4, 42, 2, 1.5);
}

__global__ void each(void)
{
    if (threadIdx.x < 3)
        printf("thread %d of %d\n", threadIdx.x, 3);
}

int main()
{
    Dev<int> r(2);
    all<<<1, 1>>>(r.p);
    each<<<1, 40>>>();
    int *got = r.get();
    printf("returned %d %d\n", got[0], got[1]);
    return done();
}
