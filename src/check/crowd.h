// SPDX-License-Identifier: Apache-2.0
// Words that very many accesses are on record for: counters, tickets, flags.
//
// An access must be compared with all of a word's entries (word.c). Of 64 entries in a row, and of 64 such
// rows, a summary tells at a glance that none of them can matter to this access, so that a word which each of
// n warps meets costs far less than n looks an access. A summary may say too much of entries that went since,
// never too little.
#ifndef WF_CHECK_CROWD_H
#define WF_CHECK_CROWD_H

#include "check/ctx.h" // struct wf__acc

extern uint32_t wf__crowd_shift; // log2 of a row's entries, at most 6 (tests make it small)
#define WF__ROW (1u << wf__crowd_shift)

struct wf__known {
    const struct wf__far *far;
    uint32_t of; // a grid's first serial
};
struct wf__crowd {
    uint64_t blocks; // a bit for each block's serial % 64
    uint32_t lo, hi; // of all serials
    uint8_t bytes;   // that are touched
    bool has_writes, has_reads; // entries that write; that only read
    uint8_t strong; // bytes of an element when all are strong, of gpu scope or wider, and of that size; else 0
    // Threads of other blocks that know as much of the row's blocks are ordered after all of it; after none of it;
    // after none of what only reads.
    struct wf__known after_all, after_none, after_no_read;
};

// What an access looks for.
enum wf__crowd_want { WF__CROWD_MEET, WF__CROWD_DROP, WF__CROWD_OWN };
struct wf__probe {
    enum wf__crowd_want want;
    uint32_t me, serial0, n_blocks; // own block; of the grid
    const struct wf__clocks *cs;
    const struct wf__far *far; // of other blocks
    uint8_t bytes, rw, strong; // strong: size of its element when it is strong and of gpu scope or wider
    bool is_met; // races were told, on all bytes with other blocks; the first row is looked at all the same
};

struct wf__probe wf__crowd_probe(const struct wf__acc *x, uint32_t lane, enum wf__crowd_want want, uint8_t bytes,
                                 uint8_t rw);
// Summarizes the rows that have become full.
void wf__crowd_update(const struct wf__acc *x, struct wf__word *wd);
// Entries changed places: all summaries go.
void wf__crowd_reset(struct wf__word *wd);
void wf__crowd_free(struct wf__word *wd);
// The entry at i is for more lanes than before.
void wf__crowd_grown(struct wf__word *wd, uint32_t i);
// All (none) of the entries of the row that holds i, as far as they matter to q, come before the access.
void wf__crowd_note(struct wf__word *wd, uint32_t i, const struct wf__probe *q);
// Entries to look at: going down, i one above the next; going up, the next one's number.
uint32_t wf__crowd_down(const struct wf__word *wd, const struct wf__probe *q, uint32_t i);
uint32_t wf__crowd_up(const struct wf__word *wd, const struct wf__probe *q, uint32_t i);

#endif
