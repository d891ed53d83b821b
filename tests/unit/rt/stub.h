// SPDX-License-Identifier: Apache-2.0
// A small engine for the runtime's tests: a module of kernels written in C, whatever the PTX text
// says. Kernels: noop(), put(u64 addr, u32 value), wait(u64 flag), slow(u64 addr, u32 value),
// fault(), trap(). Variables: gvar (device, 40 bytes), mvar (managed, 4 bytes).
#ifndef WF_TESTS_RT_STUB_H
#define WF_TESTS_RT_STUB_H

#include <stdatomic.h> // atomic_int
#include <string.h>    // strcmp
#include <time.h>      // nanosleep

#include "fatbin/fatbin.h" // wf_fatbin_wrap
#include "mem/space.h"     // wf_space_host
#include "rt/engine.h"     // wf__engine
#include "rt/launch.h"     // wf_rt_launch
#include "rt/module.h"     // wf_rt_image_register
#include "test.h"

struct wf_kernel {
    struct wf_kernel_info info;
    enum wf_exec_result (*run)(const unsigned char *params);
};
struct wf_module {
    struct wf_kernel kernel[8];
    uint32_t n;
    uint64_t gvar, mvar;
};

static atomic_int stub_loads, stub_runs;

static inline void stub_sleep_ms(long ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

static inline void *stub_host(uint64_t addr)
{
    return wf_space_host(wf_space_get(NULL), addr);
}

static enum wf_exec_result stub_noop(const unsigned char *p)
{
    (void)p;
    return WF_RUN_OK;
}
static enum wf_exec_result stub_put(const unsigned char *p)
{
    uint64_t addr;
    memcpy(&addr, p, 8);
    memcpy(stub_host(addr), p + 8, 4);
    return WF_RUN_OK;
}
static enum wf_exec_result stub_slow(const unsigned char *p)
{
    stub_sleep_ms(60);
    return stub_put(p);
}
static enum wf_exec_result stub_wait(const unsigned char *p)
{
    uint64_t addr;
    memcpy(&addr, p, 8);
    while (!atomic_load((atomic_int *)stub_host(addr)))
        stub_sleep_ms(1);
    return WF_RUN_OK;
}
static enum wf_exec_result stub_fault(const unsigned char *p)
{
    (void)p;
    return WF_RUN_FAULT;
}
static enum wf_exec_result stub_trap(const unsigned char *p)
{
    (void)p;
    return WF_RUN_TRAP;
}

static inline void stub_add(struct wf_module *m, const char *name, uint32_t n_params,
                            enum wf_exec_result (*run)(const unsigned char *))
{
    static const uint32_t offset[2] = {0, 8}, bytes[2] = {8, 4};
    m->kernel[m->n++] = (struct wf_kernel){{.name = name,
                                            .n_params = n_params,
                                            .param_offset = offset,
                                            .param_bytes = bytes,
                                            .param_total = n_params == 2 ? 12 : n_params * 8,
                                            .ptx_version = 90,
                                            .sm = 90},
                                           run};
}

static enum wf_status stub_load(const char *name, const char *const *texts, const uint64_t *sizes,
                                uint32_t n, struct wf_module **out, struct wf_err *err)
{
    (void)name, (void)texts, (void)sizes, (void)n;
    struct wf_module *m = calloc(1, sizeof *m);
    stub_loads++;
    stub_add(m, "noop", 0, stub_noop);
    stub_add(m, "put", 2, stub_put);
    stub_add(m, "wait", 1, stub_wait);
    stub_add(m, "slow", 2, stub_slow);
    stub_add(m, "fault", 0, stub_fault);
    stub_add(m, "trap", 0, stub_trap);
    stub_add(m, "bounded", 0, stub_noop);
    m->kernel[m->n - 1].info.maxntid[0] = 128;
    m->kernel[m->n - 1].info.maxntid[1] = m->kernel[m->n - 1].info.maxntid[2] = 1;
    stub_add(m, "pair", 0, stub_noop);
    for (int d = 0; d < 3; d++)
        m->kernel[m->n - 1].info.cluster[d] = d == 0 ? 2 : 1;
    enum wf_status rc = wf_heap_alloc(WF_MEM_MODULE, 40, 0, "gvar", &m->gvar, err);
    if (rc == WF_OK)
        rc = wf_heap_alloc(WF_MEM_MANAGED, 4, 0, "mvar", &m->mvar, err);
    *out = m;
    return rc;
}
static void stub_unload(struct wf_module *m)
{
    wf_heap_free(m->gvar, NULL, NULL);
    wf_heap_free(m->mvar, NULL, NULL);
    free(m);
}
static struct wf_kernel *stub_kernel(struct wf_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->n; i++)
        if (strcmp(m->kernel[i].info.name, name) == 0)
            return &m->kernel[i];
    return NULL;
}
static uint32_t stub_count(const struct wf_module *m)
{
    return m->n;
}
static struct wf_kernel *stub_at(struct wf_module *m, uint32_t i)
{
    return &m->kernel[i];
}
static bool stub_var(const struct wf_module *m, const char *name, uint64_t *addr, uint64_t *bytes,
                     bool *is_managed)
{
    *is_managed = strcmp(name, "mvar") == 0;
    *addr = *is_managed ? m->mvar : m->gvar;
    *bytes = *is_managed ? 4 : 40;
    return *is_managed || strcmp(name, "gvar") == 0;
}
static const struct wf_kernel_info *stub_info(const struct wf_kernel *k)
{
    return &k->info;
}
static void stub_regs(struct wf_kernel *k, uint32_t regs)
{
    k->info.regs = regs;
}
static enum wf_exec_result stub_run(struct wf_kernel *k, const struct wf_launch *l,
                                    struct wf_err *e)
{
    (void)e;
    stub_runs++;
    return k->run(l->params);
}

static const struct wf__engine stub_engine = {stub_load,  stub_unload, stub_kernel,
                                              stub_count, stub_at,     stub_var, NULL,
                                              stub_info,  stub_regs,   stub_run};

// Where the program's constructors would have registered: host addresses of kernels and variables.
static char host_noop, host_put, host_wait, host_slow, host_fault, host_trap, host_bounded,
    host_pair, host_gvar;
static void *host_mvar;
static struct wf_rt_image *stub_image;

__attribute__((constructor)) static void stub_setup(void)
{
    static struct wf_str bin;
    static struct {
        uint32_t magic, version;
        const void *data;
        void *more;
    } wrapper = {0x466243b1, 1, NULL, NULL};
    static const char text[] = ".version 9.0\n.target sm_90\n.address_size 64\n";
    wf__engine = &stub_engine;
    if (wf_fatbin_wrap(text, sizeof text - 1, "stub.cu", 90, false, &bin, NULL) != WF_OK)
        abort();
    wrapper.data = bin.at;
    stub_image = wf_rt_image_register(&wrapper);
    wf_rt_image_function(stub_image, &host_noop, "noop");
    wf_rt_image_function(stub_image, &host_put, "put");
    wf_rt_image_function(stub_image, &host_wait, "wait");
    wf_rt_image_function(stub_image, &host_slow, "slow");
    wf_rt_image_function(stub_image, &host_fault, "fault");
    wf_rt_image_function(stub_image, &host_trap, "trap");
    wf_rt_image_function(stub_image, &host_bounded, "bounded");
    wf_rt_image_function(stub_image, &host_pair, "pair");
    wf_rt_image_variable(stub_image, &host_gvar, "gvar", 40);
    wf_rt_image_managed(stub_image, &host_mvar, "mvar", 4);
}

static inline struct wf_rt_launch stub_shape(uint32_t grid, uint32_t block, uint64_t stream,
                                             void **args)
{
    return (struct wf_rt_launch){
        .grid = {grid, 1, 1}, .block = {block, 1, 1}, .stream = stream, .args = args};
}

static inline enum wf_cu stub_launch(const void *host, const struct wf_rt_launch *l)
{
    struct wf_rt_function *f;
    enum wf_cu e = wf_rt_function_find(host, &f);
    return e == WF_CU_SUCCESS ? wf_rt_launch(f, l) : e;
}

// A kernel with an address and a value, one block of one thread.
static inline enum wf_cu stub_go(const void *host, uint64_t stream, uint64_t addr, uint32_t value)
{
    void *args[] = {&addr, &value};
    struct wf_rt_launch l = stub_shape(1, 1, stream, args);
    return stub_launch(host, &l);
}

#endif
