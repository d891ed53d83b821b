// SPDX-License-Identifier: Apache-2.0
// Entry points by name. A name without its version suffix stands for the newest function of that name which
// the asked-for version of CUDA has, and for its per-thread form when that is wished.
#include "cuda/proc.h"

#include <string.h> // strcmp

#include "cuda/priv.h"

#define PER_THREAD_STREAM 2
enum { FOUND, NOT_FOUND, VERSION_TOO_OLD };

#define WF_API(symbol, base, since, form, state) WF_EXPORT CUresult symbol(void);
#include "cuda/api.def"
#undef WF_API

enum form { PLAIN, THREAD }; // THREAD: stream 0 is the calling thread's

static const struct entry {
    const char *symbol, *base;
    int since;
    enum form form;
    CUresult (*fn)(void);
} entries[] = {
#define WF_API(symbol, base, since, form, state) {#symbol, #base, since, form, symbol},
#include "cuda/api.def"
#undef WF_API
};
#define N (sizeof entries / sizeof *entries)

static const struct entry *newest(const char *base, int version, enum form form, bool *is_known)
{
    const struct entry *best = NULL;
    for (size_t i = 0; i < N; i++) {
        const struct entry *e = &entries[i];
        if (e->form != form || strcmp(e->base, base) != 0)
            continue;
        *is_known = true;
        if (e->since <= version && (!best || e->since >= best->since))
            best = e;
    }
    return best;
}

static const struct entry *find(const char *name, int version, bool is_per_thread, bool *is_known)
{
    const struct entry *e = is_per_thread ? newest(name, version, THREAD, is_known) : NULL;
    e = e ? e : newest(name, version, PLAIN, is_known);
    for (size_t i = 0; !e && !*is_known && i < N; i++)
        if (strcmp(entries[i].symbol, name) == 0) // with its suffix
            e = &entries[i];
    return e;
}

enum wf_cu wf__proc_find(const char *name, void **fn, int version, uint64_t flags, int *status)
{
    bool is_known = false;
    if (!name || !fn || flags > PER_THREAD_STREAM)
        return WF_CU_INVALID_VALUE;
    const struct entry *e = find(name, version, flags == PER_THREAD_STREAM, &is_known);
    *fn = NULL;
    if (e) // from a function to an object pointer, as dlsym has it
        memcpy(fn, &e->fn, sizeof *fn);
    if (status)
        *status = e ? FOUND : is_known ? VERSION_TOO_OLD : NOT_FOUND;
    return e ? WF_CU_SUCCESS : WF_CU_SYMBOL_NOT_FOUND;
}
