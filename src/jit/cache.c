// SPDX-License-Identifier: Apache-2.0
// The compiled-kernel cache: objects by content. A file is the key, a length and a checksum in front of
// the object, written beside and renamed, so two runs may share the directory; whatever does not add
// up is treated as absent and rebuilt.

#include <stdio.h>  // snprintf
#include <string.h> // memcpy

#include <llvm-c/Core.h>

#include "base/file.h"
#include "base/os.h"
#include "base/str.h"
#include "jit/orc.h"

#define KEY_CHARS 33 // a program's key and the letter of its part

struct head {
    char magic[8];
    char key[64];
    uint64_t bytes, sum;
};

// Two independent 64-bit multiply-and-mix hashes; 128 bits name a program.
static void mix(uint64_t h[2], const void *data, size_t n)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < n; i++) {
        h[0] = (h[0] ^ p[i]) * UINT64_C(0x100000001b3);
        h[1] = (h[1] + p[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h[1] ^= h[1] >> 29;
    }
}

void orc_key_of(const struct ir_program *p, const struct jit_opts *o, struct orc_key *key)
{
    uint64_t h[2] = {UINT64_C(0xcbf29ce484222325), WF_ABI_VERSION};
    struct wf_str text = {0};
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    ir_print(p, &text);
    wf_str_printf(&text, "|%d%d|%d|%d%d%d|%s|%s|%s|%llx", o->is_checked, o->is_guarded, o->opt_level, p->blocks.affine_tid, p->blocks.whole_warps,
                  p->blocks.rows_of_16, cpu, features, WF_VERSION,
                  (unsigned long long)wf_os_build_stamp());
    mix(h, text.at, text.n);
    snprintf(key->hex, sizeof key->hex, "%016llx%016llx", (unsigned long long)h[0], (unsigned long long)h[1]);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    wf_str_fini(&text);
}

void orc_key_of_part(const struct orc_key *whole, char part, struct orc_key *key)
{
    snprintf(key->hex, sizeof key->hex, "%.32s%c", whole->hex, part);
}

static void path_of(const char *dir, const struct orc_key *key, char *buf, size_t n)
{
    snprintf(buf, n, "%s/%s.wfo", dir, key->hex);
}

LLVMMemoryBufferRef orc_cache_load(const char *dir, const struct orc_key *key)
{
    char path[1024];
    struct wf_file f;
    struct head h;
    LLVMMemoryBufferRef obj = NULL;
    path_of(dir, key, path, sizeof path);
    if (!wf_file_exists(path) || wf_file_read(path, &f, NULL))
        return NULL;
    if (f.n > sizeof h) {
        uint64_t sum[2] = {1, 2};
        memcpy(&h, f.at, sizeof h);
        mix(sum, f.at + sizeof h, f.n - sizeof h);
        if (!memcmp(h.magic, "WFOBJ1\n", 8) && !memcmp(h.key, key->hex, KEY_CHARS) && h.bytes == f.n - sizeof h &&
            h.sum == sum[0])
            obj = LLVMCreateMemoryBufferWithMemoryRangeCopy(f.at + sizeof h, f.n - sizeof h, "cached");
    }
    wf_file_fini(&f);
    return obj;
}

void orc_cache_save(const char *dir, const struct orc_key *key, LLVMMemoryBufferRef obj)
{
    char path[1024];
    struct head h = {.magic = "WFOBJ1\n"};
    struct wf_str all = {0};
    uint64_t sum[2] = {1, 2};
    if (wf_file_mkdirs(dir, NULL)) // no cache, no harm
        return;
    memcpy(h.key, key->hex, KEY_CHARS);
    h.bytes = LLVMGetBufferSize(obj);
    mix(sum, LLVMGetBufferStart(obj), h.bytes);
    h.sum = sum[0];
    wf_str_addn(&all, (const char *)&h, sizeof h);
    wf_str_addn(&all, LLVMGetBufferStart(obj), h.bytes);
    path_of(dir, key, path, sizeof path);
    wf_file_write_atomic(path, all.at, all.n, NULL);
    wf_str_fini(&all);
}
