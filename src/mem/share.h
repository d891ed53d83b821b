// SPDX-License-Identifier: Apache-2.0
// Device memory shared with other processes. Thread-safe.
#ifndef WF_MEM_SHARE_H
#define WF_MEM_SHARE_H

#include <stdint.h> // uint64_t

#include "base/err.h" // enum wf_status

struct wf_mem_share {
    int fd; // stays ours
    uint64_t offset, bytes; // of the pages in the file
    uint64_t skew;          // of the block in the first page
};
// From now on the live device block that starts at addr lies in a file. Nothing may write there meanwhile.
enum wf_status wf_heap_share(uint64_t addr, struct wf_mem_share *out, struct wf_err *err);

void wf__share_end(uint64_t addr); // the block goes; within src/mem

#endif
