// SPDX-License-Identifier: Apache-2.0
// Memory pools of other processes: an empty file stands for the pool, and an allocation of it is shared like any other.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // memfd_create
#endif
#include <fcntl.h>    // fcntl
#include <sys/mman.h> // memfd_create
#include <unistd.h>   // close

#include "rt/ctx.h"    // wf_rt_enter
#include "rt/ipc.h"
#include "rt/memory.h" // wf__memory_pool_of
#include "rt/graph.h"  // wf__graph_pool
#include "rt/pool.h"   // wf__pool_put

#define DESCRIPTOR 1

enum wf_cu wf_rt_ipc_pool(uint64_t *pool)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    int fd = memfd_create("warpfence-pool", MFD_CLOEXEC);
    if (fd < 0)
        return WF_CU_OPERATING_SYSTEM;
    *pool = wf__pool_put(fd, false);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_ipc_export_pool(int *out, uint64_t pool, int type, uint64_t flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    int fd = wf__pool_file(pool, false);
    if (!out || type != DESCRIPTOR || flags || fd < 0)
        return WF_CU_INVALID_VALUE;
    *out = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return *out < 0 ? WF_CU_OPERATING_SYSTEM : WF_CU_SUCCESS;
}

enum wf_cu wf_rt_ipc_import_pool(uint64_t *pool, int fd, int type, uint64_t flags)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!pool || type != DESCRIPTOR || flags || !wf__ipc_inode(fd))
        return WF_CU_INVALID_VALUE;
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (own < 0)
        return WF_CU_OPERATING_SYSTEM;
    *pool = wf__pool_put(own, true);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_ipc_export(struct wf_rt_ipc *out, uint64_t addr)
{
    enum wf_cu e = wf_rt_enter();
    void *pool;
    uint64_t bytes;
    if (e != WF_CU_SUCCESS)
        return e;
    if (!wf__memory_pool_of(addr, &pool, &bytes) || !pool || pool == &wf__graph_pool || wf__pool_file_of(pool) < 0)
        return WF_CU_INVALID_VALUE;
    return wf__ipc_give_memory(out, addr, (struct wf__ipc){.kind = 'p', .pool = wf__ipc_inode(wf__pool_file_of(pool))});
}

enum wf_cu wf_rt_ipc_import(uint64_t *addr, uint64_t pool, const struct wf_rt_ipc *from)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    int fd = wf__pool_file(pool, true);
    return !addr || !from || fd < 0 ? WF_CU_INVALID_VALUE : wf__ipc_open(addr, from, 'p', wf__ipc_inode(fd));
}
