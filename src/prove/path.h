// SPDX-License-Identifier: Apache-2.0
// Conditions on threads: forms that are not negative. What a predicate says when it holds and when it does not, and
// which threads are on a path.
#ifndef WF_PROVE_PATH_H
#define WF_PROVE_PATH_H

#include "prove/value.h" // struct form

#define PROVE_CONDS 12

struct conds { // all of them hold
    uint32_t n;
    bool is_exact; // and no other threads satisfy them
    const struct form *e[PROVE_CONDS];
};

struct pred {
    int8_t known; // 0, 1: in all threads; -1: not
    struct conds yes, no; // what follows from it; nothing and not exact when nothing is known
};

struct box { // the digits that threads on a path can have
    int64_t lo[PROVE_ATOMS], hi[PROVE_ATOMS];
};

// Both; is_exact as far as both are. Conditions that find no place are left out.
void prove__conds_add(const struct space *s, struct conds *c, const struct conds *more);
void prove__conds_at_least(struct space *s, struct conds *c, const struct form *a, int64_t k); // adds a >= k
int64_t prove__most(const struct space *s, const struct form *a, const struct conds *c);  // no thread has more
int64_t prove__least(const struct space *s, const struct form *a, const struct conds *c);
bool prove__is_nobody(const struct space *s, const struct conds *c); // surely no thread
void prove__box(struct space *s, const struct conds *c, struct box *b);
// a in threads of ca, b in those of cb.
const struct form *prove__either_of(struct space *s, const struct form *a, const struct conds *ca, const struct form *b,
                                    const struct conds *cb);
bool prove__conds_have_atoms(const struct conds *c, uint32_t from, uint32_t to);

#endif
