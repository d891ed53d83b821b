// SPDX-License-Identifier: Apache-2.0
// What the access hook costs a warp access, in ns: printed, not judged (machines differ). The
// shapes: a thread uses its own words again; words last used by others before a barrier; first
// touch; one word read by all lanes; scattered words; atomics on a few words.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "world.h"

#include <time.h>
#include "check/ctx.h"
#include "test.h"

static struct world w;
static const struct wf_site *rd, *wr, *at, *bar;
static uint64_t ns0;

static uint64_t cpu_ns(void) // of this process: the machine may be busy
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sites(void)
{
    rd = site_get((struct site_key){.line = 1, .bytes = 4, .reads = true});
    wr = site_get((struct site_key){.line = 2, .bytes = 4, .writes = true});
    at = site_get((struct site_key){.line = 3,
                                    .bytes = 4,
                                    .reads = true,
                                    .writes = true,
                                    .atomic = true,
                                    .order = WF_ORD_RELAXED,
                                    .scope = WF_SCOPE_GPU,
                                    .unused = true});
    bar = site_get((struct site_key){.line = 4, .kind = WF_SITE_BARRIER});
}

static void begin(bool memory)
{
    struct wf_check_opts o = {.race = true, .memory = memory};
    world_open(&w, &o);
    world_launch(&w, 2, 8, UINT32_MAX, 1, 48 << 10);
}

static void end(void)
{
    world_end(&w);
    wf_check_fini();
}

static void start(void)
{
    ns0 = cpu_ns();
}

static void stop(const char *what, uint64_t accesses)
{
    printf("%-44s %7.1f ns a warp access\n", what, (double)(cpu_ns() - ns0) / (double)accesses);
}

static void linear(enum wf_space_kind space, uint64_t base, const char *name)
{
    enum { WORDS = 4096, ROUNDS = 200 };
    char what[64];
    begin(false);
    for (int pass = 0; pass < 2; pass++) {
        start();
        for (int r = 0; r < (pass ? ROUNDS : 1); r++)
            for (uint32_t i = 0; i < WORDS; i += 32)
                world_linear(&w, 0, i / 32 % 8, UINT32_MAX, wr, space, base + i * 4, 4);
        snprintf(what, sizeof what, "%s linear write, %s", name,
                 pass ? "own words again" : "first touch");
        stop(what, (pass ? ROUNDS : 1) * WORDS / 32);
    }
    start();
    for (int r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < WORDS; i += 32)
            world_linear(&w, 0, i / 32 % 8, UINT32_MAX, rd, space, base + i * 4, 4);
    snprintf(what, sizeof what, "%s linear read, own words again", name);
    stop(what, ROUNDS * WORDS / 32);
    start();
    for (int r = 0; r < ROUNDS; r++) {
        world_sync(&w, 0, bar);
        for (uint32_t i = 0; i < WORDS; i += 32)
            world_linear(&w, 0, (i / 32 + (uint32_t)r) % 8, UINT32_MAX, r & 1 ? rd : wr, space,
                         base + i * 4, 4);
    }
    snprintf(what, sizeof what, "%s linear after a barrier, other warp's words", name);
    stop(what, ROUNDS * WORDS / 32);
    end();
}

WF_TEST(linear)
{
    sites();
    linear(WF_SPACE_GLOBAL, GLOBAL, "global");
    linear(WF_SPACE_SHARED, 0, "shared");
}

WF_TEST(stream)
{
    sites();
    begin(false);
    for (int pass = 0; pass < 2; pass++) {
        start();
        for (uint32_t i = 0; i < (4u << 20); i += 32)
            world_linear(&w, 0, i / 32 % 8, UINT32_MAX, rd, WF_SPACE_GLOBAL, GLOBAL + i * 4ull, 4);
        stop(pass ? "global linear read, 16 MiB again" : "global linear read, 16 MiB first touch",
             (4u << 20) / 32);
    }
    end();
}

WF_TEST(others)
{
    enum { N = 20000 };
    uint64_t a[32];
    sites();
    begin(false);
    for (uint32_t l = 0; l < 32; l++)
        a[l] = 64;
    start();
    for (uint32_t i = 0; i < N; i++)
        world_access(&w, 0, i % 8, UINT32_MAX, rd, WF_SPACE_SHARED, 0, a, 0);
    stop("shared, one word read by all lanes of 8 warps", N);
    uint64_t x = 1;
    uint64_t table[64][32];
    for (int k = 0; k < 64; k++)
        for (uint32_t l = 0; l < 32; l++) {
            x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
            table[k][l] = (x >> 40) % 2048 * 4;
        }
    for (uint32_t pass = 0; pass < 2; pass++) {
        start();
        for (uint32_t i = 0; i < N; i++)
            world_access(&w, 0, i % 8, UINT32_MAX, rd, WF_SPACE_SHARED, 0, table[i % 64], 0);
        stop("shared gather, scattered reads", N);
    }
    world_sync(&w, 0, bar);
    start();
    for (uint32_t i = 0; i < N; i++)
        world_access(&w, 0, i % 8, UINT32_MAX, at, WF_SPACE_SHARED, 0, table[i % 64], UINT32_MAX);
    stop("shared atomics, scattered over 2048 words", N);
    for (uint32_t k = 0; k < 64; k++)
        for (uint32_t l = 0; l < 32; l++)
            table[k][l] = GLOBAL + table[k][l] % 1024;
    start();
    for (uint32_t i = 0; i < N; i++)
        world_access(&w, 0, i % 8, UINT32_MAX, at, WF_SPACE_GLOBAL, 0, table[i % 64], UINT32_MAX);
    stop("global atomics, 256 words", N);
    start();
    for (uint32_t i = 0; i < N; i++) {
        world_linear(&w, 1, i % 8, UINT32_MAX, wr, WF_SPACE_GLOBAL, GLOBAL + 65536 + i % 64 * 128,
                     4);
        if (i % 8 == 7)
            world_sync(&w, 1, bar);
    }
    stop("global linear write, a barrier every 8", N);
    end();
}

WF_TEST(memory_checker)
{
    enum { N = 20000 };
    sites();
    begin(true);
    start();
    for (uint32_t i = 0; i < N; i++)
        world_linear(&w, 0, i % 8, UINT32_MAX, wr, WF_SPACE_SHARED, i % 64 * 128, 4);
    stop("shared linear write, races and memory", N);
    end();
}
