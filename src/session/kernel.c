// SPDX-License-Identifier: Apache-2.0
// One kernel of a PTX file, without a host program: arguments from words, memory made and printed
// here.
#include <inttypes.h> // PRIu32
#include <stdio.h>    // printf
#include <stdlib.h>   // free
#include <string.h>   // memcpy

#include "base/arena.h"   // wf_xcalloc
#include "base/crew.h"    // wf_crew_start
#include "base/file.h"    // wf_file_read
#include "core/trouble.h" // wf_trouble_add
#include "exec/exec.h"    // wf_module_load
#include "mem/space.h"    // wf_heap_alloc
#include "session/args.h"
#include "session/session.h"

#define PRINT_LIMIT 1024

struct job {
    const struct wf_options *o;
    struct wf_file text; // outlives the module
    struct wf_module *module;
    struct wf_kernel *kernel;
    const struct wf_kernel_info *info;
    const struct wf_space *space;
    struct wf_launch launch;
    struct wf__arg *arg;
    uint64_t *addr; // of memory arguments
    size_t n_args;
    uint8_t *params;
};

static const struct {
    enum wf_exec_result result;
    const char *sentence;
} endings[] = {
    {WF_RUN_FAULT, "an access outside its memory"},
    {WF_RUN_MISALIGNED, "a misaligned access"},
    {WF_RUN_TRAP, "a trap"},
    {WF_RUN_ASSERT, "a failed assertion"},
    {WF_RUN_HANG, "a hang"},
    {WF_RUN_ILLEGAL, "an illegal instruction"},
    {WF_RUN_CANCELLED, "an interrupt"},
};

static enum wf_status load(struct job *j, const char *path, struct wf_err *err)
{
    enum wf_status rc = wf_file_read(path, &j->text, err);
    if (rc != WF_OK)
        return rc;
    const char *const texts[] = {j->text.at};
    const uint64_t sizes[] = {j->text.n};
    return wf_module_load(path, texts, sizes, 1, &j->module, err);
}

static enum wf_status choose_kernel(struct job *j, const char *path, struct wf_err *err)
{
    uint32_t n = wf_module_kernel_count(j->module);
    if (*j->o->kernel) {
        j->kernel = wf_module_kernel(j->module, j->o->kernel);
        if (!j->kernel)
            wf_err_set(err, WF_E_USAGE, "%s has no kernel named %s", path, j->o->kernel);
    } else if (n == 1) {
        j->kernel = wf_module_kernel_at(j->module, 0);
    } else {
        wf_err_set(err, WF_E_USAGE, "%s holds %" PRIu32 " kernels: choose one with --kernel", path,
                   n);
    }
    if (!j->kernel) {
        if (n)
            wf_err_hint(err, "the first is %s",
                        wf_kernel_info(wf_module_kernel_at(j->module, 0))->name);
        return WF_E_USAGE;
    }
    j->info = wf_kernel_info(j->kernel);
    return WF_OK;
}

static enum wf_status make_memory(struct job *j, size_t i, struct wf_err *err)
{
    const struct wf__arg *a = &j->arg[i];
    enum wf_status rc = wf_heap_alloc(WF_MEM_DEVICE, a->count * wf__arg_bytes(a->type), 256, NULL,
                                      &j->addr[i], err);
    if (rc != WF_OK)
        return rc;
    rc = wf__arg_fill(a, wf_space_host(j->space, j->addr[i]), err);
    wf_heap_note_write(j->addr[i], a->count * wf__arg_bytes(a->type));
    return rc;
}

static enum wf_status set_args(struct job *j, struct wf_err *err)
{
    const struct wf_opt_list *words = &j->o->arg;
    if (words->n != j->info->n_params)
        return wf_err_set(err, WF_E_USAGE,
                          "%s takes %" PRIu32 " arguments, but --arg was given %zu times",
                          j->info->name, j->info->n_params, words->n);
    j->arg = wf_xcalloc(words->n, sizeof *j->arg);
    j->addr = wf_xcalloc(words->n, sizeof *j->addr);
    j->params = wf_xcalloc(j->info->param_total, 1);
    for (size_t i = 0; i < words->n; i++) {
        struct wf__arg *a = &j->arg[i];
        enum wf_status rc = wf__arg_parse(words->at[i], a, err);
        if (rc != WF_OK)
            return rc;
        j->n_args = i + 1;
        if (a->is_memory && (rc = make_memory(j, i, err)) != WF_OK)
            return rc;
        uint32_t bytes = a->is_memory ? 8 : wf__arg_bytes(a->type);
        if (bytes != j->info->param_bytes[i])
            return wf_err_set(err, WF_E_USAGE,
                              "argument %zu of %s has %" PRIu32 " bytes, --arg %s has %" PRIu32,
                              i + 1, j->info->name, j->info->param_bytes[i], words->at[i], bytes);
        memcpy(j->params + j->info->param_offset[i], a->is_memory ? (void *)&j->addr[i] : a->value,
               bytes);
    }
    return WF_OK;
}

static enum wf_status set_shape(struct job *j, struct wf_err *err)
{
    struct wf_launch *l = &j->launch;
    enum wf_status rc = wf__dim_parse("--grid", j->o->grid, &l->grid, err);
    if (rc == WF_OK)
        rc = wf__dim_parse("--block", j->o->block, &l->block, err);
    if (rc != WF_OK)
        return rc;
    uint64_t threads = (uint64_t)l->block.x * l->block.y * l->block.z;
    if (l->block.x > 1024 || l->block.y > 1024 || l->block.z > 64 || threads > 1024)
        return wf_err_set(err, WF_E_USAGE, "a block has at most 1024 threads (1024,1024,64)");
    if (l->grid.y > 65535 || l->grid.z > 65535)
        return wf_err_set(err, WF_E_USAGE, "a grid has at most 2147483647,65535,65535 blocks");
    const uint32_t *c = j->info->cluster;
    l->cluster = c[0] ? (struct wf_dim3){c[0], c[1], c[2]} : (struct wf_dim3){1, 1, 1};
    if (l->grid.x % l->cluster.x || l->grid.y % l->cluster.y || l->grid.z % l->cluster.z)
        return wf_err_set(err, WF_E_USAGE,
                          "the grid is no multiple of the kernel's cluster (%u,%u,%u)",
                          l->cluster.x, l->cluster.y, l->cluster.z);
    l->dynamic_shared = (uint32_t)j->o->shared;
    l->is_cooperative = j->o->cooperative;
    const struct wf_gpu *g = wf_gpu_default();
    uint64_t each = wf_gpu_blocks_per_sm(g, (uint32_t)threads, j->info->regs,
                                         j->info->shared_static, l->dynamic_shared);
    if (!each)
        return wf_err_set(err, WF_E_USAGE, "no block of %s fits on one SM of the modelled %s",
                          j->info->name, g->name);
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    if (l->is_cooperative && blocks > each * g->sm_count)
        return wf_err_set(err, WF_E_USAGE,
                          "a cooperative grid of %" PRIu64 " blocks does not fit on the "
                          "modelled %s, which holds %" PRIu64,
                          blocks, g->name, each * g->sm_count);
    return WF_OK;
}

static enum wf_status run(struct job *j, struct wf_err *err)
{
    struct wf_launch *l = &j->launch;
    l->id = wf_launch_next_id();
    l->kernel = j->info->name;
    l->params = j->params;
    l->param_bytes = j->info->param_total;
    enum wf_exec_result r = wf_exec_run(j->kernel, l, err);
    if (r == WF_RUN_OK)
        return WF_OK;
    if (r == WF_RUN_UNSUPPORTED) {
        wf_trouble_add(err, j->info->name);
        return WF_E_UNSUPPORTED;
    }
    const char *sentence = "a fault";
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (endings[i].result == r)
            sentence = endings[i].sentence;
    return wf_err_set(err, WF_E_STATE, "%s was ended by %s", j->info->name, sentence);
}

static void print_outputs(const struct job *j)
{
    for (size_t i = 0; i < j->n_args; i++) {
        if (!j->arg[i].is_output)
            continue;
        struct wf_str text = {0};
        wf__arg_print(&j->arg[i], wf_space_host(j->space, j->addr[i]), PRINT_LIMIT, &text);
        printf("argument %zu: %s\n", i + 1, wf_str_get(&text));
        wf_str_fini(&text);
    }
}

enum wf_status wf_session_run_ptx(const char *path, const struct wf_options *o, struct wf_err *err)
{
    struct job j = {.o = o, .space = wf_space_get(err)};
    if (!j.space)
        return WF_E_NOMEM;
    enum wf_status rc = load(&j, path, err);
    if (rc == WF_OK)
        rc = choose_kernel(&j, path, err);
    if (rc == WF_OK)
        rc = set_shape(&j, err);
    if (rc == WF_OK)
        rc = set_args(&j, err);
    if (rc == WF_OK)
        rc = run(&j, err);
    if (rc == WF_OK || rc == WF_E_STATE)
        print_outputs(&j);
    free(j.arg);
    free(j.addr);
    free(j.params);
    if (j.module)
        wf_module_unload(j.module);
    wf_file_fini(&j.text);
    return rc;
}

struct compilation {
    struct wf_module *module;
    struct wf_err *err;
    enum wf_status rc;
};

static void compile_all(void *arg)
{
    struct compilation *c = arg;
    for (uint32_t i = 0; c->rc == WF_OK && i < wf_module_kernel_count(c->module); i++)
        c->rc = wf_kernel_compile(wf_module_kernel_at(c->module, i), c->err);
}

enum wf_status wf_session_compile_ptx(const char *path, struct wf_err *err)
{
    struct job j = {0};
    enum wf_status rc = load(&j, path, err);
    struct compilation c = {.module = j.module, .err = err, .rc = rc};
    struct wf_crew_member *m = rc == WF_OK ? wf_crew_start(compile_all, &c) : NULL; // on a large stack
    if (m)
        wf_crew_wait(m);
    else if (rc == WF_OK)
        compile_all(&c);
    rc = c.rc;
    if (j.module)
        wf_module_unload(j.module);
    wf_file_fini(&j.text);
    return rc;
}
