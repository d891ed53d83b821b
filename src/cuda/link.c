// SPDX-License-Identifier: Apache-2.0
// The run-time linker's calls. A link keeps the options it was made with: its logs are written when a
// call on it fails, and at its completion.
#include "rt/link.h" // wf_rt_link_new

#include <pthread.h> // pthread_mutex_t
#include <stdlib.h>  // free

#include "base/arena.h"   // wf_xcalloc
#include "base/map.h"     // struct wf_map
#include "core/trouble.h" // wf_trouble_add
#include "cuda/jit.h"
#include "cuda/priv.h"

enum { INPUT_OBJECT = 3, INPUT_LIBRARY, INPUT_NVVM, INPUTS };

struct options { // borrowed from the program, as the interface has it
    unsigned n;
    const int *option;
    void **value;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_map options_of; // link -> struct options

static enum wf_cu create(unsigned n, int *option, void **value, CUlinkState *out)
{
    enum wf_cu e = wf__jit_check(n, option, value);
    if (e != WF_CU_SUCCESS || !out)
        return e != WF_CU_SUCCESS ? e : WF_CU_INVALID_VALUE;
    struct options *o = wf_xcalloc(1, sizeof *o);
    *o = (struct options){n, option, value};
    *out = wf_rt_link_new();
    pthread_mutex_lock(&lock);
    wf_map_put(&options_of, ADDR(*out), o);
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}
API(cuLinkCreate_v2, (unsigned n, int *option, void **value, CUlinkState *out),
    create(n, option, value, out))
SAME(cuLinkCreate, cuLinkCreate_v2)

static enum wf_cu tell(CUlinkState l, enum wf_cu e, const struct wf_err *err)
{
    bool is_wrong = e != WF_CU_SUCCESS;
    pthread_mutex_lock(&lock);
    struct options *o = wf_map_get(&options_of, ADDR(l)), kept = o ? *o : (struct options){0};
    pthread_mutex_unlock(&lock);
    bool is_told = e == WF_CU_FILE_NOT_FOUND ||
                   (e != WF_CU_NO_KERNEL_IMAGE_FOR_DEVICE &&
                    wf__jit_has_log(kept.n, kept.option, kept.value));
    if (is_wrong && !is_told)
        wf_trouble_add(err, NULL);
    if (is_wrong)
        wf__jit_log(kept.n, kept.option, kept.value, err);
    return e;
}

static enum wf_cu add(CUlinkState l, int type, const void *data, size_t bytes, const char *name)
{
    struct wf_err err;
    if (!wf_rt_link_is(l) || !data || type < 0 || type >= INPUTS)
        return WF_CU_INVALID_VALUE;
    if (type == INPUT_NVVM)
        return wf__unsupported("cuLinkAddData with NVVM code (link-time optimization)");
    return tell(l, wf_rt_link_add(l, data, bytes, name, &err), &err);
}
#define OPTIONS unsigned n, int *option, void **value
#define UNUSED_OPTIONS ((void)n, (void)option, (void)value)
API(cuLinkAddData_v2,
    (CUlinkState l, int type, void *data, size_t bytes, const char *name, OPTIONS),
    (UNUSED_OPTIONS, add(l, type, data, bytes, name)))
SAME(cuLinkAddData, cuLinkAddData_v2)

static enum wf_cu add_file(CUlinkState l, int type, const char *path)
{
    struct wf_err err;
    if (!wf_rt_link_is(l) || !path || type < 0 || type >= INPUTS)
        return WF_CU_INVALID_VALUE;
    return tell(l, wf_rt_link_add_file(l, path, &err), &err);
}
API(cuLinkAddFile_v2, (CUlinkState l, int type, const char *path, OPTIONS),
    (UNUSED_OPTIONS, add_file(l, type, path)))
SAME(cuLinkAddFile, cuLinkAddFile_v2)

static enum wf_cu complete(CUlinkState l, void **image, size_t *bytes)
{
    uint64_t n = 0;
    void *p = NULL;
    if (!wf_rt_link_is(l))
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf_rt_link_complete(l, &p, &n);
    if (image)
        *image = p;
    if (bytes)
        *bytes = n;
    return e;
}
API(cuLinkComplete, (CUlinkState l, void **image, size_t *bytes), complete(l, image, bytes))

static enum wf_cu destroy(CUlinkState l)
{
    if (!wf_rt_link_is(l))
        return WF_CU_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    free(wf_map_del(&options_of, ADDR(l)));
    pthread_mutex_unlock(&lock);
    wf_rt_link_free(l);
    return WF_CU_SUCCESS;
}
API(cuLinkDestroy, (CUlinkState l), destroy(l))
