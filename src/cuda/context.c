// SPDX-License-Identifier: Apache-2.0
// One lock over the contexts and what they own; a thread's stack of contexts is its own.
#include "cuda/context.h"

#include <pthread.h>   // pthread_mutex_t
#include <stdatomic.h> // atomic_bool
#include <stdlib.h>    // free

#include "base/arena.h" // wf_xcalloc
#include "base/map.h"   // struct wf_map
#include "rt/device.h"  // wf_rt_limit_get
#include "rt/event.h"   // wf_rt_event_destroy
#include "rt/memory.h"  // wf_rt_free
#include "rt/module.h"  // wf_rt_library_unload

#define DEPTH 64
#define KINDS 6
#define API_VERSION 13000

struct wf__context {
    struct wf_map owned[KINDS]; // handle -> this
    unsigned flags, uses;       // uses: retained so often (primary)
    uint64_t id;
    struct wf__context *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf__context primary = {.id = 1};
static struct wf__context *own; // made by the program
static uint64_t last_id = 1;
static struct wf_map owner; // handle -> its context
static atomic_bool is_initialised;

static _Thread_local struct {
    struct wf__context *at[DEPTH];
    unsigned n;
} stack;

static bool is_context_locked(const struct wf__context *c)
{
    if (c == &primary)
        return primary.uses > 0 || wf_rt_result_seen();
    for (const struct wf__context *o = own; o; o = o->next)
        if (o == c)
            return true;
    return false;
}

static bool is_context(const struct wf__context *c)
{
    pthread_mutex_lock(&lock);
    bool is = is_context_locked(c);
    pthread_mutex_unlock(&lock);
    return is;
}

enum wf_cu wf__cuda_ready(void)
{
    return is_initialised || wf_rt_result_seen() ? WF_CU_SUCCESS : WF_CU_INITIALIZATION_ERROR;
}

CUcontext wf__context_current(void)
{
    if (stack.n)
        return stack.at[stack.n - 1];
    return wf_rt_result_seen() ? &primary : NULL;
}

enum wf_cu wf__cuda_enter(void)
{
    enum wf_cu e = wf__cuda_ready();
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf__context *c = wf__context_current();
    if (!c || (c != &primary && !is_context(c)))
        return c ? WF_CU_CONTEXT_IS_DESTROYED : WF_CU_DEVICE_UNINITIALIZED;
    return wf_rt_enter();
}

static enum wf_cu init(unsigned flags)
{
    if (flags)
        return WF_CU_INVALID_VALUE;
    is_initialised = true;
    return WF_CU_SUCCESS;
}
FREE(cuInit, (unsigned flags), init(flags))

void wf__context_own(enum wf__kind kind, uint64_t handle)
{
    struct wf__context *c = wf__context_current();
    if (!c || !handle)
        return;
    pthread_mutex_lock(&lock);
    wf_map_put(&c->owned[kind], handle, c);
    wf_map_put(&owner, handle, c);
    pthread_mutex_unlock(&lock);
}

void wf__context_disown(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct wf__context *c = wf_map_del(&owner, handle);
    for (int k = 0; c && k < KINDS; k++)
        wf_map_del(&c->owned[k], handle);
    pthread_mutex_unlock(&lock);
}

CUcontext wf__context_of(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    struct wf__context *c = wf_map_get(&owner, handle);
    pthread_mutex_unlock(&lock);
    return c ? c : wf__context_current();
}

static void give_back(enum wf__kind kind, uint64_t handle)
{
    switch (kind) {
    case WF__KIND_STREAM:
        wf_rt_stream_destroy(handle);
        return;
    case WF__KIND_EVENT:
        wf_rt_event_destroy(handle);
        return;
    case WF__KIND_MODULE:
        wf_rt_library_unload(handle);
        return;
    case WF__KIND_DEVICE_MEMORY:
        wf_rt_free(handle);
        return;
    case WF__KIND_HOST_MEMORY:
        wf_rt_free_host(handle);
        return;
    }
}

static void give_back_all(struct wf__context *c)
{
    for (int k = WF__KIND_STREAM; k < KINDS; k++) {
        pthread_mutex_lock(&lock);
        struct wf_map m = c->owned[k];
        c->owned[k] = (struct wf_map){0};
        uint64_t handle;
        void *value;
        for (size_t i = 0; wf_map_next(&m, &i, &handle, &value);)
            wf_map_del(&owner, handle);
        pthread_mutex_unlock(&lock);
        for (size_t i = 0; wf_map_next(&m, &i, &handle, &value);)
            give_back((enum wf__kind)k, handle);
        wf_map_fini(&m);
    }
}

static enum wf_cu push(struct wf__context *c)
{
    if (!is_context(c))
        return WF_CU_DEVICE_UNINITIALIZED;
    if (stack.n == DEPTH)
        return WF_CU_INVALID_VALUE;
    stack.at[stack.n++] = c;
    return WF_CU_SUCCESS;
}

static bool are_flags(unsigned flags)
{
    unsigned schedule = flags & 7;
    return !(flags & ~0xffu) && (schedule & (schedule - 1)) == 0;
}

static enum wf_cu create(CUcontext *out, unsigned flags, CUdevice device)
{
    if (!out || !are_flags(flags))
        return WF_CU_INVALID_VALUE;
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf__context *c = wf_xcalloc(1, sizeof *c);
    c->flags = flags;
    pthread_mutex_lock(&lock);
    c->id = ++last_id;
    c->next = own;
    own = c;
    pthread_mutex_unlock(&lock);
    e = push(c);
    *out = c;
    return e;
}
INIT(cuCtxCreate_v2, (CUcontext * out, unsigned flags, CUdevice device), create(out, flags, device))
SAME(cuCtxCreate, cuCtxCreate_v2)
// What the further parameters ask for (a share of the SMs, a client of another library) is not modelled.
INIT(cuCtxCreate_v3, (CUcontext * out, void *params, int n, unsigned flags, CUdevice device),
     params || n ? wf__unsupported("cuCtxCreate_v3 with execution affinity")
                 : create(out, flags, device))
static enum wf_cu create_with(CUcontext *out, const struct abi_context_params *p, unsigned flags,
                              CUdevice device)
{
    if (p && (p->n_affinity || p->client))
        return wf__unsupported("cuCtxCreate_v4 with execution affinity or a graphics client");
    return create(out, flags, device);
}
INIT(cuCtxCreate_v4,
     (CUcontext * out, const struct abi_context_params *p, unsigned flags, CUdevice device),
     create_with(out, p, flags, device))

static enum wf_cu destroy(struct wf__context *c)
{
    if (!c || c == &primary || !is_context(c))
        return WF_CU_DEVICE_UNINITIALIZED;
    wf_rt_device_sync();
    give_back_all(c);
    if (stack.n && stack.at[stack.n - 1] == c)
        stack.n--;
    pthread_mutex_lock(&lock);
    for (struct wf__context **p = &own; *p; p = &(*p)->next)
        if (*p == c) {
            *p = c->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(c);
    return WF_CU_SUCCESS;
}
INIT(cuCtxDestroy_v2, (CUcontext c), destroy(c))
SAME(cuCtxDestroy, cuCtxDestroy_v2)
SAME(cuCtxDetach, cuCtxDestroy_v2)

static enum wf_cu pop(CUcontext *out)
{
    if (!stack.n)
        return WF_CU_DEVICE_UNINITIALIZED;
    stack.n--;
    if (out)
        *out = stack.at[stack.n];
    return WF_CU_SUCCESS;
}
INIT(cuCtxPushCurrent_v2, (CUcontext c), push(c))
SAME(cuCtxPushCurrent, cuCtxPushCurrent_v2)
INIT(cuCtxPopCurrent_v2, (CUcontext * out), pop(out))
SAME(cuCtxPopCurrent, cuCtxPopCurrent_v2)

static enum wf_cu set_current(struct wf__context *c)
{
    if (c && !is_context(c))
        return WF_CU_DEVICE_UNINITIALIZED;
    if (stack.n)
        stack.n--;
    return c ? push(c) : WF_CU_SUCCESS;
}
INIT(cuCtxSetCurrent, (CUcontext c), set_current(c))
static enum wf_cu get_current(CUcontext *out)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = wf__context_current();
    return WF_CU_SUCCESS;
}
INIT(cuCtxGetCurrent, (CUcontext * out), get_current(out))

static enum wf_cu get_id(CUcontext c, unsigned long long *out)
{
    c = c ? c : wf__context_current();
    if (!c || !is_context(c))
        return WF_CU_DEVICE_UNINITIALIZED;
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = c->id;
    return WF_CU_SUCCESS;
}
INIT(cuCtxGetId, (CUcontext c, unsigned long long *out), get_id(c, out))
static enum wf_cu api_version(CUcontext c, unsigned *out)
{
    unsigned long long id;
    enum wf_cu e = get_id(c, &id);
    if (e == WF_CU_SUCCESS && !out)
        e = WF_CU_INVALID_VALUE;
    if (e == WF_CU_SUCCESS)
        *out = API_VERSION;
    return e;
}
INIT(cuCtxGetApiVersion, (CUcontext c, unsigned *out), api_version(c, out))
API(cuCtxGetDevice, (CUdevice * out), wf__put_int(out, 0))
INIT(cuCtxGetDevice_v2, (CUdevice * out, CUcontext c),
     c && !is_context(c) ? WF_CU_DEVICE_UNINITIALIZED : wf__put_int(out, 0))
API(cuCtxSynchronize, (void), wf_rt_device_sync())
INIT(cuCtxSynchronize_v2, (CUcontext c),
     c && !is_context(c) ? WF_CU_DEVICE_UNINITIALIZED : wf_rt_device_sync())

static enum wf_cu get_flags(unsigned *out)
{
    if (!out)
        return WF_CU_INVALID_VALUE;
    *out = wf__context_current()->flags;
    return WF_CU_SUCCESS;
}
static enum wf_cu set_flags(struct wf__context *c, unsigned flags)
{
    if (!are_flags(flags))
        return WF_CU_INVALID_VALUE;
    c->flags = flags;
    return WF_CU_SUCCESS;
}
API(cuCtxGetFlags, (unsigned *out), get_flags(out))
API(cuCtxSetFlags, (unsigned flags), set_flags(wf__context_current(), flags))

// --- the primary context

static enum wf_cu retain(CUcontext *out, CUdevice device)
{
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS)
        e = wf_rt_broken();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!out)
        return WF_CU_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    primary.uses++;
    pthread_mutex_unlock(&lock);
    *out = &primary;
    return WF_CU_SUCCESS;
}
INIT(cuDevicePrimaryCtxRetain, (CUcontext * out, CUdevice device), retain(out, device))

// The runtime's own hold on the primary context keeps it alive.
static enum wf_cu release(CUdevice device)
{
    enum wf_cu e = wf__device(device);
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    bool was_held = primary.uses > 0, is_last = primary.uses == 1;
    if (was_held)
        primary.uses--;
    pthread_mutex_unlock(&lock);
    if (!was_held)
        return WF_CU_DEVICE_UNINITIALIZED;
    if (is_last && !wf_rt_result_seen()) {
        wf_rt_device_sync();
        give_back_all(&primary);
    }
    return WF_CU_SUCCESS;
}
INIT(cuDevicePrimaryCtxRelease_v2, (CUdevice device), release(device))
SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)

static enum wf_cu reset(CUdevice device)
{
    enum wf_cu e = wf__device(device);
    if (e != WF_CU_SUCCESS)
        return e;
    wf_rt_device_sync();
    give_back_all(&primary);
    return own ? WF_CU_SUCCESS : wf_rt_device_reset(); // contexts of the program's own stay whole
}
INIT(cuDevicePrimaryCtxReset_v2, (CUdevice device), reset(device))
SAME(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)
INIT(cuDevicePrimaryCtxSetFlags_v2, (CUdevice device, unsigned flags),
     wf__device(device) == WF_CU_SUCCESS ? set_flags(&primary, flags) : WF_CU_INVALID_DEVICE)
SAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)
static enum wf_cu get_state(CUdevice device, unsigned *flags, int *is_active)
{
    enum wf_cu e = wf__device(device);
    if (e == WF_CU_SUCCESS && flags)
        *flags = primary.flags;
    if (e == WF_CU_SUCCESS && is_active)
        *is_active = primary.uses > 0 || wf_rt_result_seen();
    return e;
}
INIT(cuDevicePrimaryCtxGetState, (CUdevice device, unsigned *flags, int *is_active),
     get_state(device, flags, is_active))
