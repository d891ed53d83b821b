// SPDX-License-Identifier: Apache-2.0
// Tests the sum against the host's.
#include "sum.h"

#include <stdio.h>

int main(void)
{
    int in[200], want = 0;
    for (int i = 0; i < 200; i++)
        want += in[i] = 3 * i;
    int got = sum_on_device(in, 200);
    printf("%d\n", got);
    return got == want ? 0 : 1;
}
