// SPDX-License-Identifier: Apache-2.0
// Synthetic findings for the tests of src/report: one of each shape a printer has to handle.
// The source file is tests/report/data/exchange.cu.
#ifndef WF_TESTS_UNIT_REPORT_SAMPLE_H
#define WF_TESTS_UNIT_REPORT_SAMPLE_H

#include <stdio.h>  // snprintf
#include <string.h> // strcpy

#include "core/finding.h"
#include "report/report.h"

#define SAMPLE_BASE WF_TEST_DATA "/report/data"
#define SAMPLE_FILE SAMPLE_BASE "/exchange.cu"

static struct wf_loc loc_call = {SAMPLE_FILE, 13, 37, "_Z8exchangePKfPfi", NULL, 60};
static struct wf_loc loc_read = {SAMPLE_FILE, 4, 12, "_Z4pickPKfi", &loc_call, 61};
static struct wf_loc loc_write = {SAMPLE_FILE, 12, 3, "_Z8exchangePKfPfi", NULL, 52};
static struct wf_loc loc_atomic = {SAMPLE_FILE, 19, 27, "_Z5flagsPiS_", NULL, 90};
static struct wf_loc loc_hint = {SAMPLE_FILE, 22, 5, "_Z5flagsPiS_", NULL, 92};
static struct wf_loc loc_misspelt = {SAMPLE_FILE, 23, 5, "_Z5flagsPiS_", NULL, 93};
static struct wf_loc loc_no_reason = {SAMPLE_FILE, 24, 5, "_Z5flagsPiS_", NULL, 94};
static struct wf_loc loc_long = {SAMPLE_FILE, 25, 90, "_Z5flagsPiS_", NULL, 95};
static struct wf_loc loc_intrinsic = {
    "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp",
    441,
    2,
    "_Z16__shfl_down_syncjfji",
    &loc_read,
    96};
static struct wf_loc loc_ptx = {NULL, 0, 0, NULL, NULL, 77};
static struct wf_loc loc_gone = {"no/such file.cu", 7, 0, NULL, NULL, 0};

static inline void sample_thread(struct wf_party *p, uint32_t block, uint32_t thread)
{
    p->has_block = p->has_thread = true;
    p->block[0] = block;
    p->thread[0] = thread;
    p->warp = thread / 32;
    p->lanes = UINT32_C(1) << (thread % 32);
}

static inline struct wf_finding sample_race(void)
{
    struct wf_finding f = wf_finding_make(WF_F_RACE_SHARED, "_Z8exchangePKfPfi", 2);
    struct wf_party *p = wf_finding_party(&f, WF_PARTY_ACCESS, &loc_read);
    sample_thread(p, 0, 32);
    strcpy(p->op, "read of 4 bytes");
    strcpy(p->value, "0x3f800000");
    p = wf_finding_party(&f, WF_PARTY_ACCESS, &loc_write);
    sample_thread(p, 0, 31);
    strcpy(p->op, "write of 4 bytes");
    strcpy(f.space, "shared");
    strcpy(f.object, "s + 124");
    f.address = 124;
    f.count = 128;
    strcpy(f.sentence, "thread 32 reads s[31] while thread 31 writes it");
    strcpy(f.why, "no barrier stands between line 12 and line 13");
    strcpy(f.fix, "put `__syncthreads()` after line 12 and at the end of the loop body");
    return f;
}

static inline struct wf_finding sample_deadlock(void)
{
    struct wf_finding f = wf_finding_make(WF_F_DEADLOCK_SPIN, "_ZN3app4spinILi5EfEEvPT0_", 3);
    struct wf_party *p = wf_finding_party(&f, WF_PARTY_WAITER, &loc_gone);
    p->lanes = UINT32_C(0xfff0ff01);
    p->warp = 3;
    p->has_block = true;
    p->block[0] = 7;
    strcpy(p->op, "atomicAdd");
    strcpy(p->value, "0");
    strcpy(p->note, "waits for a value other than 0");
    p = wf_finding_party(&f, WF_PARTY_RELEASER, &loc_ptx);
    strcpy(p->op, "atomicExch");
    p = wf_finding_party(&f, WF_PARTY_ALLOC, NULL);
    strcpy(p->op, "cudaMalloc of 4 bytes");
    f.address = UINT64_C(0x400000100);
    strcpy(f.space, "global");
    strcpy(f.sentence, "4 threads wait for a value that nobody can write");
    return f;
}

static inline struct wf_finding sample_at(enum wf_finding_kind k, const struct wf_loc *l,
                                          const char *sentence)
{
    struct wf_finding f = wf_finding_make(k, "_Z5flagsPiS_", 4);
    struct wf_party *p = wf_finding_party(&f, WF_PARTY_ACCESS, l);
    strcpy(p->op, "write of 4 bytes");
    snprintf(f.sentence, sizeof f.sentence, "%s", sentence);
    return f;
}

static inline struct wf_finding sample_host(void)
{
    struct wf_finding f = wf_finding_make(WF_F_LAUNCH_CONFIG, NULL, 0);
    strcpy(f.sentence, "the launch asks for {2048} threads a block");
    return f;
}

#define SAMPLE_N 10
static inline void sample_all(struct wf_finding f[SAMPLE_N])
{
    f[0] = sample_at(WF_F_CONTENTION, &loc_long, "4096 atomics on one address");
    f[1] = sample_race();
    f[2] = sample_at(WF_F_RACE_VOLATILE, &loc_write, "volatile accesses are not ordered");
    f[3] = sample_deadlock();
    f[4] = sample_at(WF_F_CONTENTION, &loc_atomic, "ignored: on the line");
    f[5] = sample_at(WF_F_RACE_GLOBAL, &loc_hint, "ignored: two comment lines above");
    f[6] = sample_at(WF_F_RACE_GLOBAL, &loc_misspelt, "not ignored: the slug is wrong");
    f[7] = sample_at(WF_F_RACE_GLOBAL, &loc_no_reason, "not ignored: no reason");
    f[8] = sample_host();
    f[9] = sample_at(WF_F_WARP_MASK, &loc_intrinsic, "the mask names lanes that do not exist");
}

static inline struct wf_report_opts sample_opts(const struct wf_finding *f, uint32_t n)
{
    return (struct wf_report_opts){.findings = f,
                                   .n_findings = n,
                                   .program = "exchange.cu",
                                   .version = "1.2.3",
                                   .base_dir = SAMPLE_BASE,
                                   .launches = 4};
}

#endif
