// SPDX-License-Identifier: Apache-2.0
// Functions by name: the version asked for decides, and whether stream 0 is the thread's.
// compiler: -lcuda -ldl
// expect: clean
// stdout: PASS
#define _GNU_SOURCE
#include "driver.h"

#include <dlfcn.h>

static void *ask(const char *name, int version, int flags, int *status)
{
    void *fn = NULL;
    CUdriverProcAddressQueryResult r = (CUdriverProcAddressQueryResult)-1;
    CUresult e = cuGetProcAddress(name, &fn, version, (unsigned long long)flags, &r);
    *status = (int)r;
    CHECK((e == CUDA_SUCCESS) == (fn != NULL));
    return fn;
}

#define SYMBOL(name) dlsym(RTLD_DEFAULT, name)

int main(void)
{
    int s;
    CHECK(ask("cuMemAlloc", 12000, 0, &s) == SYMBOL("cuMemAlloc_v2"));
    EQ(s, CU_GET_PROC_ADDRESS_SUCCESS);
    CHECK(ask("cuCtxCreate", 5000, 0, &s) == SYMBOL("cuCtxCreate_v2"));
    CHECK(ask("cuCtxCreate", 11040, 0, &s) == SYMBOL("cuCtxCreate_v3"));
    CHECK(ask("cuCtxCreate", 13000, 0, &s) == SYMBOL("cuCtxCreate_v4"));
    CHECK(ask("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &s) ==
          SYMBOL("cuMemcpyHtoD_v2_ptds"));
    CHECK(ask("cuLaunchKernel", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &s) ==
          SYMBOL("cuLaunchKernel_ptsz"));
    CHECK(ask("cuInit", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &s) ==
          SYMBOL("cuInit"));
    CHECK(ask("cuGetProcAddress", 12000, 0, &s) == SYMBOL("cuGetProcAddress_v2"));
    CHECK(!ask("cuLaunchKernelEx", 11000, 0, &s));
    EQ(s, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    CHECK(!ask("cuNoSuchThing", 13000, 0, &s));
    EQ(s, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(dlopen("libcuda.so", RTLD_NOW) != NULL);
    return finish();
}
