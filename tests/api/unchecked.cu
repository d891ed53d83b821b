// SPDX-License-Identifier: Apache-2.0
// A launch that is refused and whose error nobody asks for.
// expect: launch-config
#include "api.h"

__global__ void noop(void)
{
}

int main(void)
{
    noop<<<1, 2000>>>();
    cudaDeviceSynchronize();
    return 0;
}
