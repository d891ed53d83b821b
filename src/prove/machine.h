// SPDX-License-Identifier: Apache-2.0
// State of one walk through a kernel.
#ifndef WF_PROVE_MACHINE_H
#define WF_PROVE_MACHINE_H

#include "base/vec.h"    // WF_VEC
#include "prove/path.h"  // struct conds
#include "prove/prove.h" // struct prove_facts

struct touch { // what all threads of a path touch by one instruction
    const struct form *at; // address, or offset in shared memory
    const struct conds *who;
    struct box box;
    int64_t lo, hi;      // no byte below, none from hi on
    uint32_t bytes;
    uint32_t phase;      // full barriers passed
    uint32_t warp_run, warp_phase; // warp barriers passed; comparable within a run
    uint32_t line;
    bool is_shared, is_write, is_atomic;
    bool is_nc;      // reads past the memory model: not even its own thread's writes may be where it reads
    bool is_guarded; // atomics: the place depends on data, and is asked for as they run
    int64_t origin;  // guarded, global: the pointer that it was reached from
    uint32_t site;
    bool is_sure; // by each thread in `who`, and by no others
};

#define PROVE_LOCAL (INT64_C(1) << 50) // where local memory seems to lie: far from all other memory
#define PROVE_LOCAL_WORDS 256u         // as many are followed

union reg {
    const struct form *form; // NULL: nothing was computed yet
    const struct pred *pred;
};

struct half { // a register that was set where a predicate holds, and not yet where it does not
    const struct pred *pred; // the register's, as it was then
    bool negated;
    uint32_t reg;
    union reg value;
};
#define PROVE_HALVES 8

struct machine {
    struct space s;
    const struct ir_program *prog;
    const struct ir_func *f;
    const struct prove_facts *x;
    union reg *reg;   // [n_regs], then n_local words of local memory
    uint32_t n_local;
    uint32_t *meet; // by block: where the sides of its branch meet, n_blocks: nowhere
    WF_VEC(struct touch) touch;
    uint32_t phase, warp_run, warp_phase, warp_runs;
    const struct conds *path; // of the instruction under way
    struct half half[PROVE_HALVES]; // of the block that is walked through
    uint32_t n_half;
    uint32_t steps;
    bool is_ended; // all threads of the path have left the kernel
    const char *why;
    uint32_t line;
};

bool prove__fail(struct machine *m, const char *why, uint32_t line); // false
// step.c: one instruction, for the threads on the path. False: no proof.
bool prove__step(struct machine *m, const struct ir_insn *in, const struct conds *path);
const struct pred *prove__pred(struct machine *m, uint32_t reg, bool is_negated);
const struct pred *prove__pred_unknown(struct machine *m);
// reg holds a in threads of ca, b in those of cb.
void prove__join(struct machine *m, uint32_t reg, union reg a, const struct conds *ca, union reg b, const struct conds *cb);
// meet.c
bool prove__barrier(struct machine *m, const struct ir_insn *in, const struct conds *path, const struct pred *guard);
bool prove__warp_op(struct machine *m, const struct ir_insn *in, const struct conds *path);
// compare.c
const struct pred *prove__setp(struct machine *m, const struct ir_insn *in);
const struct pred *prove__pred_both(struct machine *m, const struct pred *a, const struct pred *b, bool is_or);
// a in threads of ca, b in those of cb.
const struct pred *prove__pred_either(struct machine *m, const struct pred *a, const struct conds *ca, const struct pred *b,
                                      const struct conds *cb);
const struct pred *prove__pred_not(struct machine *m, const struct pred *a);
const struct form *prove__operand(struct machine *m, const struct ir_src *s, unsigned bits);
// touch.c
// Does a load read the launch's parameters by their address? at: the first byte's place among them.
bool prove__is_parameter(struct machine *m, const struct ir_insn *in, int64_t *at);
bool prove__access(struct machine *m, const struct ir_insn *in, const struct conds *path);
// local.c
void prove__local_store(struct machine *m, const struct ir_insn *in, const struct pred *guard);
const struct form *prove__local_load(struct machine *m, const struct ir_insn *in, uint32_t element);
// walk.c
bool prove__walk(struct machine *m, uint32_t block, uint32_t stop, const struct conds *path, uint32_t depth);
// apart.c
bool prove__apart(struct machine *m);
// rows.c
bool prove__rows(struct machine *m, struct prove_result *out);

#endif
