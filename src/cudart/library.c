// SPDX-License-Identifier: Apache-2.0
// Device code loaded at run time. Options about compilers and caches have no effect.
#include "cudart/priv.h"

#include "rt/module.h" // wf_rt_library_load

#define OPTIONS                                                                                    \
    void *jit_options, void *jit_values, unsigned n_jit, void *options, void *values, unsigned n
#define UNUSED_OPTIONS                                                                             \
    ((void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n)

static enum wf_cu give(cudaLibrary_t *out, enum wf_cu e, uint64_t handle)
{
    if (e == WF_CU_SUCCESS)
        *out = (cudaLibrary_t)(uintptr_t)handle;
    return e;
}

static enum wf_cu load(cudaLibrary_t *out, const void *code)
{
    uint64_t handle = 0;
    if (!out || !code)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_load(code, SIZE_MAX, NULL, &handle, NULL);
    return give(out, e, handle);
}
API(cudaLibraryLoadData, (cudaLibrary_t * out, const void *code, OPTIONS),
    (UNUSED_OPTIONS, load(out, code)))

static enum wf_cu load_file(cudaLibrary_t *out, const char *path)
{
    uint64_t handle = 0;
    if (!out || !path)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_load_file(path, &handle, NULL);
    return give(out, e, handle);
}
API(cudaLibraryLoadFromFile, (cudaLibrary_t * out, const char *path, OPTIONS),
    (UNUSED_OPTIONS, load_file(out, path)))
API(cudaLibraryUnload, (cudaLibrary_t library), wf_rt_library_unload(ADDR(library)))

static enum wf_cu kernel(cudaKernel_t *out, uint64_t library, const char *name)
{
    struct wf_rt_function *f = NULL;
    if (!out || !name)
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_function(library, name, &f);
    if (e == WF_CU_SUCCESS)
        *out = f;
    return e;
}
API(cudaLibraryGetKernel, (cudaKernel_t * out, cudaLibrary_t library, const char *name),
    kernel(out, ADDR(library), name))

static enum wf_cu variable(void **out, size_t *bytes, uint64_t library, const char *name,
                           bool is_managed)
{
    uint64_t addr, n;
    if (!name || (!out && !bytes))
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_library_variable(library, name, is_managed, &addr, &n);
    if (e == WF_CU_SUCCESS && out)
        *out = (void *)(uintptr_t)addr;
    if (e == WF_CU_SUCCESS && bytes)
        *bytes = n;
    return e;
}
API(cudaLibraryGetGlobal, (void **out, size_t *bytes, cudaLibrary_t library, const char *name),
    variable(out, bytes, ADDR(library), name, false))
API(cudaLibraryGetManaged, (void **out, size_t *bytes, cudaLibrary_t library, const char *name),
    variable(out, bytes, ADDR(library), name, true))

API(cudaLibraryGetKernelCount, (unsigned *out, cudaLibrary_t library),
    out ? wf_rt_library_count(ADDR(library), out) : WF_CU_INVALID_VALUE)
API(cudaLibraryEnumerateKernels, (cudaKernel_t * out, unsigned n, cudaLibrary_t library),
    out ? wf_rt_library_list(ADDR(library), (struct wf_rt_function **)out, n) : WF_CU_INVALID_VALUE)
