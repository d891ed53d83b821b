// SPDX-License-Identifier: Apache-2.0
// An asynchronous bulk operation under way. Private to src/exec.
#ifndef WF_EXEC_BULK_H
#define WF_EXEC_BULK_H

#include "exec/exec_priv.h"
#include "exec/tmap.h" // struct wf_tmap

struct bulk {
    struct bulk *next;
    struct wf_warp *w; // who issued it
    unsigned lane;
    uint32_t site;
    bool is_tensor, is_load; // a tensor's box: to shared memory
    bool is_reduce, is_store, is_to_shared, has_mbar;
    uint8_t type; // enum ptx_type of a reduction or store
    uint16_t sub;
    uint64_t dst, src; // generic addresses; a tensor has only its shared side here
    uint32_t bytes, tx;
    uint32_t byte_mask; // 0x10000 | bytes of each 16 to write; 0: all
    uint64_t mbar;      // offset in the shared memory of block mbar_rank
    uint32_t mbar_rank;
    uint32_t group; // its bulk group, 0: not committed
    uint8_t *data;  // the source, once read; owned
    uint64_t token;
    struct wf_tmap map;
    int32_t coord[WF_TMAP_DIMS];
};

void exec__bulk_tell(struct bulk *k); // bulk_event.c: issue, to checkers
// atomic.c: combines n bytes of elements at `from` into those at `to`; locked where other workers may write.
void exec__combine(uint8_t *to, const uint8_t *from, uint32_t n, unsigned type, uint16_t sub, bool locked);
uint8_t exec__tensor_type(unsigned tmap_type); // enum ptx_type

#endif
