// SPDX-License-Identifier: Apache-2.0
// The checkers: subscribers of core/event.h that fill core/finding.h. What each finds, and by which
// rules, is told in docs/memory-model.md.
//
// The checkers know nothing of the engine. Hooks of one grid are called one after another; hooks of
// different grids may come from different threads at the same time.
#ifndef WF_CHECK_CHECK_H
#define WF_CHECK_CHECK_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

struct wf_events;
struct wf_str;

// What a volatile access is when it meets another thread's access of the same bytes.
enum wf_volatile_mode {
    WF_VOLATILE_PLAIN,  // like a plain one, as CUDA C++ says; a warning when both are strong in PTX
    WF_VOLATILE_RELAXED // a relaxed access of system scope, as PTX says: never a race with a strong
                        // one
};

struct wf_check_opts {
    bool race, memory, order, contention; // which checkers
    bool redundant;                       // barriers that ordered nothing; slower, off by default
    enum wf_volatile_mode volatile_mode;
    bool
        report_cas_guess; // the first plain read of a CAS loop against atomics (else not a finding)
    bool mute_same_value; // plain stores of one value by several threads (else a warning)
    bool report_mixed_small; // 16-bit against 32-bit atomics of one word (else not a finding)
    // The window of global addresses; 0, 0: the one of mem/space.h.
    uint64_t global_base, global_bytes;
    uint64_t contention_min; // atomics on one address before it is worth a word; 0: the default
};

// All checkers but `redundant` on, volatile = plain.
struct wf_check_opts wf_check_defaults(void);

// Fills *out with the hooks that the chosen checkers want; the rest stay NULL. State is kept per
// process: one call before the first launch. o is copied.
void wf_check_events(const struct wf_check_opts *o, struct wf_events *out);

// Tells the store what is still held back: counts, and races between lanes of one warp, which wait for
// the end of their launch to be told as what they are. For the last report of a process, also from a
// signal handler while a launch runs: waits for a hook that is under way, but not for ever, and no
// launch goes on afterwards.
void wf_check_flush(void);

// Ends: gives all memory back and forgets everything (tests). No grid may be running.
void wf_check_fini(void);

// What the checkers did and hold.
struct wf_check_stats {
    uint64_t warp_accesses, lane_accesses, fast_accesses; // checked; of them by the whole-warp path
    uint64_t trusted;       // launches that were proven free of races and not watched
    uint64_t words_spilled; // words whose state did not fit in their 8 bytes, over all launches
    uint64_t forgotten; // times that 2^26 live records were too few and older accesses were dropped
    uint64_t records, record_bytes, clocks_bytes, spill_bytes;
    uint64_t words, cell_bytes; // 4-byte words of global memory with an access on record, and their cells
    uint64_t page_bytes;        // pages of memory behind the cells of global memory
};
void wf_check_stats(struct wf_check_stats *out);

#endif
