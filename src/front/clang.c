// SPDX-License-Identifier: Apache-2.0
// The clang way, which needs no file of NVIDIA's: a device pass to PTX, our fat binary around it, a
// host pass that embeds it, a link against our runtime.
//
// The check build keeps racing accesses where the source has them: the middle end is not run at all
// (only functions marked always_inline, which is what our headers are made of, are folded in), and
// of the code generator the one pass that moves loads out of loops is off. Measured: a plain `while
// (*f == 0);` stays a loop with its load.
#include <stdio.h>  // snprintf
#include <string.h> // strrchr

#include "base/file.h"
#include "front/priv.h"

#define PTX_FEATURE "+ptx85" // the newest that clang 19 writes
// The newest SDK that clang 19 knows. Told of none, or of a newer one, it makes the kernel calls of
// CUDA 9.1.
#define SDK_VERSION "12.5"

static void add_all(struct wf__argv *v, const char *const *args)
{
    for (; *args; args++)
        wf__argv_add(v, *args);
}

// What both passes of a CUDA source share; remap from dialect.c, or NULL.
static void add_cuda(struct wf__plan *p, struct wf__argv *v, const char *remap)
{
    const char *args[] = {p->tool.path, "-x", "cuda", "-nocudainc", "-nocudalib",
                          "--cuda-path=/nonexistent", "-Wno-unknown-cuda-version",
                          // nvcc's spelling of attributes and pragmas is met often
                          "-Wno-unknown-pragmas", "-Wno-unused-command-line-argument", "-Xclang",
                          "-target-sdk-version=" SDK_VERSION,
                          wf_arena_printf(&p->arena, "--cuda-gpu-arch=sm_%u", p->sm), "-isystem",
                          p->include_dir, "-include", "cuda_runtime.h", "-std=c++17", NULL};
    add_all(v, args);
    if (remap) {
        const char *remapped[] = {"-Xclang", "-remap-file", "-Xclang", remap, NULL};
        add_all(v, remapped);
    }
    wf__argv_addv(v, &p->common);
}

static void add_device(struct wf__plan *p, struct wf__argv *v, const char *remap)
{
    const char *args[] = {"--cuda-device-only",
                          "--cuda-feature=" PTX_FEATURE,
                          "-gline-tables-only",
                          "-fno-finite-loops",
                          "-fno-exceptions",
                          "-w", // the host pass reads the same text and warns of it
                          NULL};
    add_cuda(p, v, remap);
    add_all(v, args);
    if (p->is_rdc) { // functions and variables of other sources; the runtime links the texts
        wf__argv_add(v, "-fgpu-rdc");
        wf__argv_add(v, "-fuse-cuid=none");
    }
    wf__argv_addv(v, &p->device);
}

static enum wf_status run(struct wf__plan *p, struct wf__argv *v, struct wf_err *err)
{
    enum wf_status st = wf__argv_run(v, p->o->verbose, err);
    WF_VEC_FINI(v);
    return st;
}

// Source to a textual LLVM module. All optimization happens here.
static enum wf_status to_module(struct wf__plan *p, const char *source, const char *module,
                                const char *dep, const char *remap, struct wf_err *err)
{
    static const char *const plain[] = {
        "-O0", "-Xclang", "-disable-O0-optnone", "-Xclang", "-debug-info-kind=line-directives-only",
        NULL};
    static const char *const optimized[] = {"-O3", NULL};
    struct wf__argv v = {0};
    add_device(p, &v, remap);
    add_all(&v, p->o->is_check_build ? plain : optimized);
    const char *output[] = {"-MD", "-MF", dep, "-emit-llvm", "-S", source, "-o", module, NULL};
    add_all(&v, output);
    return run(p, &v, err);
}

static enum wf_status hold_returns(const char *module, struct wf_err *err)
{
    struct wf_file ll;
    struct wf_str out = {0};
    enum wf_status st = wf_file_read(module, &ll, err);
    if (st != WF_OK)
        return st;
    if (wf__leave_mark(ll.at, &out))
        st = wf_file_write_atomic(module, out.at, out.n, err);
    wf_str_fini(&out);
    wf_file_fini(&ll);
    return st;
}

static enum wf_status generate(struct wf__plan *p, const char *module, const char *ptx,
                               struct wf_err *err)
{
    struct wf__argv v = {0};
    const char *args[] = {p->tool.path,
                          "-x",
                          "ir",
                          module,
                          "--target=nvptx64-nvidia-cuda",
                          "-Wno-override-module",
                          "-Xclang",
                          "-target-cpu",
                          "-Xclang",
                          wf_arena_printf(&p->arena, "sm_%u", p->sm),
                          "-Xclang",
                          "-target-feature",
                          "-Xclang",
                          PTX_FEATURE,
                          "-Xclang",
                          "-disable-llvm-passes",
                          "-S",
                          "-o",
                          ptx,
                          NULL};
    add_all(&v, args);
    if (p->o->is_check_build) {
        wf__argv_add(&v, "-O1");
        wf__argv_add(&v, "-mllvm");
        wf__argv_add(&v, "-disable-machine-licm");
    } else {
        wf__argv_add(&v, "-O3");
    }
    return run(p, &v, err);
}

// What clang could not say in PTX, taken from the module.
static enum wf_status complete(const char *module, const char *ptx, bool *has_managed, struct wf_err *err)
{
    struct wf_file ll, text;
    struct wf_str out = {0};
    enum wf_status st = wf_file_read(module, &ll, err);
    if (st != WF_OK)
        return st;
    st = wf_file_read(ptx, &text, err);
    if (st == WF_OK) {
        wf_str_addn(&out, text.at, text.n);
        wf__cluster_mark(ll.at, &out);
        *has_managed = wf__managed_mark(ll.at, &out);
        if (out.n != text.n)
            st = wf_file_write_atomic(ptx, out.at, out.n, err);
        wf_file_fini(&text);
    }
    wf_str_fini(&out);
    wf_file_fini(&ll);
    return st;
}

static enum wf_status device_pass(struct wf__plan *p, const char *source, const char *ptx,
                                  const char *dep, const char *remap, bool *has_managed,
                                  struct wf_err *err)
{
    const char *module = wf_arena_printf(&p->arena, "%s.ll", ptx);
    enum wf_status st = to_module(p, source, module, dep, remap, err);
    if (st == WF_OK && p->o->is_check_build)
        st = hold_returns(module, err);
    if (st == WF_OK)
        st = generate(p, module, ptx, err);
    return st == WF_OK ? complete(module, ptx, has_managed, err) : st;
}

enum wf_status wf__clang_ptx(struct wf__plan *p, const char *source, const char *ptx,
                             const char *dep, struct wf_err *err)
{
    const char *remap, *copy = wf_arena_printf(&p->arena, "%s.cu", ptx);
    enum wf_status st = wf__dialect_source(p, source, copy, &remap, err);
    bool has_managed;
    return st == WF_OK ? device_pass(p, source, ptx, dep, remap, &has_managed, err) : st;
}

enum wf_status wf__clang_wrap(struct wf__plan *p, const char *source, const char *ptx,
                              const char *fatbin, struct wf_err *err)
{
    struct wf_file text;
    struct wf_str image = {0};
    enum wf_status st = wf_file_read(ptx, &text, err);
    if (st != WF_OK)
        return st;
    st = wf_fatbin_wrap(text.at, text.n, source, p->sm, true, &image, err);
    if (st == WF_OK)
        st = wf_file_write_atomic(fatbin, image.at, image.n, err);
    wf_str_fini(&image);
    wf_file_fini(&text);
    return st;
}

// The host part of one of several sources, optimized already.
static enum wf_status part_object(struct wf__plan *p, const char *module, const char *object,
                                  struct wf_err *err)
{
    struct wf__argv v = {0};
    const char *args[] = {p->tool.path, "-x", "ir", module, "-O1", "-fPIC", "-Wno-override-module",
                          "-c", "-o", object, NULL};
    enum wf_status st = wf__part_mark(module, err);
    if (st != WF_OK)
        return st;
    add_all(&v, args);
    return run(p, &v, err);
}

static enum wf_status compile_cuda(struct wf__plan *p, const char *dir, size_t i,
                                   const char *object, const char *dep, struct wf__argv *deps,
                                   struct wf_err *err)
{
    const char *source = p->sources.at[i];
    const char *ptx = wf_arena_printf(&p->arena, "%s/%zu.ptx", dir, i);
    const char *fatbin = wf_arena_printf(&p->arena, "%s/%zu.fatbin", dir, i);
    const char *device_dep = wf_arena_printf(&p->arena, "%s/%zu.device.d", dir, i);
    const char *remap, *copy = wf_arena_printf(&p->arena, "%s/%zu.cu", dir, i);
    struct wf__argv v = {0};
    bool has_managed = false;
    enum wf_status st = wf__dialect_source(p, source, copy, &remap, err);
    if (st == WF_OK)
        st = device_pass(p, source, ptx, device_dep, remap, &has_managed, err);
    if (st == WF_OK)
        st = wf__clang_wrap(p, source, ptx, fatbin, err);
    if (st != WF_OK)
        return st;
    wf__argv_add(deps, device_dep);
    add_cuda(p, &v, remap);
    const char *args[] = {"--cuda-host-only",
                          "-Xclang",
                          "-fcuda-include-gpubinary",
                          "-Xclang",
                          fatbin,
                          p->o->is_check_build ? "-O1" : "-O2",
                          "-gline-tables-only",
                          NULL};
    const char *module = wf_arena_printf(&p->arena, "%s/%zu.host.ll", dir, i);
    const char *output[] = {"-MD", "-MF", dep, "-c", source, "-o", object, NULL};
    const char *part[] = {"-DWF_IS_RELOCATABLE", "-fgpu-rdc", "-fuse-cuid=none", "-MD", "-MF", dep,
                          "-emit-llvm", "-S", source, "-o", module, NULL};
    add_all(&v, args);
    if (has_managed) // the runtime learns of it when the module is registered: cuda_runtime.h
        wf__argv_add(&v, "-DWF_HAS_MANAGED");
    wf__argv_addv(&v, &p->host);
    add_all(&v, p->is_rdc ? part : output);
    st = run(p, &v, err);
    return st == WF_OK && p->is_rdc ? part_object(p, module, object, err) : st;
}

static enum wf_status compile_host(struct wf__plan *p, size_t i, const char *object,
                                   const char *dep, struct wf_err *err)
{
    struct wf__argv v = {0};
    const char *args[] = {p->tool.path, "-isystem",           p->include_dir,
                          "-O2",        "-gline-tables-only", "-Wno-unused-command-line-argument",
                          NULL};
    const char *output[] = {"-MD", "-MF", dep, "-c", p->sources.at[i], "-o", object, NULL};
    add_all(&v, args);
    const char *suffix = strrchr(p->sources.at[i], '.');
    bool is_c = suffix && strcmp(suffix, ".c") == 0;
    for (size_t k = 0; k < p->common.n; k++) // -std=c++17 is for the CUDA sources beside it
        if (!is_c || strncmp(p->common.at[k], "-std=c++", 8) != 0)
            wf__argv_add(&v, p->common.at[k]);
    wf__argv_addv(&v, &p->host);
    add_all(&v, output);
    return run(p, &v, err);
}

enum wf_status wf__clang_object(struct wf__plan *p, const char *dir, size_t i, const char *object,
                                struct wf__argv *deps, struct wf_err *err)
{
    const char *dep = wf_arena_printf(&p->arena, "%s/%zu.d", dir, i);
    wf__argv_add(deps, dep);
    return wf__is_cuda_source(p, p->sources.at[i])
               ? compile_cuda(p, dir, i, object, dep, deps, err)
               : compile_host(p, i, object, dep, err);
}

void wf__clang_host_args(struct wf__plan *p, struct wf__argv *v)
{
    add_cuda(p, v, NULL);
    wf__argv_add(v, "--cuda-host-only");
    wf__argv_addv(v, &p->host);
}

// The user's libraries. NVIDIA's own are ours, or not needed.
static void add_libraries(struct wf__plan *p, struct wf__argv *v)
{
    for (size_t i = 0; i < p->link.n; i++) {
        const char *arg = p->link.at[i];
        if (strcmp(arg, "-lcuda") == 0)
            wf__argv_add(v, wf_arena_printf(&p->arena, "%s/libcuda.so.1", p->lib_dir));
        else if (strncmp(arg, "-lcudart", 8) != 0 && strcmp(arg, "-lcudadevrt") != 0)
            wf__argv_add(v, arg);
    }
}

enum wf_status wf__clang_build(struct wf__plan *p, const char *dir, const char *exe,
                               struct wf__argv *deps, struct wf_err *err)
{
    struct wf__argv v = {0};
    enum wf_status st = WF_OK;
    wf__argv_add(&v, p->tool.path);
    wf__argv_add(&v, "--driver-mode=g++");
    for (size_t i = 0; st == WF_OK && i < p->sources.n; i++) {
        const char *object = wf_arena_printf(&p->arena, "%s/%zu.o", dir, i);
        wf__argv_add(&v, object);
        st = wf__clang_object(p, dir, i, object, deps, err);
    }
    const char *dep = wf_arena_printf(&p->arena, "%s/link.d", dir);
    const char *tail[] = {wf_arena_printf(&p->arena, "%s/libcudart.so.13", p->lib_dir),
                          // The old tag: LD_LIBRARY_PATH must not bring NVIDIA's runtime back.
                          "-Xlinker", "--disable-new-dtags", "-Xlinker", "-rpath", "-Xlinker",
                          p->lib_dir, wf_arena_printf(&p->arena, "-Wl,--dependency-file=%s", dep),
                          "-o", exe, NULL};
    add_libraries(p, &v);
    add_all(&v, tail);
    wf__argv_add(deps, dep);
    if (st == WF_OK)
        return run(p, &v, err);
    WF_VEC_FINI(&v);
    return st;
}
