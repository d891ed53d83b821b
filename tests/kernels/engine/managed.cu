// SPDX-License-Identifier: Apache-2.0
// __managed__ variables: read and written by host and kernels, with initial values, arrays, by address.
// expect: clean
// stdout: PASS
#include "host.h"

__device__ __managed__ int counter = 5;
__managed__ float table[3][100] = {{1.5f, 2.5f}};
static __device__ __managed__ long long inner = -7;
__device__ int plain = 3;
struct Pair {
    int a;
    double b;
};
__device__ __managed__ Pair pair;

#ifdef __clang__ // registers its modules behind a source's own constructors
static int before_main = 50;
#else
static int before_main = counter * 10;
#endif

__global__ void bump(int *by_address, float f)
{
    counter += plain;
    table[2][99] = table[0][1] * f;
    inner *= 2;
    pair.b += pair.a;
    *by_address += 1;
}

int main()
{
    int bad = before_main != 50 || counter != 5 || table[0][0] != 1.5f || inner != -7 || table[2][99] != 0;
    counter = 100;
    pair = Pair{4, 0.5};
    bump<<<1, 1>>>(&counter, 2.0f);
    CK(cudaDeviceSynchronize());
    bad += counter != 104 || table[2][99] != 5.0f || inner != -14 || pair.b != 4.5;
    inner += 20;
    bump<<<1, 1>>>(&pair.a, 4.0f);
    CK(cudaDeviceSynchronize());
    bad += counter != 107 || table[2][99] != 10.0f || inner != 12 || pair.a != 5;
    int copy;
    CK(cudaMemcpyFromSymbol(&copy, counter, sizeof copy));
    bad += copy != 107;
    puts(bad ? "FAIL" : "PASS");
    return bad;
}
