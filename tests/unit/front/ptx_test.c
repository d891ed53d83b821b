// SPDX-License-Identifier: Apache-2.0
// Every synchronization feature through clang with our headers, and through nvcc where it is
// installed: both must give the instructions of sync_rows.def, in the optimized and in the check
// build.
#include <ctype.h>

#include "base/file.h"
#include "front/front.h"
#include "test.h"

struct row {
    const char *name, *statement, *want;
};
static const struct row rows[] = {
#define ROW(name, statement, want) {#name, statement, want},
#include "sync_rows.def"
#undef ROW
};
#define N_ROWS (sizeof rows / sizeof rows[0])

static const char head[] =
    "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
    "#include <cuda/atomic>\n#include <cuda/ptx>\n#include <cuda_pipeline.h>\n#include <cstdint>\n"
    "namespace cg = cooperative_groups;\n"
    "#define DEV(T, x) cuda::atomic_ref<T, cuda::thread_scope_device>((T &)(x))\n"
    "#define BLK(T, x) cuda::atomic_ref<T, cuda::thread_scope_block>((T &)(x))\n"
    "#define SYS(T, x) cuda::atomic_ref<T, cuda::thread_scope_system>((T &)(x))\n"
    "#define THR(T, x) cuda::atomic_ref<T, cuda::thread_scope_thread>((T &)(x))\n";

static enum wf_status write_source(const char *path)
{
    struct wf_str s = {0};
    wf_str_add(&s, head);
    for (size_t i = 0; i < N_ROWS; i++)
        wf_str_printf(
            &s,
            "extern \"C\" __global__ void row_%s(int *i, unsigned *u, unsigned long long *l, "
            "float *f, double *d, float4 *v, unsigned short *h, unsigned char *c, "
            "unsigned m, int n)\n{\n    __shared__ __align__(16) int s[64];\n"
            "    __shared__ uint64_t bar;\n    %s\n}\n",
            rows[i].name, rows[i].statement);
    enum wf_status st = wf_file_write_atomic(path, s.at, s.n, NULL);
    wf_str_fini(&s);
    return st;
}

static bool is_watched(const char *op, size_t n)
{
    static const char *const always[] = {
        "bar",  "barrier",    "membar",    "fence", "atom",     "red",
        "vote", "match",      "redux",     "shfl",  "cp",       "trap",
        "mapa", "activemask", "nanosleep", "elect", "mbarrier", "griddepcontrol"};
    static const char *const hints[] = {".volatile", ".relaxed", ".acquire",
                                        ".release",  ".nc",      ".cg"};
    size_t first = strcspn(op, ". ;\t");
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        if (first == strlen(always[i]) && strncmp(op, always[i], first) == 0)
            return true;
    if (first != 2 || (strncmp(op, "ld", 2) != 0 && strncmp(op, "st", 2) != 0))
        return false;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        const char *at = strstr(op, hints[i]);
        if (at && at < op + n)
            return true;
    }
    return false;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// "atom.global.cta.add.u32" -> "atom.add.b32.cta"
static void normalise(const char *op, size_t n, struct wf_str *out)
{
    char text[128], *save = NULL;
    const char *part[16];
    size_t count = 0;
    snprintf(text, sizeof text, "%.*s", (int)n, op);
    bool has_sign = strstr(text, ".min") || strstr(text, ".max") || strncmp(text, "redux", 5) == 0;
    char *name = strtok_r(text, ".", &save);
    bool is_access = !strcmp(name, "atom") || !strcmp(name, "ld") || !strcmp(name, "st");
    for (const char *p; count < 16 && (p = strtok_r(NULL, ".", &save));) {
        bool is_integer = (p[0] == 's' || p[0] == 'u') && isdigit((unsigned char)p[1]);
        if (is_integer && !has_sign)
            p = p[1] == '1' ? "b16" : p[1] == '3' ? "b32" : p[1] == '6' ? "b64" : "b8";
        if (strcmp(p, "shared::cta") == 0) // means what .shared means
            p = "shared";
        if (!(is_access && (!strcmp(p, "global") || !strcmp(p, "shared"))))
            part[count++] = p;
    }
    qsort(part, count, sizeof part[0], by_text);
    wf_str_add(out, out->n ? " " : "");
    wf_str_add(out, name);
    for (size_t i = 0; i < count; i++)
        wf_str_printf(out, ".%s", part[i]);
}

// The watched instructions of one kernel's body, in order.
static void instructions(const char *ptx, const char *kernel, struct wf_str *out)
{
    char entry[96];
    snprintf(entry, sizeof entry, ".entry row_%s(", kernel);
    const char *p = ptx;
    for (;; p++) { // the definition, not a declaration
        p = strstr(p, entry);
        if (!p)
            return;
        const char *body = strchr(p, ')') + 1;
        const char *brace = strchr(body, '{'), *semi = strchr(body, ';');
        if (brace && brace < semi) {
            p = brace + 1;
            break;
        }
    }
    int depth = 1;
    for (bool starts = true; *p && depth; p++) {
        if (*p == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (*p == '{' || *p == '}') {
            // Braces also hold vectors; those begin and end inside one instruction.
            depth += *p == '{' ? 1 : -1;
            starts = true;
            continue;
        }
        if (isspace((unsigned char)*p) || *p == ';') {
            starts |= *p == ';' || *p == '\n';
            continue;
        }
        if (starts && *p == '@') { // a guard
            p += strcspn(p, " \t");
            continue;
        }
        size_t n = strcspn(p, " \t;\n");
        if (starts && is_watched(p, n))
            normalise(p, n, out);
        starts = false;
        p += strcspn(p, " \t;\n{}") ? strcspn(p, " \t;\n{}") - 1 : 0;
    }
}

static void compare(enum wf_front_cc cc, bool is_check_build)
{
    char dir[256], source[300];
    struct wf_front_tool tool;
    struct wf_fatbin f;
    struct wf_err err = {0};
    if (!wf_front_find(cc, &tool)) {
        printf("skipped: %s\n", tool.hint);
        return;
    }
    CHECK_EQ(wf_file_tempdir(dir, sizeof dir, &err), WF_OK);
    snprintf(source, sizeof source, "%s/rows.cu", dir);
    CHECK_EQ(write_source(source), WF_OK);
    const char *const sources[] = {source}, *const args[] = {"-w"};
    struct wf_front_opts o = {.sources = sources,
                              .n_sources = 1,
                              .args = args,
                              .n_args = 1,
                              .cc = cc,
                              .is_check_build = is_check_build,
                              .include_dir = WF_TEST_DATA "/../include/cuda",
                              .cache_dir = dir};
    CHECK_EQ(wf_front_ptx(&o, &f, &err), WF_OK);
    if (err.code != WF_OK) {
        printf("%s\n", err.text);
        return;
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        struct wf_str got = {0};
        instructions(f.ptx.at[0].text, rows[i].name, &got);
        if (strcmp(wf_str_get(&got), rows[i].want) != 0)
            WF_TEST_FAIL("%s: \"%s\", expected \"%s\"", rows[i].name, wf_str_get(&got),
                         rows[i].want);
        wf_str_fini(&got);
    }
    wf_fatbin_fini(&f);
    wf_file_remove_tree(dir);
}

WF_TEST(clang_optimized)
{
    compare(WF_FRONT_CC_CLANG, false);
}

WF_TEST(clang_check_build)
{
    compare(WF_FRONT_CC_CLANG, true);
}

WF_TEST(nvcc)
{
    compare(WF_FRONT_CC_NVCC, false);
}
