// SPDX-License-Identifier: Apache-2.0
// What the session decided for the whole process and the engine obeys. Read-only once the first
// kernel is loaded. Without a session (unit tests) the defaults stand.
#ifndef WF_CORE_SETTINGS_H
#define WF_CORE_SETTINGS_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

enum wf_proofs {
    WF_PROOFS_OFF,
    WF_PROOFS_ON,  // launches that are proven free of races beforehand are not watched
    WF_PROOFS_BOTH // they are watched all the same, and a finding in one is an error of ours
};

struct wf_settings {
    bool is_check;            // deterministic order, checkers subscribed
    uint32_t workers;         // threads that run blocks; 0: one for each processor
    uint32_t resident_blocks; // blocks of a grid resident at once; 0: by the modelled GPU
    uint32_t regs_per_thread; // for occupancy when the program has no cubin; 0: 32
    uint64_t seed;            // order of blocks, warps and lanes; 0: the plain one
    bool is_descending;       // blocks start in descending order
    const char *without;      // "FILE:LINE", one a line of text: barriers there are left out; "": none
    uint32_t proofs;          // enum wf_proofs
    uint32_t hang_ms;         // without progress for this long, a launch is ended
    bool is_volatile_sync;    // --volatile=sync: treat volatile accesses as relaxed atomics
    uint32_t jit_opt;         // LLVM optimization level 0..3
    uint64_t stream_bytes;    // a grid that stores more goes past the caches; 0: half of the largest one
    const char *cache_dir;    // compiled kernels and built programs; NULL: no cache
    const char *dump; // "", "ir", "llvm" or "asm": printed to stderr as kernels are compiled
    bool is_verbose;  // say on stderr what is done
};

const struct wf_settings *wf_settings(void);
void wf_settings_set(const struct wf_settings *s); // copies; strings are borrowed

#endif
