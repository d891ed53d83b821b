// SPDX-License-Identifier: Apache-2.0
// nvcc's command line as build systems write it, read once for both ways. Private to src/front.
#ifndef WF_FRONT_LINE_H
#define WF_FRONT_LINE_H

#include "front/priv.h"

enum wf__phase {
    WF__PHASE_LINK, // what is left when no option asks for less
    WF__PHASE_COMPILE,
    WF__PHASE_DEVICE_LINK,
    WF__PHASE_PTX,
    WF__PHASE_FATBIN, // machine code alone (-cubin) is made a fat binary, which loads where it would
    WF__PHASE_PREPROCESS,
    WF__PHASE_DEPENDS,
    WF__PHASE_ARCHIVE,
    WF__PHASE_ASK // --version, --help, lists of architectures
};

struct wf__line {
    struct wf_arena arena;
    enum wf__phase phase;
    struct wf__argv all;    // nvcc's way: the words, less those that choose architecture and runtime
    struct wf__argv inputs; // sources, objects, archives
    struct wf__argv rest;   // clang's way: options of the compilers
    const char *output, *dep_file, *dep_target;
    bool wants_deps, is_rdc, is_dryrun, is_verbose, has_lineinfo, has_debug, asks_version;
    uint32_t arch; // of those named: the newest that the modelled GPU can take, else the oldest; 0: none
    char arch_suffix;
};

// `sm`: the modelled GPU's.
enum wf_status wf__line_read(struct wf__line *l, uint32_t sm, int argc, char **argv, struct wf_err *err);
void wf__line_fini(struct wf__line *l);

// Folders beside the command: the one that stands for a CUDA toolkit, and our libraries'.
struct wf__wrap {
    const struct wf_front_opts *o;
    char toolkit[PATH_MAX], lib_dir[PATH_MAX];
};
// Each gives the exit code, or -1 with err.
int wf__wrap_nvcc(const struct wf__wrap *w, struct wf__line *l, const char *nvcc, struct wf_err *err);
int wf__wrap_clang(const struct wf__wrap *w, struct wf__line *l, struct wf_err *err);
// What build systems ask a compiler for, in the form in which they look for it.
void wf__say_version(void);
void wf__say_places(const struct wf__wrap *w, const struct wf__line *l);

#endif
