// SPDX-License-Identifier: Apache-2.0
// Memory and events of other processes (cudaIpc...): handles are 64 bytes that name a file of the process that gave
// them out. It must live when they are opened. What the others do is not checked here, but in their own processes.
#ifndef WF_RT_IPC_H
#define WF_RT_IPC_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "rt/err.h" // enum wf_cu

struct wf_rt_ipc { // as large as the APIs' handles
    unsigned char bytes[64];
};

enum wf_cu wf_rt_ipc_memory(struct wf_rt_ipc *out, uint64_t addr); // of an allocation's start
enum wf_cu wf_rt_ipc_open_memory(uint64_t *addr, const struct wf_rt_ipc *from, unsigned flags);
enum wf_cu wf_rt_ipc_close_memory(uint64_t addr);
enum wf_cu wf_rt_ipc_event(struct wf_rt_ipc *out, uint64_t event);
enum wf_cu wf_rt_ipc_open_event(uint64_t *event, const struct wf_rt_ipc *from);

// Memory pools. Such a pool's handle is a file descriptor, the only type (1); its allocations are told by 64 bytes.
enum wf_cu wf_rt_ipc_pool(uint64_t *pool); // one that can be shared
enum wf_cu wf_rt_ipc_export_pool(int *fd, uint64_t pool, int type, uint64_t flags);
enum wf_cu wf_rt_ipc_import_pool(uint64_t *pool, int fd, int type, uint64_t flags);
enum wf_cu wf_rt_ipc_export(struct wf_rt_ipc *out, uint64_t addr);
enum wf_cu wf_rt_ipc_import(uint64_t *addr, uint64_t pool, const struct wf_rt_ipc *from);

// ---- within src/rt

// What is in a handle. Kinds: 'm' memory, 'p' memory of a pool, 'e' event.
struct wf__ipc {
    char mark[7], kind;
    int32_t process, fd;
    uint64_t inode; // tells a descriptor that was closed and used again
    uint64_t offset, bytes, skew;
    uint64_t pool; // its file's inode
};
enum wf_cu wf__ipc_give_memory(struct wf_rt_ipc *out, uint64_t addr, struct wf__ipc h); // starts at addr
enum wf_cu wf__ipc_open(uint64_t *addr, const struct wf_rt_ipc *from, char kind, uint64_t pool);
uint64_t wf__ipc_inode(int fd);
bool wf__ipc_pool_bytes(uint64_t addr, uint64_t *bytes); // is this memory of another process's pool?
bool wf__ipc_drop(uint64_t addr); // false: it was not opened here
void wf__ipc_reset(void);
enum wf_cu wf__ipc_give(struct wf_rt_ipc *out, struct wf__ipc h); // fills in mark, process, inode
enum wf_cu wf__ipc_take(const struct wf_rt_ipc *from, char kind, struct wf__ipc *h, int *fd); // fd: the caller's

// An event's records, counted in memory that all its processes see. Counted references; no lock needed.
struct wf__shared_event;
struct wf__shared_event *wf__shared_event_new(void); // NULL: the machine has no memory
enum wf_cu wf__shared_event_give(const struct wf__shared_event *v, struct wf_rt_ipc *out);
enum wf_cu wf__shared_event_take(struct wf__shared_event **out, const struct wf_rt_ipc *from);
struct wf__shared_event *wf__shared_event_ref(struct wf__shared_event *v);
void wf__shared_event_unref(struct wf__shared_event *v);
uint64_t wf__shared_event_record(struct wf__shared_event *v); // its number
void wf__shared_event_done(struct wf__shared_event *v, uint64_t number);
uint64_t wf__shared_event_newest(const struct wf__shared_event *v); // 0: none yet
bool wf__shared_event_is_done(const struct wf__shared_event *v, uint64_t number);
void wf__shared_event_wait(const struct wf__shared_event *v, uint64_t number); // or until its process is gone

#endif
