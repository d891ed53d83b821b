// SPDX-License-Identifier: Apache-2.0
// --cas-guesses: the plain read before a loop of atomicCAS is a race by the model.
// check-options: --cas-guesses
// expect: race-global @12 @15
// allow: race-warp
// stdout: PASS
#include <cstdio>

__global__ void add(unsigned *sum)
{
    unsigned seen,
        old = *sum;
    do {
        seen = old;
        old = atomicCAS(sum, seen, seen + 1);
    } while (old != seen);
}

int main()
{
    unsigned *sum, got;
    cudaMalloc(&sum, 4);
    cudaMemset(sum, 0, 4);
    add<<<4, 64>>>(sum);
    cudaMemcpy(&got, sum, 4, cudaMemcpyDeviceToHost);
    printf("%s\n", got == 256 ? "PASS" : "FAIL");
    return 0;
}
