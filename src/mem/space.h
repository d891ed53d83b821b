// SPDX-License-Identifier: Apache-2.0
// The address space of the modelled device.
//
// What a program calls a device address A lies in [base, base + bytes): reserved, without access,
// so that host code which follows a device pointer faults and can be told so. The engine reaches
// the same byte at A + delta. Device-only memory is private memory at A + delta; host-visible
// memory (managed, pinned, mapped) is one shared object mapped at A and at A + delta.
//
// Layout of the window, as offsets from base (generic addresses, PTX ISA 6.4.1.1):
//   0        .. 4 GiB   nothing: small offsets from a null pointer stay faults
//   4 GiB    .. +256 MiB shared window: WF_SHARED_STRIDE bytes for each CTA rank of a cluster (16)
//   8 GiB    .. +4 GiB   local window: offset = the thread's local offset
//   12 GiB   .. 16 GiB   the running kernel's parameters, which it can only read: no memory lies there
//   16 GiB   .. end      memory of the heap: global, const banks, module variables
// Addresses outside the window are not device memory at all.
#ifndef WF_MEM_SPACE_H
#define WF_MEM_SPACE_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint64_t

#include "base/err.h" // enum wf_status

#define WF_SHARED_OFFSET (UINT64_C(4) << 30)
#define WF_SHARED_STRIDE (UINT64_C(16) << 20)
#define WF_SHARED_WINDOW (16 * WF_SHARED_STRIDE)
#define WF_LOCAL_OFFSET (UINT64_C(8) << 30)
#define WF_LOCAL_WINDOW (UINT64_C(4) << 30)
#define WF_PARAM_OFFSET (UINT64_C(12) << 30)
#define WF_HEAP_OFFSET (UINT64_C(16) << 30)
#define WF_HEAP_MARGIN (UINT64_C(256) << 10) // at the window's end, where compiled code makes no access itself: what lies
                                             // behind the window is not ours

struct wf_space {
    uint64_t base;  // program-visible start; WF_SHARED_OFFSET etc. count from here
    uint64_t bytes; // size of the window (256 GiB unless less could be reserved)
    int64_t delta;  // engine address = program address + delta
};

// One per process; made on first use, thread-safe, never freed. NULL with err when the address
// space cannot be reserved.
const struct wf_space *wf_space_get(struct wf_err *err);

static inline void *wf_space_host(const struct wf_space *s, uint64_t addr) // engine's pointer
{
    return (void *)(uintptr_t)(addr + (uint64_t)s->delta);
}

enum wf_mem_kind {
    WF_MEM_DEVICE,  // cudaMalloc: host access is a fault
    WF_MEM_PINNED,  // cudaHostAlloc, cudaMallocHost: host-visible
    WF_MEM_MANAGED, // cudaMallocManaged, __managed__: host-visible
    WF_MEM_MODULE,  // a module's .global or .const variable
    WF_MEM_INTERNAL // parameter buffers, grid barrier words
};

enum wf_mem_state { WF_MEM_LIVE, WF_MEM_FREED }; // freed ones are kept in quarantine for a while

// What lies at an address. Blocks are 256-byte aligned; a red zone of at least 256 bytes parts
// them.
struct wf_mem_block {
    uint64_t addr, bytes;
    enum wf_mem_kind kind;
    enum wf_mem_state state;
    uint64_t serial;     // 1, 2, ... in order of allocation
    const char *name;    // variable name for WF_MEM_MODULE, else NULL; borrowed
    bool is_read_only;   // const banks
    bool is_initialised; // all bytes written by the host side at birth (module variables, memset)
    const char *alloc_where, *free_where; // "file:line" or API name when known, else NULL
};

// Thread-safe. bytes = 0 gives a distinct address. Memory is zero only for MODULE and INTERNAL;
// the rest is zero pages on first use and old bytes after reuse.
enum wf_status wf_heap_alloc(enum wf_mem_kind kind, uint64_t bytes, uint64_t align,
                             const char *name, uint64_t *addr, struct wf_err *err);
// From now on at least this many bytes lie unused behind an allocation of WF_MEM_DEVICE, for the first
// thousand of them.
void wf_heap_keep_apart(uint64_t bytes);
enum wf_status wf_heap_free(uint64_t addr, const char *where,
                            struct wf_err *err); // exact start only
// The block that holds addr, live or quarantined, else the nearest one below within 64 KiB
// (is addr < b.addr + b.bytes? tells them apart). False when there is none. Copies out.
bool wf_heap_find(uint64_t addr, struct wf_mem_block *out);
// What the allocator cannot know of the live block that starts at addr; where is borrowed.
void wf_heap_describe(uint64_t addr, const char *alloc_where, bool is_read_only,
                      bool is_initialised);
// Exchanges the program's own pages [host, host + bytes) for those of a PINNED block at addr,
// contents kept; and back to private pages. Page-aligned. Other threads must not write there
// meanwhile.
enum wf_status wf_heap_alias(uint64_t addr, void *host, uint64_t bytes, struct wf_err *err);
// The address in the window that shows the same byte as an exchanged page of the program; false if
// none.
bool wf_heap_alias_find(uint64_t host, uint64_t *addr);
// The program's own pages that show [addr, addr + bytes) of the window, cut to the first exchanged range and to its
// inner pages, which hold nothing else of the program's; 0: none. *at: the window's address of the first.
uint64_t wf_heap_alias_pages(uint64_t addr, uint64_t bytes, uint64_t *host, uint64_t *at);
enum wf_status wf_heap_unalias(uint64_t addr, void *host, uint64_t bytes, struct wf_err *err);
// A file's bytes behind whole pages of a live block; and no memory, or fresh private memory, instead.
enum wf_status wf_heap_place(uint64_t addr, uint64_t bytes, int fd, uint64_t offset, struct wf_err *err);
enum wf_status wf_heap_unplace(uint64_t addr, uint64_t bytes, bool is_usable, struct wf_err *err);
uint64_t wf_heap_bytes_live(void);
void wf_heap_set_quarantine(uint64_t bytes); // freed bytes kept from reuse; default 0
// Called with every (addr, bytes, what) change, for checkers' shadow state. what: 0 alloc, 1 free,
// 2 host wrote the bytes (copy, memset). One listener.
void wf_heap_listen(void (*fn)(void *arg, uint64_t addr, uint64_t bytes, int what), void *arg);
void wf_heap_note_write(uint64_t addr, uint64_t bytes); // tells the listener `what` 2

#endif
