// SPDX-License-Identifier: Apache-2.0
// Launch ids, the table of modelled GPUs and how many blocks of a kernel fit on one SM.
#include "core/launch.h"

#include <stdatomic.h> // atomic_fetch_add
#include <stddef.h>    // NULL
#include <strings.h>   // strcasecmp

#include "base/bits.h" // wf_align_up

static _Atomic uint64_t launches;

uint64_t wf_launch_next_id(void)
{
    return atomic_fetch_add(&launches, 1) + 1;
}

uint64_t wf_launch_count(void)
{
    return atomic_load(&launches);
}

#define KIB(x) ((x)*1024u)

static const struct wf_gpu gpus[] = {
#define WF_GPU(name_, sm_, sms, threads, blocks, warps, regs, sh_sm, sh_block, sh_optin,           \
               sh_reserved, mib, khz, mem_khz, bus, l2)                                            \
    {.name = name_,                                                                                \
     .sm = sm_,                                                                                    \
     .sm_count = sms,                                                                              \
     .max_threads_per_sm = threads,                                                                \
     .max_blocks_per_sm = blocks,                                                                  \
     .max_warps_per_sm = warps,                                                                    \
     .regs_per_sm = regs,                                                                          \
     .shared_per_sm = KIB(sh_sm),                                                                  \
     .shared_per_block = KIB(sh_block),                                                            \
     .shared_per_block_optin = KIB(sh_optin),                                                      \
     .shared_reserved = KIB(sh_reserved),                                                          \
     .global_bytes = (uint64_t)(mib) << 20,                                                        \
     .clock_khz = khz,                                                                             \
     .mem_clock_khz = mem_khz,                                                                     \
     .bus_bits = bus,                                                                              \
     .l2_bytes = KIB(l2)},
#include "core/gpu.def"
#undef WF_GPU
};

static const struct wf_gpu *modelled = &gpus[0];

const struct wf_gpu *wf_gpu_default(void)
{
    return modelled;
}

void wf_gpu_set_default(const struct wf_gpu *g)
{
    modelled = g;
}

const struct wf_gpu *wf_gpu_find(const char *name)
{
    for (unsigned i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (strcasecmp(gpus[i].name, name) == 0)
            return &gpus[i];
    return NULL;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Registers are given to whole warps in units of 256, from the SM quarter that the warp runs on.
static uint32_t blocks_by_regs(const struct wf_gpu *g, uint32_t warps, uint32_t regs)
{
    uint32_t per_warp = (uint32_t)wf_align_up((uint64_t)32 * regs, 256);
    uint32_t warps_per_quarter = g->regs_per_sm / 4 / per_warp;
    return warps_per_quarter * 4 / warps;
}

static uint32_t blocks_by_shared(const struct wf_gpu *g, uint64_t bytes)
{
    if (bytes > g->shared_per_block_optin)
        return 0;
    uint64_t unit = g->sm < 80 ? 256 : 128;
    uint64_t each = wf_align_up(bytes + g->shared_reserved, unit);
    return each ? (uint32_t)(g->shared_per_sm / each) : UINT32_MAX;
}

uint32_t wf_gpu_blocks_per_sm(const struct wf_gpu *g, uint32_t threads, uint32_t regs,
                              uint32_t shared_static, uint32_t shared_dynamic)
{
    if (threads == 0 || threads > 1024 || regs > 255)
        return 0;
    uint32_t warps = (threads + 31) / 32;
    uint32_t n = min_u32(g->max_blocks_per_sm, g->max_warps_per_sm / warps);
    n = min_u32(n, blocks_by_regs(g, warps, regs ? regs : 32));
    return min_u32(n, blocks_by_shared(g, (uint64_t)shared_static + shared_dynamic));
}
