// SPDX-License-Identifier: Apache-2.0
// Conditions of graphs: numbers from 1, in a table of fixed size.
#include "exec/condition.h"

#include <pthread.h>   // pthread_mutex_t
#include <stdatomic.h> // _Atomic

#define MAX_CONDITIONS 65536u

static struct {
    _Atomic uint32_t value;
    uint32_t initial;
    bool is_default;
} table[MAX_CONDITIONS];
static _Atomic uint32_t n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t wf_condition_create(uint32_t value, bool is_default)
{
    uint64_t handle = 0;
    pthread_mutex_lock(&lock);
    uint32_t i = n;
    if (i < MAX_CONDITIONS) {
        table[i].value = table[i].initial = value;
        table[i].is_default = is_default;
        n = i + 1;
        handle = i + 1;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

bool wf_condition_is(uint64_t handle)
{
    return handle - 1 < n;
}

uint32_t wf_condition_get(uint64_t handle)
{
    return wf_condition_is(handle) ? table[handle - 1].value : 0;
}

void wf_condition_restore(uint64_t handle)
{
    if (wf_condition_is(handle) && table[handle - 1].is_default)
        table[handle - 1].value = table[handle - 1].initial;
}

bool wf_condition_set(uint64_t handle, uint32_t value)
{
    if (!wf_condition_is(handle))
        return false;
    table[handle - 1].value = value;
    return true;
}
