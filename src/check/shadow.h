// SPDX-License-Identifier: Apache-2.0
// Shadow memory of the race checker: 8 bytes for each 4-byte word of global and shared memory.
//
// The cell. Low half: who wrote the word last; high half: who has read it since. Each half is a
// handle: record number * 32 + lane, 0 for nobody. A record stands for one access instruction run
// by a warp at one epoch, so a whole-warp access to 32 words stores 32 consecutive handles and
// compares them the same way. Records numbered below the pool's `first` are ancient: ordered before
// everything that the running launch does (see work.h; for shared memory: before the last full
// barrier). What does not fit (partial words, strong accesses by several threads, locations with
// attached clocks) is a *word*: bit 31 of the low half, and its number in the pool.
//
// Record kinds:
//   ACC    handle (rec, lane): the access by that lane. Of elements below 4 bytes the handle stands
//          for 4 / bytes consecutive lanes from `lane` on, which cover the word between them.
//   GROUP  lanes that read one word together: those of the record's pattern (pattern.h) that have this lane
//          for their lowest.
//   PAIR   union of two handles of reads: (prev, lane + delta) and (add, lane). Made for whole-warp
//          accesses at once, so that a tile read by many warps costs one record a warp access.
#ifndef WF_CHECK_SHADOW_H
#define WF_CHECK_SHADOW_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

#include "check/hb.h"      // struct wf__block
#include "check/heard.h"   // struct wf__heard
#include "check/pattern.h" // wf__pattern_get
#include "core/event.h" // struct wf_site

enum wf__kind { WF__ACC, WF__GROUP, WF__PAIR };
enum {
    WF__R = 1,      // reads
    WF__W = 2,      // writes
    WF__STRONG = 4, // atomic, or strong in the model chosen
    WF__RMW = 8,
    WF__GUESS = 16, // first weak read of a CAS loop
    WF__NC = 32,    // ld.global.nc: outside the model
    WF__ASYNC = 64, // of a copy under way: ordered before nothing yet
    WF__VOL = 128,  // a volatile access
};
struct wf__rec {
    const struct wf_site *site;
    uint32_t serial, epoch; // PAIR: common block or UINT32_MAX; newest epoch
    uint32_t mask;          // lanes that took part
    uint32_t base;          // what the block had passed as a full barrier then; PAIR: how many members
    uint32_t prev, add;     // PAIR; GROUP: prev is the pattern's number
    uint16_t warp;          // PAIR: common warp or UINT16_MAX
    uint8_t kind, flags;
    uint8_t bytes, level; // of an element; scope of a strong access
    uint8_t delta;        // PAIR
};
#define WF__SPILL 0x80000000u
#define WF__MAX_REC (1u << 26)
#define WF__ACCESS_RECS 4096u // more than one warp access makes
#define WF__FIRST_LIMIT (1u << 18) // records before they are numbered afresh for the first time

struct wf__entry { // one access of a spilled word by lanes of one record
    uint32_t rec, mask;
    uint32_t seq;  // strong writes: the location's number of the newest one here
    uint32_t seq0; // and of the oldest
    uint8_t bytes; // which of the word's four
    uint8_t flags; // WF__R, WF__W
};
struct wf__loc;
struct wf__crowds;
struct wf__word {
    uint64_t *cell;
    struct wf__entry *at;
    uint32_t n, cap;
    uint32_t seq;   // strong writes so far
    bool has_reads; // among the entries there may be some that only read
    bool is_frozen; // at[0] can never be ordered before anything: it stands for all of its class
    uint8_t weak_bytes; // whose newest write was a plain one
    uint8_t cut_bytes;  // plain writes to these came
    uint32_t cut;       // after so many strong ones
    uint8_t last_lane;  // of the newest strong write
    uint8_t n_loc;
    struct wf__loc **loc; // locations that hold bytes of this word
    uint32_t next_free;
    uint32_t n_out; // entries that were taken out (rec: 0) and still have their places
    struct wf__crowds *crowd; // NULL as long as they are few: crowd.h
};

struct wf__pool {
    struct wf__rec *rec; // reserved memory
    uint32_t n_rec, cap_rec, first;
    uint32_t gone; // records below are ancient for good, not only for the launch that runs
    uint32_t memo_bits;
    uint32_t turn; // unions asked for
    uint32_t limit; // records it may hold before they are numbered afresh (tests make it small)
    struct wf__word **word;               // chunks of 1024
    uint32_t n_word, cap_word, free_word; // free_word: number + 1
    uint64_t made;                        // words ever
    uint64_t closed;                      // lines: line.h
    struct wf__loc *locs;                 // all of the pool's
    struct {                              // memo of unions: (prev, delta, add) -> record
        uint64_t key;
        uint32_t rec;
    } * memo;
};

struct wf__slot { // shared memory of one resident block
    struct wf__pool pool;
    uint64_t *cell;
    uint64_t words, reserved;
    struct wf__heard heard; // reads since the last full barrier, as long as there was nothing else
    bool is_visited; // by other blocks of the cluster
    uint8_t *init;   // of the memory checker: a bit for each byte that was written
};

struct wf__shadow {
    struct wf__pool pool; // of global memory
    uint64_t base, bytes; // the window of program addresses
    uint64_t *cell;       // [bytes / 4], reserved; NULL when it could not be had
    uint8_t *touched;     // a flag for each 1 MiB of addresses
    struct wf__slot **slot;
    uint32_t n_slots;
};

// Words with an access on record, and the memory that their cells' pages take.
void wf__shadow_count(const struct wf__shadow *s, uint64_t *words, uint64_t *page_bytes);
void wf__shadow_init(struct wf__shadow *s, uint64_t base, uint64_t bytes);
void wf__shadow_fini(struct wf__shadow *s);
// No grid runs and one begins, and all earlier work is over for good: what is there becomes ancient.
void wf__shadow_age(struct wf__shadow *s);
// Nothing has happened in these bytes.
void wf__shadow_wipe(struct wf__shadow *s, uint64_t addr, uint64_t bytes);
// No grid runs: what release patterns attached to places is of no use to later launches.
void wf__shadow_unlink(struct wf__shadow *s);
struct wf__slot *wf__slot_get(struct wf__shadow *s, uint32_t number, uint32_t shared_bytes);
void wf__slot_begin(struct wf__slot *s); // a block moves in
// All of the block's threads met, nobody is missing. oldest: first record of a copy under way, or
// UINT32_MAX.
void wf__slot_barrier(struct wf__slot *s, uint32_t oldest);

uint32_t wf__rec_new(struct wf__pool *p);
struct wf__word *wf__word_of(struct wf__pool *p, uint64_t *cell); // NULL when not spilled
struct wf__word *wf__word_new(struct wf__pool *p, uint64_t *cell);
struct wf__word *wf__word_at(struct wf__pool *p, uint32_t i);
void wf__memo_clear(struct wf__pool *p);
void wf__word_free(struct wf__pool *p, struct wf__word *w); // its cell is the caller's
// Handle of the union of what handle `h` stands for and (add, lane), memoized. Weak reads only. is_one: the answer
// is used for one word, not for others whose handles are in step with its.
uint32_t wf__read_union(struct wf__pool *p, uint32_t h, uint32_t add, uint32_t lane, bool is_one);

// The same when it was asked for before, else 0.
uint32_t wf__read_known(struct wf__pool *p, uint32_t h, uint32_t add, uint32_t lane);

// Long unions are walked from end to end only now and then: as seldom as they are long.
static inline bool wf__union_due(struct wf__pool *p, const struct wf__rec *r)
{
    return r->kind != WF__PAIR || r->base < 8 || ++p->turn % r->base == 0;
}

// The lanes that a handle of this record (no PAIR) stands for.
static inline uint32_t wf__rec_lanes(const struct wf__rec *r, uint32_t lane)
{
    if (r->kind == WF__GROUP)
        return wf__pattern_get(r->prev)->group[lane];
    return r->bytes >= 4 ? 1u << lane : ((1u << 4 / r->bytes) - 1) << lane;
}

static inline bool wf__is_old(const struct wf__pool *p, uint32_t h)
{
    return h >> 5 < p->first;
}

#endif
