// SPDX-License-Identifier: Apache-2.0
// From a launch call to an operation in a stream. What CUDA refuses is refused here, with its codes
// (measured on an H200, runtime 13.0: a bad shape or too much shared memory is INVALID_VALUE).
#include "rt/launch.h"

#include <pthread.h> // pthread_mutex_t
#include <stdio.h>   // snprintf
#include <stdlib.h>  // free
#include <string.h>  // memcpy

#include "base/arena.h"    // wf_xcalloc
#include "core/finding.h"  // wf_finding_add
#include "core/settings.h" // wf_settings
#include "core/trouble.h"  // wf_trouble_add
#include "mem/fault.h"     // wf_mem_fault_install
#include "rt/ctx.h"        // wf_rt_enter
#include "rt/engine.h"     // wf__engine
#include "rt/event.h"      // wf_rt_event_record
#include "rt/graph_priv.h" // wf__capture_take
#include "rt/module.h"     // wf__module_kernel
#include "rt/order.h"      // wf__order_of
#include "rt/queue.h"      // struct wf__op
#include "rt/stream.h"     // wf__stream_find

#define MAX_THREADS 1024u
#define PORTABLE_CLUSTER 8u
#define LARGEST_CLUSTER 16u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // functions' states

// The launch of this thread that failed and whose error nobody has asked for yet.
static _Thread_local struct {
    bool is_pending;
    char kernel[256], why[256];
} unseen;

void wf__function_state_init(struct wf__function_state *s)
{
    *s = (struct wf__function_state){.max_dynamic = -1, .carveout = -1};
}

void wf__launch_note_checked(void)
{
    unseen.is_pending = false;
}

static void report(const char *kernel, const char *sentence, const char *why, const char *fix)
{
    struct wf_finding f = wf_finding_make(WF_F_LAUNCH_CONFIG, kernel, 0); // the store copies names
    snprintf(f.sentence, sizeof f.sentence, "the kernel never ran: %s", sentence);
    snprintf(f.why, sizeof f.why, "%s", why);
    snprintf(f.fix, sizeof f.fix, "%s", fix);
    wf_finding_add(&f);
}

void wf__launch_report_unchecked(void)
{
    if (!unseen.is_pending)
        return;
    unseen.is_pending = false;
    char sentence[300];
    snprintf(sentence, sizeof sentence, "%s; the error was not asked for", unseen.why);
    report(unseen.kernel, sentence,
           "<<< >>> returns nothing: a launch that is refused is noticed only through "
           "cudaGetLastError",
           "mend the launch, and check cudaGetLastError() behind it");
}

static enum wf_cu refuse(struct wf_rt_function *f, const struct wf_rt_launch *l, enum wf_cu e,
                         const char *why)
{
    wf__launch_report_unchecked(); // one from before
    wf__order_not_here();
    if (e == WF_CU_COOPERATIVE_LAUNCH_TOO_LARGE) {
        report(wf__module_function_name(f), why,
               "the blocks of a cooperative grid wait for each other, so all of them must be "
               "resident at once",
               "ask cudaOccupancyMaxActiveBlocksPerMultiprocessor and launch no more blocks than "
               "fit");
    } else if (l->is_unseen) {
        unseen.is_pending = true;
        snprintf(unseen.kernel, sizeof unseen.kernel, "%s", wf__module_function_name(f));
        snprintf(unseen.why, sizeof unseen.why, "%s", why);
    }
    return e;
}

static uint64_t product(const uint32_t v[3])
{
    return (uint64_t)v[0] * v[1] * v[2];
}

enum wf_cu wf__function_limits(struct wf_rt_function *f, const struct wf_kernel_info **info,
                               struct wf__function_limits *out)
{
    struct wf_kernel *k;
    enum wf_cu e = wf__module_kernel(f, &k);
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_kernel_info *i = *info = wf__engine->info(k);
    const struct wf_gpu *g = wf_gpu_default();
    uint32_t asked = wf_settings()->regs_per_thread; // when the program holds no machine code
    *out = (struct wf__function_limits){.regs = i->regs ? i->regs
                                                : asked ? asked
                                                        : 32,
                                        .shared_static = i->shared_static};
    uint64_t bound = product(i->reqntid) ? product(i->reqntid) : product(i->maxntid);
    uint32_t per_warp = (out->regs + 7) / 8 * 8 * 32;
    uint32_t by_regs = g->regs_per_sm / per_warp / 4 * 4 * 32;
    out->max_threads = by_regs < MAX_THREADS ? by_regs : MAX_THREADS;
    if (bound && bound < out->max_threads)
        out->max_threads = (uint32_t)bound;
    pthread_mutex_lock(&lock);
    const struct wf__function_state *s = wf__module_function_state(f);
    uint32_t usual =
        g->shared_per_block > i->shared_static ? g->shared_per_block - i->shared_static : 0;
    out->max_dynamic = s->max_dynamic >= 0 ? (uint32_t)s->max_dynamic : usual;
    out->needs_cluster = s->needs_cluster || product(i->cluster) > 0;
    out->is_nonportable = s->is_nonportable;
    out->carveout = s->carveout;
    for (int d = 0; d < 3; d++)
        out->cluster[d] = i->cluster[d] ? i->cluster[d] : (uint32_t)s->cluster[d];
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

static const char *bad_shape(const struct wf_rt_launch *l, const struct wf_kernel_info *info,
                             char *buf, size_t n)
{
    const struct wf_dim3 *g = &l->grid, *b = &l->block;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;
    if (!g->x || !g->y || !g->z || !threads) {
        snprintf(buf, n, "a grid of %ux%ux%u blocks of %ux%ux%u threads is empty", g->x, g->y, g->z,
                 b->x, b->y, b->z);
        return buf;
    }
    if (g->x > 0x7fffffffu || g->y > 65535 || g->z > 65535) {
        snprintf(buf, n, "the grid of %ux%ux%u blocks is larger than 2147483647x65535x65535", g->x,
                 g->y, g->z);
        return buf;
    }
    if (b->x > 1024 || b->y > 1024 || b->z > 64 || threads > MAX_THREADS) {
        snprintf(buf, n, "a block of %ux%ux%u threads has more than 1024 (z: 64)", b->x, b->y,
                 b->z);
        return buf;
    }
    uint64_t bound = product(info->reqntid) ? product(info->reqntid) : product(info->maxntid);
    if (bound && threads > bound) {
        snprintf(buf, n, "a block of %llu threads exceeds the kernel's launch bound of %llu",
                 (unsigned long long)threads, (unsigned long long)bound);
        return buf;
    }
    if (product(info->reqntid) &&
        (b->x != info->reqntid[0] || b->y != info->reqntid[1] || b->z != info->reqntid[2])) {
        snprintf(buf, n, "the kernel asks for blocks of exactly %ux%ux%u threads", info->reqntid[0],
                 info->reqntid[1], info->reqntid[2]);
        return buf;
    }
    return NULL;
}

// The cluster of this launch, or a sentence.
static const char *choose_cluster(const struct wf_rt_launch *l,
                                  const struct wf__function_limits *lim, struct wf_dim3 *out,
                                  char *buf, size_t n)
{
    const uint32_t *own = lim->cluster;
    bool has_own = own[0] && own[1] && own[2];
    *out = (struct wf_dim3){1, 1, 1};
    if (has_own)
        *out = (struct wf_dim3){own[0], own[1], own[2]};
    if (l->has_cluster) {
        const struct wf_dim3 *c = &l->cluster;
        if (has_own && (c->x != own[0] || c->y != own[1] || c->z != own[2])) {
            snprintf(buf, n,
                     "clusters of %ux%ux%u blocks, but the kernel was compiled for %ux%ux%u", c->x,
                     c->y, c->z, own[0], own[1], own[2]);
            return buf;
        }
        *out = *c;
    }
    uint64_t size = (uint64_t)out->x * out->y * out->z;
    uint32_t most = lim->is_nonportable ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
    if (size == 0 || size > most || (size > 1 && wf_gpu_default()->sm < 90)) {
        snprintf(buf, n, "clusters of %ux%ux%u blocks; %u is the most", out->x, out->y, out->z,
                 wf_gpu_default()->sm < 90 ? 1 : most);
        return buf;
    }
    if (l->grid.x % out->x || l->grid.y % out->y || l->grid.z % out->z) {
        snprintf(buf, n, "the grid of %ux%ux%u blocks is no multiple of the cluster %ux%ux%u",
                 l->grid.x, l->grid.y, l->grid.z, out->x, out->y, out->z);
        return buf;
    }
    return NULL;
}

// SUCCESS, or what is wrong with the launch; a sentence in buf.
static enum wf_cu validate(const struct wf_rt_launch *l, const struct wf_kernel_info *info,
                           const struct wf__function_limits *lim, struct wf_dim3 *cluster,
                           char *buf, size_t n)
{
    if (bad_shape(l, info, buf, n))
        return WF_CU_INVALID_VALUE;
    const struct wf_gpu *g = wf_gpu_default();
    uint32_t threads = l->block.x * l->block.y * l->block.z;
    uint64_t blocks = (uint64_t)l->grid.x * l->grid.y * l->grid.z;
    bool is_shared_ok = l->dynamic_shared <= lim->max_dynamic;
    uint32_t fit = 0;
    if (is_shared_ok)
        fit = wf__blocks_resident(lim, threads, l->dynamic_shared);
    if (l->is_cooperative && blocks > (uint64_t)fit * g->sm_count) {
        snprintf(
            buf, n,
            "a cooperative grid of %llu blocks, but only %u can be resident (%u on each of %u SMs)",
            (unsigned long long)blocks, fit * g->sm_count, fit, g->sm_count);
        return WF_CU_COOPERATIVE_LAUNCH_TOO_LARGE;
    }
    if (!is_shared_ok) {
        snprintf(buf, n,
                 "%llu bytes of dynamic shared memory; %u is the most without "
                 "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)",
                 (unsigned long long)l->dynamic_shared, lim->max_dynamic);
        return WF_CU_INVALID_VALUE;
    }
    if (choose_cluster(l, lim, cluster, buf, n))
        return WF_CU_INVALID_CLUSTER_SIZE;
    if (!fit) {
        snprintf(buf, n, "a block of %u threads with %u registers each does not fit on an SM",
                 threads, lim->regs);
        return WF_CU_LAUNCH_OUT_OF_RESOURCES;
    }
    if (info->n_params && !l->args) {
        snprintf(buf, n, "no arguments for a kernel of %u parameters", info->n_params);
        return WF_CU_INVALID_VALUE;
    }
    return WF_CU_SUCCESS;
}

struct kernel_op {
    struct wf__op op;
    struct wf_kernel *kernel;
    struct wf_launch launch;
    _Alignas(16) unsigned char params[];
};

static enum wf_cu code_of(enum wf_exec_result r)
{
    switch (r) {
    case WF_RUN_OK:
        return WF_CU_SUCCESS;
    case WF_RUN_FAULT:
        return WF_CU_ILLEGAL_ADDRESS;
    case WF_RUN_MISALIGNED:
        return WF_CU_MISALIGNED_ADDRESS;
    case WF_RUN_TRAP:
    case WF_RUN_CANCELLED:
        return WF_CU_LAUNCH_FAILURE;
    case WF_RUN_ASSERT:
        return WF_CU_ASSERT;
    case WF_RUN_HANG:
        return WF_CU_LAUNCH_TIMEOUT;
    case WF_RUN_ILLEGAL:
        return WF_CU_ILLEGAL_INSTRUCTION;
    case WF_RUN_UNSUPPORTED:
        return WF_CU_NOT_SUPPORTED;
    }
    return WF_CU_UNKNOWN;
}

static void run_kernel(struct wf__op *op)
{
    struct kernel_op *k = (struct kernel_op *)op;
    struct wf_err err = {.code = WF_OK};
    wf_mem_fault_install();
    k->launch.order = wf__order_of(op->order);
    enum wf_exec_result r = wf__engine->run(k->kernel, &k->launch, &err);
    if (r == WF_RUN_OK)
        return;
    if (err.code != WF_OK)
        wf_trouble_add(&err, k->launch.kernel);
    wf_rt_break(code_of(r));
}

static void free_kernel(struct wf__op *op)
{
    free(op);
}

static struct kernel_op *kernel_op_new(struct wf_kernel *kernel, const struct wf_rt_launch *l,
                                       const struct wf_kernel_info *info, struct wf_dim3 cluster)
{
    struct kernel_op *k = aligned_alloc(16, (sizeof *k + info->param_total + 15) / 16 * 16);
    WF_ASSERT(k);
    memset(k, 0, sizeof *k + info->param_total);
    k->op.run = run_kernel;
    k->op.free = free_kernel;
    k->kernel = kernel;
    for (uint32_t i = 0; i < info->n_params; i++)
        memcpy(k->params + info->param_offset[i], l->args[i], info->param_bytes[i]);
    k->launch = (struct wf_launch){
        .id = wf_launch_next_id(),
        .kernel = info->name,
        .grid = l->grid,
        .block = l->block,
        .cluster = cluster,
        .dynamic_shared = (uint32_t)l->dynamic_shared,
        .is_cooperative = l->is_cooperative,
        .is_early = l->is_early,
        .params = k->params,
        .param_bytes = info->param_total,
    };
    return k;
}

enum wf_cu wf__launch_args(struct wf_rt_function *f, void **args, void ***own)
{
    struct wf_kernel *kernel;
    enum wf_cu e = wf__module_kernel(f, &kernel);
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_kernel_info *info = wf__engine->info(kernel);
    size_t head = (info->n_params * sizeof(void *) + 15) / 16 * 16; // addresses, then what they point to
    void **block = wf_xcalloc(1, head + info->param_total + 16);
    for (uint32_t i = 0; i < info->n_params; i++) {
        block[i] = (char *)block + head + info->param_offset[i];
        memcpy(block[i], args[i], info->param_bytes[i]);
    }
    *own = block;
    return WF_CU_SUCCESS;
}

// The operation of a launch, or what is wrong with it and a sentence.
static enum wf_cu prepare(struct wf_rt_function *f, const struct wf_rt_launch *l, struct kernel_op **out,
                          char *why, size_t n)
{
    const struct wf_kernel_info *info;
    struct wf__function_limits lim;
    struct wf_kernel *kernel;
    struct wf_dim3 cluster;
    enum wf_cu e = wf__function_limits(f, &info, &lim);
    if (e == WF_CU_SUCCESS)
        e = wf__module_kernel(f, &kernel);
    if (e != WF_CU_SUCCESS) {
        snprintf(why, n, "its device code could not be loaded");
        return e;
    }
    e = validate(l, info, &lim, &cluster, why, n);
    if (e == WF_CU_SUCCESS && out)
        *out = kernel_op_new(kernel, l, info, cluster);
    return e;
}

enum wf_cu wf__launch_check(struct wf_rt_function *f, const struct wf_rt_launch *l)
{
    char why[256];
    return prepare(f, l, NULL, why, sizeof why);
}

enum wf_cu wf__launch_op(struct wf_rt_function *f, const struct wf_rt_launch *l, struct wf__op **out)
{
    char why[256];
    struct kernel_op *k;
    enum wf_cu e = prepare(f, l, &k, why, sizeof why);
    if (e == WF_CU_SUCCESS)
        *out = &k->op;
    return e;
}

enum wf_cu wf_rt_launch(struct wf_rt_function *f, const struct wf_rt_launch *l)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    struct wf_rt_node node = {.kind = WF_RT_NODE_KERNEL, .of.kernel = {f, wf__module_function_host(f), *l}};
    if (wf__capture_take(l->stream, &node, &e))
        return e;
    char why[256];
    struct kernel_op *k;
    e = prepare(f, l, &k, why, sizeof why);
    if (e != WF_CU_SUCCESS)
        return refuse(f, l, e, why);
    wf__lock();
    struct wf__stream *s = wf__stream_find(l->stream);
    if (s)
        wf__queue_put(s, &k->op, false);
    wf__unlock();
    if (!s) {
        free(k);
        return refuse(f, l, WF_CU_INVALID_RESOURCE_HANDLE, "its stream does not exist");
    }
    return l->event_after ? wf_rt_event_record(l->event_after, l->stream, 0) : WF_CU_SUCCESS;
}

enum wf_cu wf_rt_function_info(struct wf_rt_function *f, struct wf_rt_function_info *out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_kernel_info *i;
    struct wf__function_limits lim;
    e = wf__function_limits(f, &i, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    *out = (struct wf_rt_function_info){
        .shared = i->shared_static,
        .constant = i->const_bytes,
        .local = i->local_bytes,
        .max_threads = (int)lim.max_threads,
        .regs = (int)lim.regs,
        .ptx_version = (int)i->sm,
        .binary_version = (int)wf_gpu_default()->sm,
        .max_dynamic_shared = (int)lim.max_dynamic,
        .needs_cluster = lim.needs_cluster,
        .cluster = {(int)lim.cluster[0], (int)lim.cluster[1], (int)lim.cluster[2]},
        .is_nonportable = lim.is_nonportable,
    };
    pthread_mutex_lock(&lock);
    out->carveout = wf__module_function_state(f)->carveout;
    out->cluster_policy = wf__module_function_state(f)->cluster_policy;
    pthread_mutex_unlock(&lock);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_function_name(struct wf_rt_function *f, const char **name)
{
    *name = wf__module_function_name(f);
    return WF_CU_SUCCESS;
}

enum wf_cu wf_rt_function_param(struct wf_rt_function *f, uint64_t i, uint64_t *offset,
                                uint64_t *bytes)
{
    enum wf_cu e = wf_rt_enter();
    struct wf_kernel *k;
    if (e == WF_CU_SUCCESS)
        e = wf__module_kernel(f, &k);
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_kernel_info *info = wf__engine->info(k);
    if (i >= info->n_params || !offset)
        return WF_CU_INVALID_VALUE;
    *offset = info->param_offset[i];
    if (bytes)
        *bytes = info->param_bytes[i];
    return WF_CU_SUCCESS;
}

// Under the lock.
static enum wf_cu set_state(struct wf__function_state *s, int attr, int value,
                            uint32_t shared_static)
{
    switch ((enum wf_rt_function_attr)attr) {
    case WF_RT_FUNC_MAX_DYNAMIC_SHARED:
        if (value < 0 || (uint64_t)value + shared_static > wf_gpu_default()->shared_per_block_optin)
            return WF_CU_INVALID_VALUE;
        s->max_dynamic = value;
        return WF_CU_SUCCESS;
    case WF_RT_FUNC_CARVEOUT:
        if (value < -1 || value > 100)
            return WF_CU_INVALID_VALUE;
        s->carveout = value;
        return WF_CU_SUCCESS;
    case WF_RT_FUNC_CLUSTER_MUST_BE_SET:
        s->needs_cluster = value != 0;
        return WF_CU_SUCCESS;
    case WF_RT_FUNC_CLUSTER_WIDTH:
    case WF_RT_FUNC_CLUSTER_HEIGHT:
    case WF_RT_FUNC_CLUSTER_DEPTH:
        if (value < 0)
            return WF_CU_INVALID_VALUE;
        s->cluster[attr - WF_RT_FUNC_CLUSTER_WIDTH] = value;
        return WF_CU_SUCCESS;
    case WF_RT_FUNC_NONPORTABLE_CLUSTER:
        s->is_nonportable = value != 0;
        return WF_CU_SUCCESS;
    case WF_RT_FUNC_CLUSTER_POLICY:
        if (value < 0 || value > 2)
            return WF_CU_INVALID_VALUE;
        s->cluster_policy = value;
        return WF_CU_SUCCESS;
    }
    return WF_CU_INVALID_VALUE;
}

enum wf_cu wf_rt_function_set(struct wf_rt_function *f, int attr, int value)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    const struct wf_kernel_info *i;
    struct wf__function_limits lim;
    e = wf__function_limits(f, &i, &lim);
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    e = set_state(wf__module_function_state(f), attr, value, lim.shared_static);
    pthread_mutex_unlock(&lock);
    return e;
}
