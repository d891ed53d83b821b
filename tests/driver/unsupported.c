// SPDX-License-Identifier: Apache-2.0
// A function that is not done exists, says its name and is not supported.
// compiler: -lcuda
// expect: clean
// stdout: PASS
// exit: 3
#define cuMulticastUnbind declared_elsewhere // NVIDIA's header has it, ours has not
#include "driver.h"
#undef cuMulticastUnbind

CUresult cuMulticastUnbind(void);

int main(void)
{
    OK(cuInit(0));
    IS(cuMulticastUnbind(), CUDA_ERROR_NOT_SUPPORTED);
    return finish();
}
