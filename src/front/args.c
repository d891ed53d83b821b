// SPDX-License-Identifier: Apache-2.0
// Sorts the passed-on compiler options: what only the linker wants, and for clang what only the
// host or the device pass wants. One row an option; rows with nvcc spellings give clang's meaning
// beside them.
#include <string.h> // strcmp

#include "front/priv.h"

enum where {
    BOTH,     // host and device, as it stands
    HOST,     // host pass only
    LINK,     // linker only
    HOSTLINK, // host pass and linker
    DROP,     // nvcc has it, clang needs nothing
    ARCH,     // chooses an architecture
    RDC,      // separate device compilation
    SPLIT,    // value is a comma list for the host compiler
    STREAM,   // -default-stream
    FAST,     // -use_fast_math
    LANG,     // -x
    REFUSE    // contradicts what a build does
};
enum form {
    ALONE,  // the option itself
    JOINED, // "-Ivalue", "-std=value" or "-I value"
    PREFIX  // anything that begins so; no separate value
};
struct row {
    const char *name;
    enum form form;
    enum where where;
};

// First match wins: longer spellings stand before their prefixes.
static const struct row rows[] = {
    {"-o", JOINED, REFUSE},
    {"-c", ALONE, REFUSE},
    {"-dc", ALONE, REFUSE},
    {"-E", ALONE, REFUSE},
    {"-S", ALONE, REFUSE},
    {"-ptx", ALONE, REFUSE},
    {"-cubin", ALONE, REFUSE},
    {"-fatbin", ALONE, REFUSE},
    {"-cudart", JOINED, REFUSE},
    {"--cudart", JOINED, REFUSE},
    {"-arch", JOINED, ARCH},
    {"--gpu-architecture", JOINED, ARCH},
    {"-gencode", JOINED, ARCH},
    {"--generate-code", JOINED, ARCH},
    {"-code", JOINED, ARCH},
    {"--gpu-code", JOINED, ARCH},
    {"-rdc", JOINED, RDC},
    {"--relocatable-device-code", JOINED, RDC},
    {"-dlto", ALONE, RDC},
    {"-Xcompiler", JOINED, SPLIT},
    {"--compiler-options", JOINED, SPLIT},
    {"-default-stream", JOINED, STREAM},
    {"--default-stream", JOINED, STREAM},
    {"-use_fast_math", ALONE, FAST},
    {"--use_fast_math", ALONE, FAST},
    {"-Xptxas", JOINED, DROP},
    {"--ptxas-options", JOINED, DROP},
    {"-Xcicc", JOINED, DROP},
    {"-Xnvlink", JOINED, DROP},
    {"-Xcudafe", JOINED, DROP},
    {"-Xnvvm", JOINED, DROP},
    {"-ccbin", JOINED, DROP},
    {"--compiler-bindir", JOINED, DROP},
    {"-maxrregcount", JOINED, DROP},
    {"--maxrregcount", JOINED, DROP},
    {"-diag-suppress", JOINED, DROP},
    {"--diag-suppress", JOINED, DROP},
    {"-lineinfo", ALONE, DROP},
    {"--generate-line-info", ALONE, DROP},
    {"-G", ALONE, DROP},
    {"--device-debug", ALONE, DROP},
    {"-res-usage", ALONE, DROP},
    {"--expt-relaxed-constexpr", ALONE, DROP},
    {"-expt-relaxed-constexpr", ALONE, DROP},
    {"--expt-extended-lambda", ALONE, DROP},
    {"-expt-extended-lambda", ALONE, DROP},
    {"--extended-lambda", ALONE, DROP},
    {"-extended-lambda", ALONE, DROP},
    {"-x", JOINED, LANG},
    {"-Xlinker", JOINED, LINK},
    {"-Wl,", PREFIX, LINK},
    {"-static", PREFIX, LINK},
    {"-shared", ALONE, LINK},
    {"-rdynamic", ALONE, LINK},
    {"-l", JOINED, LINK},
    {"-L", JOINED, LINK},
    {"-pthread", ALONE, HOSTLINK},
    {"-fopenmp", PREFIX, HOSTLINK},
    {"-fsanitize", PREFIX, HOSTLINK},
    {"-include", JOINED, BOTH},
    {"-isystem", JOINED, BOTH},
    {"-I", JOINED, BOTH},
    {"-D", JOINED, BOTH},
    {"-U", JOINED, BOTH},
    {"-std", JOINED, BOTH},
    {"--std", JOINED, BOTH},
    {"-O", PREFIX, HOST},
    {"-W", PREFIX, BOTH},
    {"-w", ALONE, BOTH},
    {"-f", PREFIX, HOST},
    {"-g", PREFIX, HOST},
    {"-m", PREFIX, HOST},
};

static const char *suffix_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot + 1 : "";
}

static bool is_one_of(const char *s, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(s, *list) == 0)
            return true;
    return false;
}

static const char *const cuda_suffix[] = {"cu", NULL};
static const char *const host_suffix[] = {"c", "cc", "cpp", "cxx", "C", NULL};
static const char *const link_suffix[] = {"o", "a", "so", NULL};

bool wf__is_cuda_source(const struct wf__plan *p, const char *path)
{
    return p->is_forced_cuda || is_one_of(suffix_of(path), cuda_suffix);
}

bool wf__is_source_name(const char *path)
{
    return is_one_of(suffix_of(path), cuda_suffix) || is_one_of(suffix_of(path), host_suffix);
}

bool wf__is_link_input(const char *path)
{
    return is_one_of(suffix_of(path), link_suffix) || strstr(path, ".so.") != NULL;
}

static bool matches(const struct row *r, const char *arg)
{
    size_t n = strlen(r->name);
    if (strncmp(arg, r->name, n) != 0)
        return false;
    if (r->form == PREFIX || !arg[n])
        return true;
    return r->form == JOINED && (arg[n] == '=' || n == 2); // "-Idir", "-std=c++17"
}

static const struct row *find_row(const char *arg)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (matches(&rows[i], arg))
            return &rows[i];
    return NULL;
}

// "a,b,c" of -Xcompiler: each for the host compiler; linker options among them go where they
// belong.
static void split(struct wf__plan *p, const char *list)
{
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ",");
        const char *one = wf_arena_strndup(&p->arena, list, (size_t)(end - list));
        const struct row *r = find_row(one);
        if (!r || r->where != LINK)
            wf__argv_add(&p->host, one);
        if (r && (r->where == LINK || r->where == HOSTLINK))
            wf__argv_add(&p->link, one);
    }
}

// `arg` and its separate value (or NULL) to the lists of the clang way, and to `link` for both
// ways.
static enum wf_status place(struct wf__plan *p, const struct row *r, const char *arg,
                            const char *value, struct wf_err *err)
{
    const char *joined = strchr(arg, '=');
    const char *plain = value ? value : joined ? joined + 1 : strlen(arg) > 2 ? arg + 2 : "";
    struct wf__argv *to = &p->host;
    switch (r->where) {
    case BOTH:
        to = &p->common;
        break;
    case HOST:
        break;
    case HOSTLINK:
        wf__argv_add(&p->link, arg);
        break;
    case LINK:
        to = &p->link;
        break;
    case DROP:
        return WF_OK;
    case ARCH:
        p->has_arch = true;
        return WF_OK;
    case RDC:
        p->is_rdc |= strcmp(plain, "false") != 0;
        return WF_OK;
    case SPLIT:
        split(p, plain);
        return WF_OK;
    case STREAM:
        wf__argv_add(&p->common, strcmp(plain, "per-thread") == 0
                                     ? "-fgpu-default-stream=per-thread"
                                     : "-fgpu-default-stream=legacy");
        return WF_OK;
    case FAST:
        wf__argv_add(&p->common, "-D__USE_FAST_MATH__=1");
        wf__argv_add(&p->device, "-fgpu-flush-denormals-to-zero");
        return WF_OK;
    case LANG:
        p->is_forced_cuda |= strcmp(plain, "cu") == 0 || strcmp(plain, "cuda") == 0;
        return WF_OK;
    case REFUSE:
        wf_err_set(err, WF_E_USAGE, "compiler option %s cannot be passed on", arg);
        wf_err_hint(err, "warpfence chooses the output itself and links the shared runtime");
        return WF_E_USAGE;
    }
    if (r->where == BOTH && strncmp(arg, "--std", 5) == 0)
        arg++; // clang knows one dash only
    if (r->where == BOTH && value && strcmp(r->name + strspn(r->name, "-"), "std") == 0) {
        wf__argv_add(to, wf_arena_printf(&p->arena, "-std=%s", value));
        return WF_OK;
    }
    wf__argv_add(to, arg);
    if (value)
        wf__argv_add(to, value);
    return WF_OK;
}

enum wf_status wf__plan_sort_args(struct wf__plan *p, struct wf_err *err)
{
    const struct wf_front_opts *o = p->o;
    for (size_t i = 0; i < o->n_args; i++) {
        const char *arg = o->args[i], *value = NULL;
        if (arg[0] != '-') {
            if (wf__is_source_name(arg)) {
                wf__argv_add(&p->sources, arg);
                continue;
            }
            if (!wf__is_link_input(arg))
                return wf_err_set(err, WF_E_USAGE,
                                  "%s among the compiler options is neither an option nor a source",
                                  arg);
            wf__argv_add(&p->link, arg);
            continue;
        }
        const struct row *r = find_row(arg);
        if (!r) { // nvcc knows more options than this table; clang will say what it does not know
            wf__argv_add(&p->raw, arg);
            wf__argv_add(&p->host, arg);
            continue;
        }
        if (r->form == JOINED && strcmp(arg, r->name) == 0) {
            if (i + 1 == o->n_args)
                return wf_err_set(err, WF_E_USAGE, "compiler option %s lacks its value", arg);
            value = o->args[++i];
        }
        enum wf_status st = place(p, r, arg, value, err);
        if (st != WF_OK)
            return st;
        if (r->where != LINK) {
            wf__argv_add(&p->raw, arg);
            if (value)
                wf__argv_add(&p->raw, value);
        }
    }
    return WF_OK;
}
