// SPDX-License-Identifier: Apache-2.0
// The exchange is by pages. Variables of several modules may share a page, so a page once exchanged stays as it is,
// and a module's variables are exchanged together with all that lies between them.
#include "rt/managed.h"

#include <string.h> // memcpy

#include "base/bits.h"   // wf_align_up
#include "mem/space.h"   // wf_heap_alias
#include "rt/engine.h"   // wf__engine

#define PAGE UINT64_C(4096)

static bool is_there(const void *host, uint64_t bytes, uint64_t *addr)
{
    uint64_t last, h = (uint64_t)(uintptr_t)host;
    return wf_heap_alias_find(h, addr) && wf_heap_alias_find(h + bytes - 1, &last) && last == *addr + bytes - 1;
}

// Pages [lo, hi) of the host become memory of the device.
static enum wf_status exchange(uint64_t lo, uint64_t hi, struct wf_err *err)
{
    uint64_t addr, old;
    for (uint64_t p = lo; p < hi; p += PAGE)
        if (wf_heap_alias_find(p, &old))
            return wf_err_set(err, WF_E_UNSUPPORTED,
                              "managed variables of several sources overlap in memory: give them to one source, or use cudaMallocManaged");
    enum wf_status st = wf_heap_alloc(WF_MEM_MANAGED, hi - lo, PAGE, "managed variables", &addr, err);
    return st ? st : wf_heap_alias(addr, (void *)(uintptr_t)lo, hi - lo, err);
}

enum wf_status wf__managed_bind(struct wf_module *m, const struct wf__managed *v, uint32_t n, struct wf_err *err)
{
    uint64_t lo = UINT64_MAX, hi = 0, addr, bytes, device;
    bool is_managed;
    const struct wf_space *space = wf_space_get(err);
    if (!space)
        return WF_E_NOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t h = (uint64_t)(uintptr_t)v[i].host;
        if (!wf__engine->var(m, v[i].name, &addr, &bytes, &is_managed) || !bytes || is_there(v[i].host, bytes, &device))
            continue;
        uint64_t from = h & ~(PAGE - 1), to = wf_align_up(h + bytes, PAGE);
        while (from < to && wf_heap_alias_find(from, &device)) // its first page came with another source
            from += PAGE;
        lo = from < lo ? from : lo;
        hi = to > hi ? to : hi;
    }
    enum wf_status st = lo < hi ? exchange(lo, hi, err) : WF_OK;
    for (uint32_t i = 0; i < n && !st; i++) {
        if (!wf__engine->var(m, v[i].name, &addr, &bytes, &is_managed) || !bytes)
            continue;
        if (!is_there(v[i].host, bytes, &device)) // the pages are not side by side for the device
            return wf_err_set(err, WF_E_UNSUPPORTED, "managed variable %s lies across pages of two sources: use cudaMallocManaged",
                              v[i].name);
        memcpy((void *)(uintptr_t)v[i].host, wf_space_host(space, addr), bytes);
        wf__engine->var_alias(m, v[i].name, device);
    }
    return st;
}
