// SPDX-License-Identifier: Apache-2.0
// A function that is not done says its name and gives cudaErrorNotSupported; exit code 3.
// expect: clean
// stdout: 801
// exit: 3
#include "api.h"

#include <dlfcn.h> // our own headers do not declare what is not done

int main(void)
{
    int (*fn)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "cudaGraphicsMapResources");
    printf("%d\n", fn ? fn() : -1);
    return 0;
}
