// SPDX-License-Identifier: Apache-2.0
// What the fault handler needs of the heap. Private to src/mem.
#ifndef WF_MEM_HEAP_H
#define WF_MEM_HEAP_H

#include <stdint.h> // uint64_t

// Makes lent engine-side pages inaccessible again, unless a block has moved in meanwhile.
void wf__heap_take_back(uint64_t engine_addr, uint64_t bytes);

#endif
