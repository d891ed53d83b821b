// SPDX-License-Identifier: Apache-2.0
// Stands before NVIDIA's run-time compiler: everything is handed on to it, but a program that asks for
// machine code of a real GPU (-arch=sm_90, nvrtcGetCUBIN), which nothing here can run, gets the PTX of
// the same architecture, which cuModuleLoadData and friends take as well. Knows no engine.
//
// The true library is the first libnvrtc of the same version, other than this file, where the dynamic
// linker would look, or in the CUDA toolkit.
#include <dlfcn.h>   // dlopen
#include <link.h>    // Dl_serinfo
#include <pthread.h> // pthread_once
#include <stdbool.h> // bool
#include <stdio.h>   // snprintf
#include <stdlib.h>  // realpath
#include <string.h>  // strncmp

#define WF_EXPORT __attribute__((visibility("default")))
#define INTERNAL_ERROR 11
#define TEXT(x) #x
#define NAME(major) "libnvrtc.so." TEXT(major)

// NVIDIA's library has symbols of our names and shall find its own.
#ifdef __SANITIZE_ADDRESS__ // whose library refuses to load one like that
#define OWN_FIRST 0
#else
#define OWN_FIRST RTLD_DEEPBIND
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *real;
static char own_path[4096];

static bool open_in(const char *folder)
{
    char path[4096], full[4096];
    if (real || !folder || !*folder)
        return real != NULL;
    int n = snprintf(path, sizeof path, "%s/" NAME(WF_NVRTC), folder);
    if (n < 0 || (size_t)n >= sizeof path || !realpath(path, full) || strcmp(full, own_path) == 0)
        return false;
    real = dlopen(path, RTLD_NOW | RTLD_LOCAL | OWN_FIRST);
    return real != NULL;
}

static void open_where_linker_looks(void)
{
    Dl_serinfo size, *all;
    void *program = dlopen(NULL, RTLD_LAZY);
    if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0)
        return;
    all = calloc(1, size.dls_size);
    if (all && dlinfo(program, RTLD_DI_SERINFOSIZE, all) == 0 && dlinfo(program, RTLD_DI_SERINFO, all) == 0)
        for (unsigned i = 0; i < all->dls_cnt && !real; i++)
            open_in(all->dls_serpath[i].dls_name);
    free(all);
}

static void open_in_toolkit(const char *root)
{
    char folder[4096];
    if (real || !root || !*root)
        return;
    int n = snprintf(folder, sizeof folder, "%s/lib64", root);
    if (n > 0 && (size_t)n < sizeof folder)
        open_in(folder);
}

static void find_real(void)
{
    Dl_info self;
    if (!dladdr(own_path, &self) || !realpath(self.dli_fname, own_path))
        own_path[0] = 0;
    open_where_linker_looks();
    open_in_toolkit(getenv("CUDA_HOME"));
    open_in_toolkit(getenv("CUDA_PATH"));
    open_in_toolkit("/usr/local/cuda");
    if (!real)
        fprintf(stderr, "warpfence: error: " NAME(WF_NVRTC) " of the CUDA toolkit is not found; set CUDA_HOME\n");
}

static void *function(const char *name)
{
    pthread_once(&once, find_real);
    return real ? dlsym(real, name) : NULL;
}

// One function that is handed on: result type, what to give when there is no library, parameters, arguments.
#define HAND_ON(type, none, name, params, args)                                                      \
    WF_EXPORT type name params;                                                                     \
    WF_EXPORT type name params                                                                      \
    {                                                                                               \
        type(*fn) params;                                                                           \
        *(void **)&fn = function(#name);                                                            \
        return fn ? fn args : none;                                                                 \
    }
#define GIVE(name, params, args) HAND_ON(int, INTERNAL_ERROR, name, params, args)

HAND_ON(const char *, "NVRTC_ERROR_INTERNAL_ERROR", nvrtcGetErrorString, (int code), (code))
GIVE(nvrtcVersion, (int *major, int *minor), (major, minor))
GIVE(nvrtcGetNumSupportedArchs, (int *n), (n))
GIVE(nvrtcGetSupportedArchs, (int *list), (list))
GIVE(nvrtcCreateProgram,
     (void **out, const char *text, const char *name, int n, const char *const *headers, const char *const *names),
     (out, text, name, n, headers, names))
GIVE(nvrtcDestroyProgram, (void **program), (program))
GIVE(nvrtcGetPTXSize, (void *program, size_t *bytes), (program, bytes))
GIVE(nvrtcGetPTX, (void *program, char *out), (program, out))
GIVE(nvrtcGetLTOIRSize, (void *program, size_t *bytes), (program, bytes))
GIVE(nvrtcGetLTOIR, (void *program, char *out), (program, out))
GIVE(nvrtcGetOptiXIRSize, (void *program, size_t *bytes), (program, bytes))
GIVE(nvrtcGetOptiXIR, (void *program, char *out), (program, out))
GIVE(nvrtcGetProgramLogSize, (void *program, size_t *bytes), (program, bytes))
GIVE(nvrtcGetProgramLog, (void *program, char *out), (program, out))
GIVE(nvrtcAddNameExpression, (void *program, const char *name), (program, name))
GIVE(nvrtcGetLoweredName, (void *program, const char *name, const char **out), (program, name, out))
GIVE(nvrtcGetPCHHeapSize, (size_t *bytes), (bytes))
GIVE(nvrtcSetPCHHeapSize, (size_t bytes), (bytes))
GIVE(nvrtcGetPCHCreateStatus, (void *program), (program))
GIVE(nvrtcGetPCHHeapSizeRequired, (void *program, size_t *bytes), (program, bytes))
GIVE(nvrtcSetFlowCallback, (void *program, int (*call)(void *, void *), void *payload), (program, call, payload))

// "sm_90a" to "compute_90a", wherever it stands in an option about the architecture; else the option itself.
static const char *virtual_arch(const char *option, char *buf, size_t n)
{
    static const char *const names[] = {"--gpu-architecture=", "-arch=", "-arch ", "--gpu-architecture "};
    for (size_t i = 0; option && i < sizeof names / sizeof *names; i++) {
        size_t head = strlen(names[i]);
        if (strncmp(option, names[i], head) == 0 && strncmp(option + head, "sm_", 3) == 0) {
            snprintf(buf, n, "%scompute_%s", names[i], option + head + 3);
            return buf;
        }
    }
    if (option && strncmp(option, "sm_", 3) == 0) { // the value of an option of its own
        snprintf(buf, n, "compute_%s", option + 3);
        return buf;
    }
    return option;
}

WF_EXPORT int nvrtcCompileProgram(void *program, int n, const char *const *options);
WF_EXPORT int nvrtcCompileProgram(void *program, int n, const char *const *options)
{
    int (*fn)(void *, int, const char *const *);
    *(void **)&fn = function("nvrtcCompileProgram");
    if (!fn || n < 0 || (n && !options))
        return fn ? fn(program, n, options) : INTERNAL_ERROR;
    const char **list = calloc((size_t)n + 1, sizeof *list);
    char(*buf)[64] = calloc((size_t)n + 1, sizeof *buf);
    int rc = INTERNAL_ERROR;
    if (list && buf) {
        for (int i = 0; i < n; i++)
            list[i] = virtual_arch(options[i], buf[i], sizeof buf[i]);
        rc = fn(program, n, list);
    }
    free(list);
    free(buf);
    return rc;
}

WF_EXPORT int nvrtcGetCUBINSize(void *program, size_t *bytes);
WF_EXPORT int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    return nvrtcGetPTXSize(program, bytes);
}

WF_EXPORT int nvrtcGetCUBIN(void *program, char *out);
WF_EXPORT int nvrtcGetCUBIN(void *program, char *out)
{
    return nvrtcGetPTX(program, out);
}
