// SPDX-License-Identifier: Apache-2.0
// Proofs about one launch before it runs: no two of its threads touch a byte without order, whatever the data.
//
// The kernel is run once for all threads together: a register holds a linear form over the bits of the thread's and
// the block's index (value.h), parameters are the launch's own, loops whose ends the launch decides are walked round by
// round, both sides of a branch on data are taken. What is touched between two barriers is a set of forms; the proof
// is that no two of them meet (apart.c). It errs on one side only: no proof says nothing, and the launch is checked
// access by access; a proof holds for every run of it.
#ifndef WF_PROVE_PROVE_H
#define WF_PROVE_PROVE_H

#include <stdbool.h> // bool
#include <stdint.h>  // uint64_t

#include "core/event.h"  // struct wf_ev_row
#include "core/launch.h" // struct wf_launch
#include "ir/ir.h"       // struct ir_program

struct prove_guard { // atomics of a site have to stay in these bytes of shared memory
    uint32_t site;
    uint64_t lo, hi;
};

struct prove_facts { // what a launch adds to its kernel
    const struct wf_launch *launch;
    const uint64_t *syms;   // addresses of the program's symbols
    uint64_t param_addr;    // where its parameters are seen
    uint64_t shared_window; // where the block's shared memory is seen by generic addresses
    uint32_t shared_bytes;
    bool is_fine;           // rows as they are; otherwise one from the first byte to the last of an access
    uint64_t heap_lo, heap_hi; // addresses outside are not global memory
};

struct prove_result {
    bool is_proven;
    bool has_atomics;
    bool is_ordered;      // what its atomics return may depend on who comes first
    const char *why_not;  // static text; NULL when proven
    uint32_t line;        // of the PTX text, 0: none
    struct wf_ev_row *rows; // heap, the caller's
    uint32_t n_rows;
    struct prove_guard *guards; // heap, the caller's: proven if these hold
    uint32_t n_guards;
    uint64_t accesses;    // sites that were walked through
};

// Can a proof of this kernel be had at all? NULL, or what stands against it.
const char *prove_hopeless(const struct ir_program *p);
void prove_launch(const struct ir_program *p, const struct prove_facts *x, struct prove_result *out);

#endif
