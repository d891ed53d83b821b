// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: device code loaded at run time, and its kernels and variables. Here both are one
// thing, a library of the runtime; a kernel handle and a function handle are one too.
#include "rt/module.h" // wf_rt_library_load

#include "core/trouble.h" // wf_trouble_add
#include "cuda/context.h"
#include "cuda/jit.h"
#include "cuda/priv.h"

// A program that asked for a log has been told in it what is wrong with its code; another one is told
// on standard error.
static enum wf_cu done(void **out, enum wf_cu e, uint64_t handle, struct wf_err *err, unsigned n,
                       const int *options, void **values)
{
    bool is_told = e != WF_CU_SUCCESS && err->code != WF_OK;
    wf__jit_log(n, options, values, is_told ? err : NULL);
    if (is_told && !wf__jit_has_log(n, options, values))
        wf_trouble_add(err, NULL);
    if (e == WF_CU_SUCCESS) {
        *out = HANDLE(handle);
        wf__context_own(WF__KIND_MODULE, handle);
    }
    return e;
}

static enum wf_cu load(void **out, const void *image, unsigned n, const int *options, void **values)
{
    uint64_t handle = 0;
    struct wf_err err = {.code = WF_OK};
    if (!out || !image)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__jit_check(n, options, values);
    if (e != WF_CU_SUCCESS)
        return e;
    e = wf_rt_library_load(image, UINT64_MAX, NULL, &handle, &err);
    return done(out, e, handle, &err, n, options, values);
}

static enum wf_cu load_file(void **out, const char *path, unsigned n, const int *options,
                            void **values)
{
    uint64_t handle = 0;
    struct wf_err err = {.code = WF_OK};
    if (!out || !path)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__jit_check(n, options, values);
    if (e != WF_CU_SUCCESS)
        return e;
    e = wf_rt_library_load_file(path, &handle, &err);
    return done(out, e, handle, &err, n, options, values);
}
API(cuModuleLoad, (CUmodule * out, const char *path), load_file(out, path, 0, NULL, NULL))
API(cuModuleLoadData, (CUmodule * out, const void *image), load(out, image, 0, NULL, NULL))
API(cuModuleLoadDataEx,
    (CUmodule * out, const void *image, unsigned n, int *options, void **values),
    load(out, image, n, options, values))
API(cuModuleLoadFatBinary, (CUmodule * out, const void *image), load(out, image, 0, NULL, NULL))

#define LIBRARY_OPTIONS unsigned n_own, int *own, void **own_values
INIT(cuLibraryLoadData,
     (CUlibrary * out, const void *image, int *options, void **values, unsigned n, int *own,
      void **own_values, unsigned n_own),
     ((void)own, (void)own_values, (void)n_own, load(out, image, n, options, values)))
INIT(cuLibraryLoadFromFile,
     (CUlibrary * out, const char *path, int *options, void **values, unsigned n, int *own,
      void **own_values, unsigned n_own),
     ((void)own, (void)own_values, (void)n_own, load_file(out, path, n, options, values)))

static enum wf_cu unload(uint64_t handle)
{
    enum wf_cu e = wf_rt_library_unload(handle);
    if (e == WF_CU_SUCCESS)
        wf__context_disown(handle);
    return e;
}
API(cuModuleUnload, (CUmodule m), unload(ADDR(m)))
INIT(cuLibraryUnload, (CUlibrary m), unload(ADDR(m)))
INIT(cuModuleGetLoadingMode, (int *out), wf__put_int(out, 1)) // eager

static enum wf_cu find(CUfunction *out, uint64_t module, const char *name)
{
    if (!out || !name)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_function(module, name, out);
    return e;
}
API(cuModuleGetFunction, (CUfunction * out, CUmodule m, const char *name), find(out, ADDR(m), name))
INIT(cuLibraryGetKernel, (CUkernel * out, CUlibrary m, const char *name), find(out, ADDR(m), name))

static enum wf_cu global(CUdeviceptr *out, size_t *bytes, uint64_t module, const char *name,
                         bool is_managed)
{
    uint64_t addr, n;
    if (!name || (!out && !bytes))
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_variable(module, name, is_managed, &addr, &n);
    if (e == WF_CU_SUCCESS && out)
        *out = addr;
    if (e == WF_CU_SUCCESS && bytes)
        *bytes = n;
    return e;
}
API(cuModuleGetGlobal_v2, (CUdeviceptr * out, size_t *bytes, CUmodule m, const char *name),
    global(out, bytes, ADDR(m), name, false))
API(cuLibraryGetGlobal, (CUdeviceptr * out, size_t *bytes, CUlibrary m, const char *name),
    global(out, bytes, ADDR(m), name, false))
API(cuLibraryGetManaged, (CUdeviceptr * out, size_t *bytes, CUlibrary m, const char *name),
    global(out, bytes, ADDR(m), name, true))

static enum wf_cu count(unsigned *out, uint64_t module)
{
    return out ? wf_rt_library_count(module, out) : WF_CU_INVALID_VALUE;
}
static enum wf_cu list(CUfunction *out, unsigned n, uint64_t module)
{
    return out ? wf_rt_library_list(module, out, n) : WF_CU_INVALID_VALUE;
}
API(cuModuleGetFunctionCount, (unsigned *out, CUmodule m), count(out, ADDR(m)))
API(cuModuleEnumerateFunctions, (CUfunction * out, unsigned n, CUmodule m), list(out, n, ADDR(m)))
INIT(cuLibraryGetKernelCount, (unsigned *out, CUlibrary m), count(out, ADDR(m)))
INIT(cuLibraryEnumerateKernels, (CUkernel * out, unsigned n, CUlibrary m), list(out, n, ADDR(m)))

static enum wf_cu same_module(CUmodule *out, CUlibrary m)
{
    unsigned n;
    if (!out)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_count(ADDR(m), &n);
    if (e == WF_CU_SUCCESS)
        *out = m;
    return e;
}
API(cuLibraryGetModule, (CUmodule * out, CUlibrary m), same_module(out, m))
