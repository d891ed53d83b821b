// SPDX-License-Identifier: Apache-2.0
// What is wrong with the user's program: filled by detectors, printed by src/report, never both.
// The store merges duplicates (same kind, same source lines) and is thread-safe.
#ifndef WF_CORE_FINDING_H
#define WF_CORE_FINDING_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint32_t

enum wf_finding_kind {
#define WF_FINDING(id, number, slug, severity, title) WF_F_##id,
#include "core/finding.def"
#undef WF_FINDING
    WF_F_COUNT
};
enum wf_severity { WF_SEV_ERROR, WF_SEV_WARNING, WF_SEV_ADVICE };

struct wf_loc { // resolved source position; strings are borrowed and live as long as the process
    const char *file; // NULL when unknown
    uint32_t line, col;
    const char *function;         // of an inlined body, or the kernel
    const struct wf_loc *inlined; // the call site, or NULL
    uint32_t ptx_line;            // in the PTX text, 0 unknown
};

enum wf_party_role {
    WF_PARTY_ACCESS,
    WF_PARTY_WAITER,
    WF_PARTY_RELEASER,
    WF_PARTY_ALLOC,
    WF_PARTY_LAUNCH, // the host's call that started a kernel
    WF_PARTY_NOTE
};

struct wf_party {
    enum wf_party_role role;
    const struct wf_loc *loc; // or NULL
    bool has_thread, has_block;
    uint32_t block[3], thread[3];
    uint32_t lanes; // mask of lanes concerned, 0 when not told
    uint32_t warp;
    char op[64];    // "write of 4 bytes", "atomicAdd", "__syncthreads()", "host read"
    char value[40]; // value read or written, or ""
    char note[160]; // more words, or ""
    bool is_host;   // host code: what `inlined` names are calls
};

#define WF_MAX_PARTIES 6
struct wf_finding {
    enum wf_finding_kind kind;
    enum wf_severity severity; // the row's, unless lowered or raised
    const char *kernel;        // mangled name, or NULL for host findings
    uint64_t launch;           // 0 for host findings
    char space[12];            // "shared", "global", ... or ""
    uint64_t address;          // program-visible, or offset in the block's shared memory
    char object[160];          // "allocation 3 (1024 bytes) + 16", "s + 64 (shared)", or ""
    char sentence[400];        // one sentence: what happened
    char why[400];             // which ordering is missing
    char fix[400];             // one line: how to mend it
    struct wf_party party[WF_MAX_PARTIES];
    uint32_t n_parties;
    uint64_t count; // merged duplicates, at least 1
    uint8_t weight; // of merged ones the heaviest tells it, and of equally heavy ones the earliest
    uint64_t seed;  // of the order in which it was seen first; 0: the plain one. Set by the store.
    // Order of discovery within a run made stable: launch, then this key, then order of arrival.
    uint64_t order;
};

const char *wf_finding_slug(enum wf_finding_kind k);
uint32_t wf_finding_number(enum wf_finding_kind k);
enum wf_severity wf_finding_default_severity(enum wf_finding_kind k);
const char *wf_finding_title(enum wf_finding_kind k);

// Starts a finding: zeroed, with kind, the row's severity and count 1.
struct wf_finding wf_finding_make(enum wf_finding_kind k, const char *kernel, uint64_t launch);
struct wf_party *wf_finding_party(struct wf_finding *f, enum wf_party_role role,
                                  const struct wf_loc *loc); // the last slot is reused when full

// Adds f to the process's store, merging. Copies, names and places included. Thread-safe. Returns
// true when it is new.
bool wf_finding_add(const struct wf_finding *f);
void wf__finding_python(struct wf_finding *f); // Python's names for what its kernels call
uint32_t wf_finding_total(void);                     // distinct ones
const struct wf_finding *wf_finding_get(uint32_t i); // in stable order after wf_finding_sort
void wf_finding_sort(void);
uint32_t wf_finding_errors(void); // distinct error-level ones
void wf_finding_reset(void);      // tests
// Called for each new finding under the store's lock (immediate reports, crash safety).
void wf_finding_listen(void (*fn)(void *arg, const struct wf_finding *f), void *arg);

#endif
