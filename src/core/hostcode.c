// SPDX-License-Identifier: Apache-2.0
// Unwinding by the compiler's own tables; lines by addr2line, once a place.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dl_iterate_phdr
#endif
#include "core/hostcode.h"

#include <dlfcn.h>   // dladdr
#include <link.h>    // dl_iterate_phdr
#include <pthread.h> // pthread_mutex_t
#include <stdio.h>   // snprintf
#include <stdlib.h>  // strtoul
#include <string.h>  // strcmp
#include <unistd.h>  // readlink
#include <unwind.h>  // _Unwind_Backtrace

#include "base/arena.h" // wf_xcalloc
#include "base/file.h"  // wf_process_run
#include "base/map.h"   // struct wf_map
#include "core/loc.h"   // wf_loc_is_library

// A loaded object around an address: is it of this tool (its libraries lie in one folder)?
struct object {
    uintptr_t lo, hi, bias;
    bool is_ours, is_system;
    bool is_between; // of the C++ library or a sanitizer: what makes threads for others
    char path[512];
};
#define OBJECTS 64
static struct object objects[OBJECTS]; // grows only, under the lock
static uint32_t n_objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_map lines; // pc -> struct wf_loc, or &unknown
static const struct wf_loc unknown;

struct search {
    uintptr_t pc;
    struct object *out;
    bool found;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    struct search *s = arg;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t lo = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || s->pc - lo >= p->p_memsz)
            continue;
        *s->out = (struct object){.lo = lo, .hi = lo + p->p_memsz, .bias = info->dlpi_addr};
        snprintf(s->out->path, sizeof s->out->path, "%s",
                 info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
        s->found = true;
        return 1;
    }
    return 0;
}

static void folder_of(const char *path, char *buf, size_t n)
{
    const char *slash = strrchr(path, '/');
    snprintf(buf, n, "%.*s", slash ? (int)(slash - path) : 0, path);
}

static void classify(struct object *o)
{
    static const char *const ours[] = {"libcudart.so", "libcuda.so", "libnvrtc.so", "libwarpfence"};
    const char *name = strrchr(o->path, '/');
    name = name ? name + 1 : o->path;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        o->is_ours |= strncmp(name, ours[i], strlen(ours[i])) == 0;
    static const char *const between[] = {"libstdc++.so", "libc++.so", "libasan.so", "libtsan.so", "libpthread.so"};
    for (size_t i = 0; i < sizeof between / sizeof *between; i++)
        o->is_between |= strncmp(name, between[i], strlen(between[i])) == 0;
    Dl_info me;
    char mine[512];
    if (dladdr((const void *)&n_objects, &me) && me.dli_fname) {
        folder_of(me.dli_fname, mine, sizeof mine);
        size_t n = strlen(mine);
        o->is_ours |= n && strncmp(o->path, mine, n) == 0 && o->path + n + 1 == name &&
                      strstr(name, ".so") != NULL;
    }
    o->is_system = strncmp(o->path, "/lib/", 5) == 0 || strncmp(o->path, "/usr/lib/", 9) == 0 ||
                   strncmp(o->path, "linux-vdso", 10) == 0;
}

// With the lock held. NULL for code of no object, and when there are too many.
static const struct object *object_of(uintptr_t pc)
{
    for (uint32_t i = 0; i < n_objects; i++)
        if (pc - objects[i].lo < objects[i].hi - objects[i].lo)
            return &objects[i];
    if (n_objects == OBJECTS)
        return NULL;
    struct search s = {.pc = pc, .out = &objects[n_objects]};
    dl_iterate_phdr(look, &s);
    if (!s.found)
        return NULL;
    classify(s.out);
    return &objects[n_objects++];
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
    struct wf_calls *c = arg;
    int is_exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_exact);
    if (!pc)
        return _URC_END_OF_STACK;
    pc -= !is_exact; // inside the call, not behind it
    const struct object *o = object_of(pc);
    if (!o || o->is_ours || o->is_system)
        return _URC_NO_REASON;
    c->pc[c->n++] = (void *)pc;
    return c->n == WF_CALLS ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void wf_calls_here(struct wf_calls *out)
{
    *out = (struct wf_calls){0};
    pthread_mutex_lock(&lock);
    _Unwind_Backtrace(step, out);
    pthread_mutex_unlock(&lock);
}

struct maker {
    bool has_left; // the frames of this library that asked
    bool is_own;
};

static _Unwind_Reason_Code step_maker(struct _Unwind_Context *context, void *arg)
{
    struct maker *m = arg;
    int is_exact = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_exact);
    const struct object *o = pc ? object_of(pc - !is_exact) : NULL;
    if (o && o->is_ours && !m->has_left)
        return _URC_NO_REASON;
    m->has_left = true;
    if (o && o->is_between)
        return _URC_NO_REASON;
    m->is_own = o && strcmp(o->path, "/proc/self/exe") == 0;
    return _URC_END_OF_STACK;
}

bool wf_calls_thread_is_own(void)
{
    struct maker m = {0};
    pthread_mutex_lock(&lock);
    _Unwind_Backtrace(step_maker, &m);
    pthread_mutex_unlock(&lock);
    return m.is_own;
}

// One place of addr2line's output: a function's name, then "file:line (discriminator n)".
static bool read_place(char **at, struct wf_loc *out)
{
    char *function = *at, *end = strchr(function, '\n');
    if (!end)
        return false;
    char *file = end + 1, *file_end = strchr(file, '\n');
    if (!file_end)
        return false;
    *end = *file_end = '\0';
    *at = file_end + 1;
    char *colon = strrchr(file, ':');
    *out = (struct wf_loc){.function = function, .file = file};
    if (!colon)
        return true;
    *colon = '\0';
    out->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    return true;
}

static const char *keep(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(wf_xmalloc(n), s, n);
}

static const struct wf_loc *resolve(const struct object *o, uintptr_t pc)
{
    static const char *const tools[] = {"addr2line", "llvm-addr2line", "llvm-addr2line-19"};
    char exe[64], address[32];
    snprintf(exe, sizeof exe, "%s", "/proc/self/exe");
    snprintf(address, sizeof address, "0x%lx", (unsigned long)(pc - o->bias));
    char path[600];
    snprintf(path, sizeof path, "%s", o->path);
    if (strcmp(path, exe) == 0) { // the child's own would be another
        char self[512];
        ssize_t n = readlink(exe, self, sizeof self - 1);
        if (n <= 0)
            return &unknown;
        snprintf(path, sizeof path, "%.*s", (int)n, self);
    }
    struct wf_str text = {0};
    bool is_run = false;
    for (size_t i = 0; i < sizeof tools / sizeof *tools && !is_run; i++) {
        char *argv[] = {(char *)tools[i], "-f", "-C", "-i", "-e", path, address, NULL};
        int status = 0;
        text.n = 0;
        is_run = wf_process_run(argv, &text, &status, NULL) == WF_OK && status == 0;
    }
    struct wf_loc *first = NULL, *last = NULL, place;
    char *at = is_run ? (char *)wf_str_get(&text) : NULL;
    while (at && read_place(&at, &place)) {
        if (!place.line || place.file[0] == '?' || wf_loc_is_library(place.file) ||
            strstr(place.file, ".stub.c"))
            continue;
        struct wf_loc *l = wf_xcalloc(1, sizeof *l);
        *l = (struct wf_loc){
            .file = keep(place.file), .function = keep(place.function), .line = place.line};
        if (last)
            last->inlined = l;
        first = first ? first : l;
        last = l;
    }
    wf_str_fini(&text);
    return first ? first : &unknown;
}

// A copy of a chain of inlined places, with `rest` behind it as the caller.
static const struct wf_loc *chain(const struct wf_loc *l, const struct wf_loc *rest)
{
    if (!l)
        return rest;
    struct wf_loc *own = wf_xcalloc(1, sizeof *own);
    *own = *l;
    own->inlined = chain(l->inlined, rest);
    return own;
}

static const struct wf_loc *place_of(uintptr_t pc)
{
    const struct wf_loc *l = wf_map_get(&lines, pc);
    if (l)
        return l;
    const struct object *o = object_of(pc);
    l = o ? resolve(o, pc) : &unknown;
    wf_map_put(&lines, pc, (void *)l);
    return l;
}

const struct wf_loc *wf_calls_loc(const struct wf_calls *c)
{
    const struct wf_loc *found = NULL;
    pthread_mutex_lock(&lock);
    for (uint32_t i = c->n; i-- > 0;) { // outermost first: each gets the one around it as caller
        const struct wf_loc *l = place_of((uintptr_t)c->pc[i]);
        if (l != &unknown)
            found = chain(l, found);
    }
    pthread_mutex_unlock(&lock);
    return found;
}
