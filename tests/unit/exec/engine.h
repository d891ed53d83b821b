// SPDX-License-Identifier: Apache-2.0
// Runs PTX kernels in the test's own process, at the lowest and at the usual optimization level. A kernel
// takes 64-bit parameters; memory is the device's, seen through engine_at.
#ifndef WF_TESTS_UNIT_EXEC_ENGINE_H
#define WF_TESTS_UNIT_EXEC_ENGINE_H

#include <stdio.h>  // snprintf
#include <stdlib.h> // exit
#include <string.h> // strlen

#include "core/settings.h"
#include "exec/exec.h"
#include "mem/space.h"

struct engine_run {
    const char *target;       // NULL: sm_90a
    const char *declarations; // module scope, may be NULL
    const char *registers;    // further ones
    const char *body;         // %p0, %p1, ... hold the parameters; ends by itself
    uint32_t n_params;
    uint64_t param[8];
    struct wf_dim3 grid, block, cluster; // 0 stands for 1
    uint32_t dynamic_shared;
    uint32_t opt; // LLVM's level
    bool streams; // stores go past the caches where they may
};

static inline const struct wf_space *engine_space(void)
{
    struct wf_err err = {0};
    const struct wf_space *s = wf_space_get(&err);
    if (!s) {
        printf("no device memory: %s\n", err.text);
        exit(1);
    }
    return s;
}

static inline uint64_t engine_alloc(uint64_t bytes)
{
    struct wf_err err = {0};
    uint64_t addr;
    engine_space();
    if (wf_heap_alloc(WF_MEM_DEVICE, bytes, 256, NULL, &addr, &err)) {
        printf("no memory: %s\n", err.text);
        exit(1);
    }
    memset(wf_space_host(engine_space(), addr), 0, bytes);
    return addr;
}

static inline void *engine_at(uint64_t addr)
{
    return wf_space_host(engine_space(), addr);
}

static inline char *engine_text(const struct engine_run *r)
{
    size_t room = 4096 + strlen(r->body) + (r->declarations ? strlen(r->declarations) : 0) +
                  (r->registers ? strlen(r->registers) : 0), n = 0;
    char *t = malloc(room);
    n += (size_t)snprintf(t + n, room - n, ".version 9.0\n.target %s\n.address_size 64\n%s\n.visible .entry k(",
                          r->target ? r->target : "sm_90a", r->declarations ? r->declarations : "");
    for (uint32_t i = 0; i < r->n_params; i++)
        n += (size_t)snprintf(t + n, room - n, "%s.param .u64 k_%u", i ? ", " : "", i);
    n += (size_t)snprintf(t + n, room - n, ")\n%s{\n.reg .b16 %%h<64>; .reg .b32 %%r<128>; .reg .b64 %%d<128>; .reg .pred %%q<32>;\n"
                          ".reg .f32 %%f<128>; .reg .f64 %%g<64>; .reg .b64 %%p<8>;\n%s\n",
                          r->cluster.x > 1 ? ".explicitcluster " : "", r->registers ? r->registers : "");
    for (uint32_t i = 0; i < r->n_params; i++)
        n += (size_t)snprintf(t + n, room - n, "ld.param.u64 %%p%u, [k_%u];\n", i, i);
    snprintf(t + n, room - n, "%s\nret;\n}\n", r->body);
    return t;
}

// Modules stay loaded, and known to leak checkers.
static struct wf_module *engine_kept[256];
static unsigned engine_n_kept;

static inline enum wf_exec_result engine_try(const struct engine_run *r, struct wf_err *err)
{
    struct wf_settings s = *wf_settings();
    char *text = engine_text(r);
    uint64_t size = strlen(text);
    struct wf_module *m;
    s.jit_opt = r->opt;
    s.stream_bytes = r->streams;
    wf_settings_set(&s);
    if (wf_module_load("test.ptx", (const char *const *)&text, &size, 1, &m, err)) {
        printf("%s\n%s\n", err->text, text);
        exit(1);
    }
    struct wf_launch l = {.id = wf_launch_next_id(), .kernel = "k", .grid = r->grid, .block = r->block, .cluster = r->cluster,
                          .dynamic_shared = r->dynamic_shared, .params = r->param, .param_bytes = 8 * r->n_params};
    struct wf_dim3 *d[3] = {&l.grid, &l.block, &l.cluster};
    for (int i = 0; i < 3; i++) {
        d[i]->x = d[i]->x ? d[i]->x : 1;
        d[i]->y = d[i]->y ? d[i]->y : 1;
        d[i]->z = d[i]->z ? d[i]->z : 1;
    }
    enum wf_exec_result got = wf_exec_run(wf_module_kernel(m, "k"), &l, err);
    engine_kept[engine_n_kept++ % 256] = m;
    free(text);
    return got;
}

static inline void engine_go(const struct engine_run *r)
{
    struct wf_err err = {0};
    enum wf_exec_result got = engine_try(r, &err);
    if (got != WF_RUN_OK) {
        printf("the run ended with %d: %s\n", (int)got, err.text);
        exit(1);
    }
}

#define ENGINE_EACH_LEVEL(o) for (uint32_t o = 0; o <= 2; o += 2)

#endif
