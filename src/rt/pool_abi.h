// SPDX-License-Identifier: Apache-2.0
// Types of memory pools as programs lay them out, the same in both interfaces (cudaMemLocation and CUmemLocation,
// cudaMemPoolProps and CUmemPoolProps, cudaMemAccessDesc and CUmemAccessDesc). Includes no header of ours: tests
// compile it beside the compiler's headers.
#ifndef WF_RT_POOL_ABI_H
#define WF_RT_POOL_ABI_H

#include <stddef.h> // size_t

struct abi_location {
    int type; // 1 device, 2 host, 3 host NUMA node, 4 the thread's NUMA node
    int id;
};
struct abi_pool_props { // 88 bytes
    int type, handle_types;
    struct abi_location location;
    void *security;
    size_t max_size;
    unsigned short usage;
    unsigned char reserved[54];
};
struct abi_access { // 12 bytes
    struct abi_location location;
    int flags; // 0 none, 1 read, 3 read and write
};

#endif
