// SPDX-License-Identifier: Apache-2.0
// Host code that follows a device pointer is told so, by the allocation's name.
// expect: mem-space
#include "api.h"

int main(void)
{
    int *d;
    cudaMalloc(&d, 4000);
    cudaMemset(d, 0, 4000);
    cudaDeviceSynchronize();
    return d[3];
}
