// SPDX-License-Identifier: Apache-2.0
// NVIDIA's linker library makes machine code that nothing here can run; this one collects the inputs' PTX into
// an image for cuModuleLoadData and friends. Inputs for link-time optimization hold no PTX and are refused.
#include <stdio.h>  // snprintf
#include <stdlib.h> // free
#include <string.h> // memcpy

#include "base/arena.h"   // wf_xcalloc
#include "core/trouble.h" // wf_trouble_add
#include "rt/link.h"      // wf_rt_link_new

#define WF_EXPORT __attribute__((visibility("default")))

enum result {
    SUCCESS,
    UNRECOGNIZED_OPTION,
    MISSING_ARCH,
    INVALID_INPUT,
    INTERNAL = 6,
    UNRECOGNIZED_INPUT = 8,
    NULL_INPUT = 10
};
enum { INPUT_LTOIR = 3, INPUT_LAST = 10 };

typedef struct linker {
    struct wf_rt_link *link;
    void *image; // once complete
    uint64_t image_bytes;
    char log[1200];
} *nvJitLinkHandle;

// The last version whose users do not count on link-time optimization: they hand over PTX then.
WF_EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor);
WF_EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return NULL_INPUT;
    *major = 12;
    *minor = 2;
    return SUCCESS;
}

WF_EXPORT int nvJitLinkCreate(nvJitLinkHandle *out, uint32_t n, const char **options);
WF_EXPORT int nvJitLinkCreate(nvJitLinkHandle *out, uint32_t n, const char **options)
{
    bool has_arch = false;
    if (!out || (n && !options))
        return NULL_INPUT;
    for (uint32_t i = 0; i < n; i++) { // what ptxas would do with them has no meaning here
        if (!options[i] || options[i][0] != '-')
            return UNRECOGNIZED_OPTION;
        has_arch |= strncmp(options[i], "-arch=", 6) == 0;
    }
    if (!has_arch)
        return MISSING_ARCH;
    nvJitLinkHandle l = wf_xcalloc(1, sizeof *l);
    l->link = wf_rt_link_new();
    *out = l;
    return SUCCESS;
}

WF_EXPORT int nvJitLinkDestroy(nvJitLinkHandle *handle);
WF_EXPORT int nvJitLinkDestroy(nvJitLinkHandle *handle)
{
    if (!handle || !*handle)
        return NULL_INPUT;
    wf_rt_link_free((*handle)->link);
    free(*handle);
    *handle = NULL;
    return SUCCESS;
}

static int done(nvJitLinkHandle l, enum wf_cu e, const struct wf_err *err)
{
    if (e == WF_CU_SUCCESS)
        return SUCCESS;
    wf_err_format(err, l->log, sizeof l->log);
    if (err->code == WF_E_UNSUPPORTED) // of ours: not only for the program's eyes
        wf_trouble_add(err, NULL);
    return INVALID_INPUT;
}

static int refuse(nvJitLinkHandle l, int type, const char *name)
{
    struct wf_err err;
    if (type == INPUT_LTOIR) {
        wf_err_set(&err, WF_E_UNSUPPORTED,
                   "%s holds code for link-time optimization, which only NVIDIA's compiler reads",
                   name ? name : "an input of nvJitLink");
        wf_err_hint(&err, "compile to PTX (numba: lto=False)");
        return done(l, WF_CU_NOT_SUPPORTED, &err);
    }
    return type < 1 || type > INPUT_LAST ? UNRECOGNIZED_INPUT : SUCCESS;
}

WF_EXPORT int nvJitLinkAddData(nvJitLinkHandle l, int type, const void *data, size_t n,
                               const char *name);
WF_EXPORT int nvJitLinkAddData(nvJitLinkHandle l, int type, const void *data, size_t n,
                               const char *name)
{
    struct wf_err err;
    if (!l || !data)
        return NULL_INPUT;
    int refused = refuse(l, type, name);
    return refused ? refused : done(l, wf_rt_link_add(l->link, data, n, name, &err), &err);
}

WF_EXPORT int nvJitLinkAddFile(nvJitLinkHandle l, int type, const char *path);
WF_EXPORT int nvJitLinkAddFile(nvJitLinkHandle l, int type, const char *path)
{
    struct wf_err err;
    if (!l || !path)
        return NULL_INPUT;
    int refused = refuse(l, type, path);
    return refused ? refused : done(l, wf_rt_link_add_file(l->link, path, &err), &err);
}

WF_EXPORT int nvJitLinkComplete(nvJitLinkHandle l);
WF_EXPORT int nvJitLinkComplete(nvJitLinkHandle l)
{
    if (!l)
        return NULL_INPUT;
    return wf_rt_link_complete(l->link, &l->image, &l->image_bytes) == WF_CU_SUCCESS ? SUCCESS
                                                                                     : INTERNAL;
}

static int give_size(size_t *out, uint64_t n)
{
    if (!out)
        return NULL_INPUT;
    *out = n;
    return SUCCESS;
}
static int give(void *out, const void *from, size_t n)
{
    if (!out)
        return NULL_INPUT;
    memcpy(out, from, n);
    return SUCCESS;
}
#define GETTERS(what, held, size, bytes)                                                           \
    WF_EXPORT int nvJitLink##what##Size(nvJitLinkHandle l, size_t *out);                           \
    WF_EXPORT int nvJitLink##what##Size(nvJitLinkHandle l, size_t *out)                            \
    {                                                                                              \
        return !l ? NULL_INPUT : (held) ? give_size(out, size) : INTERNAL;                         \
    }                                                                                              \
    WF_EXPORT int nvJitLink##what(nvJitLinkHandle l, void *out);                                   \
    WF_EXPORT int nvJitLink##what(nvJitLinkHandle l, void *out)                                    \
    {                                                                                              \
        return !l ? NULL_INPUT : (held) ? give(out, bytes, size) : INTERNAL;                       \
    }
GETTERS(GetLinkedCubin, l->image, l->image_bytes, l->image)
GETTERS(GetLinkedPtx, false, 0, l->log) // only link-time optimization has one
GETTERS(GetErrorLog, true, strlen(l->log) + 1, l->log)
GETTERS(GetInfoLog, true, 1, "")

#define ALIAS(name, version)                                                                       \
    WF_EXPORT __typeof__(nvJitLink##name) __nvJitLink##name##_##version                            \
        __attribute__((alias("nvJitLink" #name)));
#if WF_JITLINK == 13
#define WF_JITLINK_API(name) ALIAS(name, 13_0)
#else
#define WF_JITLINK_API(name)                                                                       \
    ALIAS(name, 12_0)                                                                              \
    ALIAS(name, 12_1) ALIAS(name, 12_2) ALIAS(name, 12_3) ALIAS(name, 12_4) ALIAS(name, 12_5)      \
        ALIAS(name, 12_6) ALIAS(name, 12_7) ALIAS(name, 12_8) ALIAS(name, 12_9)
#endif
#include "jitlink/api.def"
#undef WF_JITLINK_API
