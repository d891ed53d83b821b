// SPDX-License-Identifier: Apache-2.0
// What the constructors that a compiler makes for each translation unit call: device images,
// kernels and variables. Names and wrappers lie in the program; nothing is read before it is used.
#include "cudart/priv.h"
#include "rt/module.h"       // wf_rt_image_register
#include "session/session.h" // wf_session_begin

// The library is loaded before any constructor of the program runs.
__attribute__((constructor)) static void begin(void)
{
    wf_session_begin();
}

WF_EXPORT void **__cudaRegisterFatBinary(void *wrapper);
WF_EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
    return (void **)wf_rt_image_register(wrapper);
}

WF_EXPORT void __cudaRegisterFatBinaryEnd(void **image);
WF_EXPORT void __cudaRegisterFatBinaryEnd(void **image)
{
    wf_rt_image_registered((struct wf_rt_image *)image);
}

WF_EXPORT void __cudaUnregisterFatBinary(void **image);
WF_EXPORT void __cudaUnregisterFatBinary(void **image)
{
    wf_rt_image_unregister((struct wf_rt_image *)image);
}

WF_EXPORT void __cudaRegisterFunction(void **image, const char *host, char *device_fun,
                                      const char *name, int thread_limit, void *tid, void *bid,
                                      void *block_dim, void *grid_dim, int *warp_size);
WF_EXPORT void __cudaRegisterFunction(void **image, const char *host, char *device_fun,
                                      const char *name, int thread_limit, void *tid, void *bid,
                                      void *block_dim, void *grid_dim, int *warp_size)
{
    (void)device_fun, (void)thread_limit, (void)tid, (void)bid;
    (void)block_dim, (void)grid_dim, (void)warp_size;
    wf_rt_image_function((struct wf_rt_image *)image, host, name);
}

WF_EXPORT void __cudaRegisterVar(void **image, char *host, char *device_address, const char *name,
                                 int is_extern, size_t bytes, int is_constant, int is_global);
WF_EXPORT void __cudaRegisterVar(void **image, char *host, char *device_address, const char *name,
                                 int is_extern, size_t bytes, int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)is_constant, (void)is_global;
    wf_rt_image_variable((struct wf_rt_image *)image, host, name, bytes);
}

WF_EXPORT void __cudaRegisterHostVar(void **image, const char *name, char *host, size_t bytes);
WF_EXPORT void __cudaRegisterHostVar(void **image, const char *name, char *host, size_t bytes)
{
    wf_rt_image_variable((struct wf_rt_image *)image, host, name, bytes);
}

WF_EXPORT void __cudaRegisterManagedVar(void **image, void **host, char *device_address,
                                        const char *name, int is_extern, size_t bytes,
                                        int is_constant, int is_global);
WF_EXPORT void __cudaRegisterManagedVar(void **image, void **host, char *device_address,
                                        const char *name, int is_extern, size_t bytes,
                                        int is_constant, int is_global)
{
    (void)device_address, (void)is_extern, (void)is_constant, (void)is_global;
    wf_rt_image_managed((struct wf_rt_image *)image, host, name, bytes);
}

WF_EXPORT void __cudaRegisterUnifiedTable(void **image, void *table);
WF_EXPORT void __cudaRegisterUnifiedTable(void **image, void *table)
{
    (void)image, (void)table; // function pointers shared by host and device: none are handed out
}

// Before the first use of a managed variable by host code.
WF_EXPORT char __cudaInitModule(void **image);
WF_EXPORT char __cudaInitModule(void **image)
{
    return wf_rt_image_load((struct wf_rt_image *)image) == WF_CU_SUCCESS;
}
