// SPDX-License-Identifier: Apache-2.0
// The nvcc way: each source to an object with machine code and PTX, then linked against our runtime
// in place of NVIDIA's.
#include <stdio.h>  // snprintf
#include <string.h> // strrchr

#include "front/priv.h"

static void add_common(struct wf__plan *p, struct wf__argv *v, bool is_compile)
{
    wf__argv_add(v, p->tool.path);
    if (is_compile && p->o->is_check_build) { // lines of host code; before the user's own wish
        wf__argv_add(v, "-Xcompiler");
        wf__argv_add(v, "-g1");
    }
    if (!p->has_arch)
        wf__argv_add(v, wf_arena_printf(&p->arena, "-arch=sm_%u", p->sm));
    // With "none" nvcc leaves out the device link of -rdc. NVIDIA's library has the name of ours,
    // so that the program needs it once, and finds ours.
    wf__argv_add(v, "-cudart");
    wf__argv_add(v, "shared");
    wf__argv_addv(v, &p->raw);
}

static void add_compile(struct wf__plan *p, struct wf__argv *v)
{
    add_common(p, v, true);
    wf__argv_add(v, "-lineinfo");
    if (p->o->is_check_build) { // cicc keeps every access where the source has it
        wf__argv_add(v, "-Xcicc");
        wf__argv_add(v, "-O0");
    }
}

static enum wf_status compile(struct wf__plan *p, const char *source, const char *object,
                              const char *dep, struct wf_err *err)
{
    struct wf__argv v = {0};
    add_compile(p, &v);
    const char *rest[] = {"-MD", "-MF", dep, "-c", source, "-o", object};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
        wf__argv_add(&v, rest[i]);
    enum wf_status st = wf__argv_run(&v, p->o->verbose, err);
    WF_VEC_FINI(&v);
    return st;
}

// nvcc hands -Wl, and friends to nobody; its own spelling is -Xlinker.
static void add_link_args(struct wf__plan *p, struct wf__argv *v)
{
    for (size_t i = 0; i < p->link.n; i++) {
        const char *arg = p->link.at[i];
        if (strncmp(arg, "-lcudart", 8) == 0) {
            continue; // -cudart says which
        } else if (strncmp(arg, "-Wl,", 4) == 0) {
            wf__argv_add(v, "-Xlinker");
            wf__argv_add(v, arg + 4);
        } else if (strncmp(arg, "-static", 7) == 0 || strcmp(arg, "-rdynamic") == 0 ||
                   strncmp(arg, "-f", 2) == 0 || strcmp(arg, "-pthread") == 0) {
            wf__argv_add(v, "-Xcompiler");
            wf__argv_add(v, arg);
        } else {
            wf__argv_add(v, arg);
        }
    }
}

// nvcc 12 makes programs for libcudart.so.12.
static const char *runtime_name(struct wf__plan *p)
{
    struct wf_front_tool about;
    bool is_12 = wf_front_find(WF_FRONT_CC_NVCC, &about) && strstr(about.version, "release 12.");
    return wf_arena_printf(&p->arena, "%s/libcudart.so.%s", p->lib_dir, is_12 ? "12" : "13");
}

enum wf_status wf__nvcc_build(struct wf__plan *p, const char *dir, const char *exe,
                              struct wf__argv *deps, struct wf_err *err)
{
    struct wf__argv v = {0};
    enum wf_status st = WF_OK;
    add_common(p, &v, false);
    for (size_t i = 0; st == WF_OK && i < p->sources.n; i++) {
        const char *object = wf_arena_printf(&p->arena, "%s/%zu.o", dir, i);
        const char *dep = wf_arena_printf(&p->arena, "%s/%zu.d", dir, i);
        wf__argv_add(&v, object);
        wf__argv_add(deps, dep);
        st = compile(p, p->sources.at[i], object, dep, err);
    }
    add_link_args(p, &v);
    const char *dep = wf_arena_printf(&p->arena, "%s/link.d", dir);
    const char *linker[] = {runtime_name(p),
                            // The old tag: LD_LIBRARY_PATH must not bring NVIDIA's runtime back.
                            "--disable-new-dtags", "-rpath", p->lib_dir,
                            wf_arena_printf(&p->arena, "--dependency-file=%s", dep)};
    for (size_t i = 0; i < sizeof linker / sizeof linker[0]; i++) {
        wf__argv_add(&v, "-Xlinker");
        wf__argv_add(&v, linker[i]);
    }
    wf__argv_add(&v, "-o");
    wf__argv_add(&v, exe);
    wf__argv_add(deps, dep);
    if (st == WF_OK)
        st = wf__argv_run(&v, p->o->verbose, err);
    WF_VEC_FINI(&v);
    return st;
}

enum wf_status wf__nvcc_ptx(struct wf__plan *p, const char *source, const char *ptx,
                            struct wf_err *err)
{
    struct wf__argv v = {0};
    add_compile(p, &v);
    const char *rest[] = {"-ptx", source, "-o", ptx};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
        wf__argv_add(&v, rest[i]);
    enum wf_status st = wf__argv_run(&v, p->o->verbose, err);
    WF_VEC_FINI(&v);
    return st;
}
