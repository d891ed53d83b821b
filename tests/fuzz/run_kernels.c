// SPDX-License-Identifier: Apache-2.0
// Runs the random kernels of engine_fuzz.py without starting a process for each. Lines of standard input:
//     PTX-FILE DATA-FILE BLOCKS THREADS N LEVEL
// and for each a line of what the kernel left: its words of `out`, then the four counters; or "failed: why".
#include <inttypes.h> // PRIu32
#include <stdio.h>    // fgets
#include <stdlib.h>   // exit
#include <string.h>   // memset

#include "base/file.h"
#include "core/settings.h"
#include "exec/exec.h"
#include "mem/space.h"

static uint64_t memory(uint64_t bytes, const void *from)
{
    struct wf_err err;
    uint64_t addr;
    if (wf_heap_alloc(WF_MEM_DEVICE, bytes, 256, NULL, &addr, &err)) {
        printf("failed: %s\n", err.text);
        exit(1);
    }
    void *host = wf_space_host(wf_space_get(NULL), addr);
    memset(host, 0, bytes);
    if (from)
        memcpy(host, from, bytes);
    return addr;
}

struct job {
    char ptx[1000], data[1000];
    uint32_t blocks, threads, n, level;
};

static enum wf_exec_result run(const struct job *j, const struct wf_file *text, const uint64_t addr[4], struct wf_err *err)
{
    struct wf_settings s = *wf_settings();
    struct wf_module *m;
    const char *at = text->at;
    uint64_t size = text->n;
    struct {
        uint64_t addr[4];
        uint32_t n;
    } params = {{addr[0], addr[1], addr[2], addr[3]}, j->n};
    s.jit_opt = j->level;
    s.workers = 1 + j->n % 2;
    wf_settings_set(&s);
    if (wf_module_load(j->ptx, &at, &size, 1, &m, err))
        return WF_RUN_UNSUPPORTED;
    struct wf_launch l = {.id = wf_launch_next_id(), .kernel = "k", .grid = {j->blocks, 1, 1}, .block = {j->threads, 1, 1},
                          .cluster = {1, 1, 1}, .params = &params, .param_bytes = 36};
    enum wf_exec_result r = wf_exec_run(wf_module_kernel(m, "k"), &l, err);
    wf_module_unload(m);
    return r;
}

static void work(const struct job *j)
{
    struct wf_file text, data;
    struct wf_err err = {0};
    const struct wf_space *s = wf_space_get(&err);
    if (!s || wf_file_read(j->ptx, &text, &err) || wf_file_read(j->data, &data, &err)) {
        printf("failed: %s\n", err.text);
        return;
    }
    uint64_t words = (uint64_t)j->blocks * j->threads;
    uint64_t addr[4] = {memory(words * 4, NULL), memory(data.n, data.at), memory(words * 16, NULL), memory(16, NULL)};
    enum wf_exec_result r = run(j, &text, addr, &err);
    if (r != WF_RUN_OK) {
        printf("failed: result %d, %s\n", (int)r, err.text);
    } else {
        for (uint64_t i = 0; i < words; i++)
            printf("%" PRIu32 " ", ((uint32_t *)wf_space_host(s, addr[0]))[i]);
        for (uint64_t i = 0; i < 4; i++)
            printf("%" PRIu32 "%c", ((uint32_t *)wf_space_host(s, addr[3]))[i], i == 3 ? '\n' : ' ');
    }
    for (int i = 0; i < 4; i++)
        wf_heap_free(addr[i], NULL, NULL);
    wf_file_fini(&text);
    wf_file_fini(&data);
}

int main(void)
{
    char line[2200];
    struct job j;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%999s %999s %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32, j.ptx, j.data, &j.blocks, &j.threads, &j.n, &j.level) != 6)
            return 2;
        work(&j);
        fflush(stdout);
    }
    return 0;
}
