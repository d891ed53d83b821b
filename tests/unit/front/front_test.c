// SPDX-License-Identifier: Apache-2.0
// Sorting of options, dependency files, the hash, cluster marks; and with clang: a build, its
// cached repeat, a rebuild after a header changed, two builds at once, damage to the cache, errors.
#define _GNU_SOURCE
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/os.h"
#include "front/priv.h"
#include "test.h"

static void put(const char *dir, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    CHECK_EQ(wf_file_write_atomic(path, text, strlen(text), NULL), WF_OK);
}

WF_TEST(hash_does_not_depend_on_the_pieces)
{
    char whole[WF__HASH_TEXT], parts[WF__HASH_TEXT], other[WF__HASH_TEXT];
    struct wf__hash h;
    unsigned char data[300];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 7);
    for (size_t n = 0; n < sizeof data; n += 13) {
        wf__hash_init(&h);
        wf__hash_add(&h, data, n);
        wf__hash_end(&h, whole);
        wf__hash_init(&h);
        for (size_t i = 0; i < n; i++)
            wf__hash_add(&h, data + i, 1);
        wf__hash_end(&h, parts);
        CHECK_STR(whole, parts);
        wf__hash_init(&h);
        wf__hash_add(&h, data, n + 1);
        wf__hash_end(&h, other);
        CHECK(strcmp(whole, other) != 0);
    }
}

WF_TEST(dependencies_with_blanks_and_breaks)
{
    char dir[256], path[300];
    struct wf__argv names = {0};
    struct wf_arena arena;
    wf_arena_init(&arena, "test");
    CHECK_EQ(wf_file_tempdir(dir, sizeof dir, NULL), WF_OK);
    put(dir, "a.d", "a.o : a.cu \\\n  /usr/in\\ clude/x.h \\\n\tb$$c.h\\\n d.h\n\nphony.h:\n");
    snprintf(path, sizeof path, "%s/a.d", dir);
    CHECK_EQ(wf__deps_read(path, &arena, &names, NULL), WF_OK);
    CHECK_EQ(names.n, 4);
    CHECK_STR(names.at[1], "/usr/in clude/x.h");
    CHECK_STR(names.at[2], "b$c.h");
    CHECK_STR(names.at[3], "d.h");
    WF_VEC_FINI(&names);
    wf_arena_fini(&arena);
    wf_file_remove_tree(dir);
}

static bool holds(const struct wf__argv *v, const char *arg)
{
    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->at[i], arg) == 0)
            return true;
    return false;
}

WF_TEST(options_go_where_they_belong)
{
    static const char *const args[] = {
        "-Iinc", "-D",   "N=3",        "--std=c++20",    "-lm",       "-arch",
        "sm_80", "-g",   "-Xcompiler", "-fPIC,-pthread", "-Xptxas=v", "-use_fast_math",
        "x.o",   "b.cu", "-Xlinker",   "-z,now"};
    struct wf_front_opts o = {.args = args, .n_args = sizeof args / sizeof args[0]};
    struct wf__plan p = {.o = &o};
    struct wf_err err;
    wf_arena_init(&p.arena, "test");
    CHECK_EQ(wf__plan_sort_args(&p, &err), WF_OK);
    CHECK(holds(&p.common, "-Iinc") && holds(&p.common, "N=3") && holds(&p.common, "-std=c++20"));
    CHECK(holds(&p.host, "-g") && holds(&p.host, "-fPIC") && !holds(&p.common, "-g"));
    CHECK(holds(&p.link, "-lm") && holds(&p.link, "x.o") && holds(&p.link, "-z,now"));
    CHECK(holds(&p.link, "-pthread") && holds(&p.device, "-fgpu-flush-denormals-to-zero"));
    CHECK(holds(&p.sources, "b.cu") && p.has_arch && !p.is_rdc);
    CHECK(holds(&p.raw, "sm_80") && !holds(&p.raw, "-lm"));
    wf__plan_fini(&p);
    static const char *const output[] = {"-o", "x"}, *const lacking[] = {"-D"},
                             *const stray[] = {"y"};
    struct {
        const char *const *args;
        size_t n;
        const char *says;
    } bad[] = {{output, 2, "-o cannot be passed on"},
               {lacking, 1, "lacks its value"},
               {stray, 1, "neither"}};
    for (size_t i = 0; i < 3; i++) {
        struct wf_front_opts b = {.args = bad[i].args, .n_args = bad[i].n};
        struct wf__plan q = {.o = &b};
        wf_arena_init(&q.arena, "test");
        CHECK_EQ(wf__plan_sort_args(&q, &err), WF_E_USAGE);
        CHECK_HAS(err.text, bad[i].says);
        wf__plan_fini(&q);
    }
}

WF_TEST(cluster_shape_reaches_the_body_only)
{
    static const char ll[] =
        "\n@.str = private unnamed_addr constant [18 x i8] c\"warpfence.cluster\\00\", section "
        "\"x\"\n"
        "@.str1 = private constant [5 x i8] c\"a.cu\\00\"\n"
        "@.args = private unnamed_addr constant { i32, i32, i64 } { i32 2, i32 4, i64 1 }, section "
        "\"x\"\n"
        "@llvm.global.annotations = appending global [1 x { ptr }] [{ ptr, ptr, ptr, i32, ptr } "
        "{ ptr @kern, ptr @.str, ptr @.str1, i32 3, ptr @.args }], section \"llvm.metadata\"\n";
    struct wf_str ptx = {0};
    wf_str_add(&ptx,
               ".visible .entry kern(\n.param .u64 a\n)\n;\n.visible .entry kern2()\n{ ret; }\n"
               ".visible .entry kern(\n.param .u64 a\n) // @kern\n{ ret; }\n");
    wf__cluster_mark(ll, &ptx);
    CHECK_HAS(ptx.at, ")\n;\n.visible .entry kern2()\n{");
    CHECK_HAS(ptx.at, ")\n.explicitcluster\n.reqnctapercluster 2, 4, 1\n // @kern");
    wf_str_fini(&ptx);
}

WF_TEST(liberties_of_nvcc_are_mended)
{
    static const struct {
        const char *text, *want;
    } row[] = {
        {"__shared__ alignas(16) int s;", "__shared__ _Alignas(16) int s;"},
        {"extern __shared__\n alignas(8) int s;", "extern __shared__\n _Alignas(8) int s;"},
        {"struct alignas(16) S {};", NULL},
        {"// __shared__ alignas(16)\n\"__shared__ alignas(1)\"", NULL},
        {"asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));",
         "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));"},
        {"asm volatile(\"a %%tid.x; b %tid.y, %1;\" :: \"r\"(f(x)));",
         "asm volatile(\"a %%tid.x; b %%tid.y, %1;\" :: \"r\"(f(x)));"},
        {"asm(\"mov.u32 %r1, %tid.x;\");", NULL},
        {"asm(\"a %0 \" \"%clock;\" : \"=r\"(x));", "asm(\"a %0 \" \"%%clock;\" : \"=r\"(x));"},
        {"myasm(\"%x\" : 1)", NULL},
        {"int n = 1'000; char c = '\"'; asm(\"x\"", NULL},
        {"/* asm(\"%x\" : ) ", NULL},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct wf_str out = {0};
        CHECK_EQ(wf__dialect_mend(row[i].text, &out), row[i].want != NULL);
        CHECK_STR(wf_str_get(&out), row[i].want ? row[i].want : row[i].text);
        wf_str_fini(&out);
    }
}

// --- builds

struct bench {
    char dir[256], source[300], header_dir[300], exe[PATH_MAX];
    const char *sources[1], *args[1];
    struct wf_front_opts o;
    struct wf_err err;
};

// A host program and a library of the runtime's name: enough for everything but kernels.
static bool set_up(struct bench *b)
{
    struct wf_front_tool tool;
    if (!wf_front_find(WF_FRONT_CC_CLANG, &tool)) {
        printf("skipped: %s\n", tool.hint);
        return false;
    }
    CHECK_EQ(wf_file_tempdir(b->dir, sizeof b->dir, NULL), WF_OK);
    snprintf(b->source, sizeof b->source, "%s/app.cpp", b->dir);
    put(b->dir, "app.cpp", "#include \"value.h\"\nint main() { return VALUE; }\n");
    put(b->dir, "value.h", "#define VALUE 3\n");
    put(b->dir, "empty.c", "");
    char c[300], lib[300];
    snprintf(c, sizeof c, "%s/empty.c", b->dir);
    snprintf(lib, sizeof lib, "%s/libcudart.so.13", b->dir);
    char *argv[] = {tool.path, "-shared", "-Wl,-soname,libcudart.so.13", c, "-o", lib, NULL};
    int rc = 1;
    CHECK_EQ(wf_process_run(argv, NULL, &rc, NULL), WF_OK);
    CHECK_EQ(rc, 0);
    b->sources[0] = b->source;
    b->o = (struct wf_front_opts){.sources = b->sources,
                                  .n_sources = 1,
                                  .cc = WF_FRONT_CC_CLANG,
                                  .lib_dir = b->dir,
                                  .include_dir = WF_TEST_DATA "/../include/cuda",
                                  .cache_dir = b->dir};
    usleep(20000); // the sources must be older than the build
    return true;
}

static enum wf_status build(struct bench *b)
{
    enum wf_status st = wf_front_build(&b->o, b->exe, sizeof b->exe, &b->err);
    if (st != WF_OK)
        printf("%s\n", b->err.text);
    return st;
}

static int run(const char *exe)
{
    int rc = -1;
    char *argv[] = {(char *)(uintptr_t)exe, NULL};
    return wf_process_run(argv, NULL, &rc, NULL) == WF_OK ? rc : -1;
}

WF_TEST(repeat_is_cached_and_a_changed_header_is_seen)
{
    struct bench b;
    if (!set_up(&b))
        return;
    CHECK_EQ(build(&b), WF_OK);
    CHECK_EQ(run(b.exe), 3);
    char first[PATH_MAX];
    snprintf(first, sizeof first, "%s", b.exe);
    uint64_t start = wf_os_now_ns();
    CHECK_EQ(build(&b), WF_OK);
    CHECK(wf_os_now_ns() - start < 50000000); // 50 ms
    CHECK_STR(b.exe, first);
    put(b.dir, "value.h", "#define VALUE 3\n"); // touched, not changed
    CHECK_EQ(build(&b), WF_OK);
    CHECK_STR(b.exe, first);
    put(b.dir, "value.h", "#define VALUE 4\n");
    usleep(20000);
    CHECK_EQ(build(&b), WF_OK);
    CHECK(strcmp(b.exe, first) != 0);
    CHECK_EQ(run(b.exe), 4);
    wf_file_remove_tree(b.dir);
}

WF_TEST(options_are_part_of_the_key)
{
    struct bench b;
    if (!set_up(&b))
        return;
    put(b.dir, "app.cpp", "int main() { return N; }\n");
    usleep(20000);
    b.o.args = b.args;
    b.o.n_args = 1;
    b.args[0] = "-DN=5";
    CHECK_EQ(build(&b), WF_OK);
    CHECK_EQ(run(b.exe), 5);
    b.args[0] = "-DN=6";
    CHECK_EQ(build(&b), WF_OK);
    CHECK_EQ(run(b.exe), 6);
    wf_file_remove_tree(b.dir);
}

WF_TEST(damaged_entries_are_rebuilt)
{
    struct bench b;
    if (!set_up(&b))
        return;
    CHECK_EQ(build(&b), WF_OK);
    CHECK_EQ(truncate(b.exe, 100), 0);
    CHECK_EQ(build(&b), WF_OK);
    CHECK_EQ(run(b.exe), 3);
    CHECK_EQ(unlink(b.exe), 0);
    CHECK_EQ(build(&b), WF_OK);
    CHECK_EQ(run(b.exe), 3);
    wf_file_remove_tree(b.dir);
}

WF_TEST(four_builds_at_once)
{
    struct bench b;
    pid_t pid[4];
    if (!set_up(&b))
        return;
    for (int i = 0; i < 4; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            _exit(build(&b) == WF_OK && run(b.exe) == 3 ? 0 : 1);
    }
    for (int i = 0; i < 4; i++) {
        int st = 1;
        waitpid(pid[i], &st, 0);
        CHECK_EQ(st, 0);
    }
    wf_file_remove_tree(b.dir);
}

WF_TEST(build_to_a_named_file)
{
    struct bench b;
    char dest[300];
    if (!set_up(&b))
        return;
    snprintf(dest, sizeof dest, "%s/out", b.dir);
    CHECK_EQ(wf_front_build_to(&b.o, dest, &b.err), WF_OK);
    CHECK_EQ(run(dest), 3);
    wf_file_remove_tree(b.dir);
}

WF_TEST(mistakes_have_a_sentence)
{
    struct bench b;
    if (!set_up(&b))
        return;
    b.sources[0] = "/no/such/file.cu";
    CHECK_EQ(wf_front_build(&b.o, b.exe, sizeof b.exe, &b.err), WF_E_IO);
    CHECK_HAS(b.err.text, "/no/such/file.cu");
    b.sources[0] = b.source;
    b.o.lib_dir = "/no/such/dir";
    CHECK_EQ(wf_front_build(&b.o, b.exe, sizeof b.exe, &b.err), WF_E_IO);
    CHECK_HAS(b.err.text, "libcudart.so.13");
    setenv("PATH", "/no/such/dir", 1);
    b.o.cc = WF_FRONT_CC_AUTO;
    CHECK_EQ(wf_front_build(&b.o, b.exe, sizeof b.exe, &b.err), WF_E_IO);
    CHECK_HAS(b.err.text, "neither nvcc nor clang-19");
    CHECK_HAS(b.err.hint, "clang-19");
    wf_file_remove_tree(b.dir);
}
