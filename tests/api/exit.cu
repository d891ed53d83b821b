// SPDX-License-Identifier: Apache-2.0
// Work that is still queued when main returns is done, and its output appears.
// expect: clean
// stdout: from the kernel 42
#include "api.h"

__global__ void say(int n)
{
    printf("from the kernel %d\n", n);
}

int main(void)
{
    say<<<1, 1>>>(42);
    return 0;
}
