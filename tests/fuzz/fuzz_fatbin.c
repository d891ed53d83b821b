// SPDX-License-Identifier: Apache-2.0
// Fuzz target: bytes as a fat binary image, and as an executable file's content.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void take(enum wf_status st, struct wf_fatbin *f)
{
    if (st != WF_OK)
        return;
    volatile uint64_t sum = 0; // reads everything that is handed out
    for (size_t i = 0; i < f->ptx.n; i++)
        sum += strlen(f->ptx.at[i].text) + strlen(f->ptx.at[i].name);
    for (size_t i = 0; i < f->regs.n; i++)
        sum += wf_fatbin_regs(f, f->regs.at[i].kernel, 90);
    wf_fatbin_fini(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct wf_fatbin f;
    struct wf_fatbin_file about;
    struct wf_err err;
    static char path[64];
    take(wf_fatbin_from_image(data, n, 90, &f, &err), &f);
    if (n < 4 || memcmp(data, "\177ELF", 4) != 0)
        return 0;
    if (!path[0])
        snprintf(path, sizeof path, "/dev/shm/wf-fuzz-%d", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    fwrite(data, 1, n, file);
    fclose(file);
    take(wf_fatbin_from_file(path, 90, &f, &err), &f);
    wf_fatbin_probe(path, &about, &err);
    wf_fatbin_can_run(path, 90, &err);
    unlink(path);
    return 0;
}
