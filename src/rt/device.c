// SPDX-License-Identifier: Apache-2.0
// Attributes by table; limits with the driver's grains, kept as told (only the engine's own limits
// count).
#include "rt/device.h"

#include <pthread.h> // pthread_mutex_t
#include <stdbool.h> // bool
#include <stdio.h>   // snprintf
#include <string.h>  // strcmp

#include "base/bits.h"   // wf_align_up
#include "core/launch.h" // struct wf_gpu
#include "rt/ctx.h"      // wf_rt_gpu

enum wf_cu wf_rt_device_attr(int attr, int *value)
{
    const struct wf_gpu *g = wf_gpu_default();
    switch (attr) {
#define WF_ATTR(id, number, v)                                                                     \
    case number:                                                                                   \
        *value = (int)(v);                                                                         \
        return WF_CU_SUCCESS;
#include "rt/attr.def"
#undef WF_ATTR
    default:
        return WF_CU_INVALID_VALUE;
    }
}

int wf_rt_device_attr_value(enum wf_rt_attr attr)
{
    int value = 0;
    wf_rt_device_attr((int)attr, &value);
    return value;
}

const char *wf_rt_device_name(void)
{
    static const struct {
        const char *model, *name;
    } names[] = {
        {"h200", "NVIDIA H200"},
        {"h100", "NVIDIA H100 80GB HBM3"},
        {"a100", "NVIDIA A100-SXM4-80GB"},
        {"l4", "NVIDIA L4"},
        {"rtx4090", "NVIDIA GeForce RTX 4090"},
        {"rtx3090", "NVIDIA GeForce RTX 3090"},
        {"t4", "Tesla T4"},
        {"v100", "Tesla V100-SXM2-16GB"},
    };
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].model, wf_gpu_default()->name) == 0)
            return names[i].name;
    return wf_gpu_default()->name;
}

void wf_rt_device_uuid(unsigned char uuid[16])
{
    // No machine's own: the same for every process that models the same GPU.
    memset(uuid, 0, 16);
    memcpy(uuid, "WF", 2);
    snprintf((char *)uuid + 2, 14, "%s", wf_gpu_default()->name);
}

enum {
    STACK,
    PRINTF_FIFO,
    MALLOC_HEAP,
    SYNC_DEPTH,
    PENDING_LAUNCHES,
    L2_GRAIN,
    L2_PERSIST,
    LIMITS
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t limit_value[LIMITS] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480};
static unsigned device_flags = 8; // host memory can be mapped

enum wf_cu wf_rt_limit_get(int limit, uint64_t *value)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!value || limit < 0 || limit >= LIMITS)
        return WF_CU_INVALID_VALUE;
    if (limit == SYNC_DEPTH)
        return WF_CU_UNSUPPORTED_LIMIT;
    pthread_mutex_lock(&lock);
    *value = limit_value[limit];
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_limit_set(int limit, uint64_t value)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (limit < 0 || limit >= LIMITS || limit == SYNC_DEPTH)
        return WF_CU_UNSUPPORTED_LIMIT;
    static const uint64_t least[LIMITS] = {[PRINTF_FIFO] = 512 << 10, [MALLOC_HEAP] = 4 << 20};
    static const uint64_t grain[LIMITS] = {16, 4096, 4096, 1, 1, 1, 1};
    if (value > UINT64_MAX - 4096)
        return WF_CU_INVALID_VALUE;
    value = wf_align_up(value, grain[limit]);
    pthread_mutex_lock(&lock);
    limit_value[limit] = value > least[limit] ? value : least[limit];
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_device_flags_set(unsigned flags)
{
    unsigned schedule = flags & 7;
    bool is_one = (schedule & (schedule - 1)) == 0;
    if (flags & ~0x9fu || !is_one) // schedule, map host, local memory resize, sync memops
        return WF_CU_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    device_flags = flags | 8;
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

unsigned wf_rt_device_flags(void)
{
    pthread_mutex_lock(&lock);
    unsigned f = device_flags;
    pthread_mutex_unlock(&lock);
    return f;
}
