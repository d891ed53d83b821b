// SPDX-License-Identifier: Apache-2.0
// From CUDA sources to an executable that runs on our runtime, or to PTX text. Drives nvcc, or
// clang with our own headers (include/cuda). Results live in a content-addressed cache: the second
// build of the same sources, options and included headers only compares hashes. Safe for processes
// that run at once.
#ifndef WF_FRONT_FRONT_H
#define WF_FRONT_FRONT_H

#include <stdbool.h> // bool
#include <stddef.h>  // size_t
#include <stdint.h>  // uint32_t

#include "base/err.h"      // enum wf_status
#include "fatbin/fatbin.h" // struct wf_fatbin

enum wf_front_cc {
    WF_FRONT_CC_AUTO, // nvcc when it is on PATH, else clang
    WF_FRONT_CC_NVCC,
    WF_FRONT_CC_CLANG
};

struct wf_front_opts {
    const char *const *sources; // .cu .c .cc .cpp .cxx and .o .a; one at least
    size_t n_sources;
    const char *const *args; // passed on: -I -D -U -std -O -l -L -include -W -g -f -Xcompiler ...
    size_t n_args;
    enum wf_front_cc cc;
    bool is_check_build; // keep racing accesses where the source put them
    uint32_t sm;         // 90; 0 means 90
    const char *lib_dir; // holds libcudart.so.13; NULL: found beside the running executable
    const char
        *include_dir;      // our headers (the folder holding cuda_runtime.h); NULL: found likewise
    const char *cache_dir; // NULL: $XDG_CACHE_HOME/warpfence, else ~/.cache/warpfence
    bool no_cache;         // build anew (the result still goes into the cache)
    bool verbose;          // print each command to stderr
    bool is_link_only;     // objects alone will do
};

// Builds (or finds in the cache) the executable; its absolute path goes to exe_path. The compilers'
// messages go to stderr as they are; a failing compiler gives WF_E_INPUT with its name and exit
// status.
enum wf_status wf_front_build(const struct wf_front_opts *o, char *exe_path, size_t n,
                              struct wf_err *err);
// Like wf_front_build, then copies the executable to `dest` (for `warpfence build -o dest`).
enum wf_status wf_front_build_to(const struct wf_front_opts *o, const char *dest,
                                 struct wf_err *err);
// PTX of one input: a .cu source (compiled as wf_front_build would), an executable, a fat binary or
// PTX text. `out` as in fatbin.h.
enum wf_status wf_front_ptx(const struct wf_front_opts *o, struct wf_fatbin *out,
                            struct wf_err *err);

// In the place of nvcc in a build: takes its command line (argv behind the program's name), of which `o`
// tells what is not in it: compiler, check build, modelled GPU. The exit code, or -1 with err.
int wf_front_nvcc(const struct wf_front_opts *o, int argc, char **argv, struct wf_err *err);
// The folder that stands for a CUDA toolkit: bin/nvcc, include, lib64.
bool wf_front_toolkit(char *out, size_t n);

enum wf_front_kind {
    WF_FRONT_UNKNOWN, // also: no such file
    WF_FRONT_SOURCE,  // .cu .c .cc .cpp .cxx
    WF_FRONT_OBJECT,  // .o .a, to be linked
    WF_FRONT_PTX,
    WF_FRONT_FATBIN,
    WF_FRONT_EXE // any ELF executable
};
enum wf_front_kind wf_front_kind(const char *path); // by content for files that exist, else by name

// For `doctor`: where a compiler was found and its version line. False when it is missing; `hint`
// then says what to install.
struct wf_front_tool {
    char path[512], version[128], hint[256];
};
bool wf_front_find(enum wf_front_cc cc, struct wf_front_tool *out);

#endif
