// SPDX-License-Identifier: Apache-2.0
// What the files of this folder share: a sorted command line, the compilers, the cache.
#ifndef WF_FRONT_PRIV_H
#define WF_FRONT_PRIV_H

#include <limits.h> // PATH_MAX

#include "base/arena.h" // struct wf_arena
#include "base/vec.h"   // WF_PUSH
#include "front/front.h"
#include "front/hash.h"

struct wf__argv { // NULL-terminated once wf__argv_run saw it
    const char **at;
    size_t n, cap;
};
void wf__argv_add(struct wf__argv *v, const char *arg);
void wf__argv_addv(struct wf__argv *v, const struct wf__argv *more);
// Runs it, its messages going where ours go; a non-zero exit is WF_E_INPUT.
enum wf_status wf__argv_run(struct wf__argv *v, bool verbose, struct wf_err *err);

// One build, sorted. Strings are in the arena or borrowed from the options.
struct wf__plan {
    struct wf_arena arena;
    const struct wf_front_opts *o;
    enum wf_front_cc cc; // never AUTO
    struct wf_front_tool tool;
    uint32_t sm;
    struct wf__argv sources;
    struct wf__argv raw;    // nvcc: compile options as they came
    struct wf__argv common; // clang: device and host
    struct wf__argv host;   // clang: host only
    struct wf__argv device; // clang: device only
    struct wf__argv link;   // both: objects, libraries, linker options
    bool has_arch;          // the user chose -arch or -gencode
    bool is_rdc, is_forced_cuda;
    char lib_dir[PATH_MAX], include_dir[PATH_MAX], cache_dir[PATH_MAX];
};
enum wf_status wf__plan_init(struct wf__plan *p, const struct wf_front_opts *o, bool needs_lib,
                             struct wf_err *err);
void wf__plan_fini(struct wf__plan *p);
enum wf_status wf__plan_sort_args(struct wf__plan *p, struct wf_err *err);
bool wf__is_source_name(const char *path);
bool wf__is_link_input(const char *path);
bool wf__is_cuda_source(const struct wf__plan *p, const char *path);

// Compile all sources in `dir` and link them to `exe`; names of dependency files go to `deps`.
enum wf_status wf__nvcc_build(struct wf__plan *p, const char *dir, const char *exe,
                              struct wf__argv *deps, struct wf_err *err);
enum wf_status wf__clang_build(struct wf__plan *p, const char *dir, const char *exe,
                               struct wf__argv *deps, struct wf_err *err);
// PTX of one CUDA source into the file `ptx`.
enum wf_status wf__nvcc_ptx(struct wf__plan *p, const char *source, const char *ptx,
                            struct wf_err *err);
enum wf_status wf__clang_ptx(struct wf__plan *p, const char *source, const char *ptx,
                             const char *dep, struct wf_err *err);

// Pieces of the clang way: source i to an object, PTX to a fat binary, the host pass's first words.
enum wf_status wf__clang_object(struct wf__plan *p, const char *dir, size_t i, const char *object,
                                struct wf__argv *deps, struct wf_err *err);
enum wf_status wf__clang_wrap(struct wf__plan *p, const char *source, const char *ptx,
                              const char *fatbin, struct wf_err *err);
void wf__clang_host_args(struct wf__plan *p, struct wf__argv *v);

// A real nvcc: not this program by that name.
bool wf__find_nvcc(char *out, size_t n);
// The first of the folders `tails` beside or above this program that holds `probe`; find_dir asks the
// option and the environment variable first.
bool wf__find_beside(const char *const *tails, const char *probe, char *out, size_t n);
enum wf_status wf__find_dir(const char *given, const char *variable, const char *const *tails,
                            const char *probe, char *out, struct wf_err *err);

// nvcc's liberties made acceptable to clang: true when `out` differs from `text`.
bool wf__dialect_mend(const char *text, struct wf_str *out);
// Writes the mended source to `copy` if there is something to mend; *remap is then clang's
// -remap-file value.
enum wf_status wf__dialect_source(struct wf__plan *p, const char *source, const char *copy,
                                  const char **remap, struct wf_err *err);
// Adds the cluster shapes that the LLVM module `ll` notes to the kernels in `ptx`.
void wf__cluster_mark(const char *ll, struct wf_str *ptx);
// The same for __managed__ variables; true when there are any.
bool wf__managed_mark(const char *ll, struct wf_str *ptx);
// The LLVM module `ll` with the places of early returns held; false when there are none.
bool wf__leave_mark(const char *ll, struct wf_str *out);
// Makes the host part of one of several sources (-rdc) register with our runtime.
enum wf_status wf__part_mark(const char *module, struct wf_err *err);

// Names in a Makefile rule "target: a b \ c", added to `out` (strings in the arena).
enum wf_status wf__deps_read(const char *path, struct wf_arena *arena, struct wf__argv *out,
                             struct wf_err *err);

// The cache: see cache.c. `exe_path` is set when the lookup succeeds.
void wf__cache_key(const struct wf__plan *p, char key[WF__HASH_TEXT]);
bool wf__cache_find(const struct wf__plan *p, const char *key, char *exe_path, size_t n);
// Moves `dir` (holding the executable `name`) into the cache and notes what it depends on.
enum wf_status wf__cache_store(struct wf__plan *p, const char *key, const char *dir,
                               const char *name, const struct wf__argv *deps, int64_t started_ns,
                               char *exe_path, size_t n, struct wf_err *err);

#endif
