// SPDX-License-Identifier: Apache-2.0
// The runtime's answer, by a pointer that it sets.
#include "mem/outside.h"

static bool (*_Atomic answer)(uint32_t stuck);
static void (*_Atomic idle)(void);

void wf_mem_outside_set(bool (*fn)(uint32_t stuck))
{
    answer = fn;
}

bool wf_mem_outside_may_write(uint32_t stuck)
{
    bool (*fn)(uint32_t) = answer;
    return fn && fn(stuck);
}

void wf_mem_outside_idle_set(void (*fn)(void))
{
    idle = fn;
}

void wf_mem_outside_idle(void)
{
    void (*fn)(void) = idle;
    if (fn)
        fn();
}
