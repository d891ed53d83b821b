// SPDX-License-Identifier: Apache-2.0
// Images are read lazily: start-up only notes addresses and names. One lock covers the tables and
// the loading; it is never held while a kernel runs.
#include "rt/module.h"

#include <pthread.h> // pthread_mutex_t
#include <stdlib.h>  // free
#include <string.h>  // strcmp

#include "base/file.h"     // wf_file_read
#include "base/map.h"      // struct wf_map
#include "core/launch.h"   // struct wf_gpu
#include "core/trouble.h"  // wf_trouble_add
#include "fatbin/fatbin.h" // struct wf_fatbin
#include "rt/ctx.h"        // wf_rt_enter
#include "rt/engine.h"     // wf__engine
#include "rt/launch.h"     // struct wf__function_state
#include "rt/link.h"       // wf__link_read
#include "rt/managed.h"    // wf__managed_bind
#include "rt/queue.h"      // wf__queue_drain
#include "rt/table.h"      // wf__table_put

struct wf_rt_function {
    struct wf_rt_image *image;
    const void *host; // NULL for a library's
    const char *name;
    struct wf_kernel *kernel; // NULL until its image is loaded
    struct wf__function_state state;
    struct wf_rt_function *next;
};

struct variable {
    struct wf_rt_image *image;
    const void *host;
    void **managed_host; // where the program keeps the managed variable's address, or NULL
    const char *name;
    uint64_t bytes;
    struct variable *next;
};

struct wf_rt_image {
    const void *wrapper; // registered, else `data`
    const void *data;
    uint64_t data_bytes;
    const char *name; // for messages, or NULL
    uint64_t library; // handle, or 0
    struct wf_rt_function *functions;
    struct variable *variables;
    bool has_managed;         // of clang's: to be loaded when its registration ends
    bool is_part;             // the device code is one part of several that are linked (-rdc with clang)
    struct wf_rt_image *whole; // the part that was loaded first and has the module of all, or NULL
    bool is_tried;
    enum wf_cu result; // of loading, once tried
    struct wf_module *module;
    struct wf_fatbin fatbin; // the texts live as long as the module
    struct wf_rt_image *prev, *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct wf_rt_image *images;
static struct wf_map by_host;  // host function -> struct wf_rt_function
static struct wf_map alive;    // struct wf_rt_function -> itself
static struct wf_map var_host; // host variable -> struct variable
static struct wf__table libraries = {.tag = WF__TAG_LIBRARY};

static uint64_t key(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static struct wf_rt_image *image_new_locked(void)
{
    struct wf_rt_image *m = wf_xcalloc(1, sizeof *m);
    m->next = images;
    if (images)
        images->prev = m;
    images = m;
    return m;
}

struct wf_rt_image *wf_rt_image_register(const void *wrapper)
{
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = image_new_locked();
    m->wrapper = wrapper;
    pthread_mutex_unlock(&lock);
    return m;
}

static struct wf_rt_function *function_new_locked(struct wf_rt_image *m, const void *host,
                                                  const char *name)
{
    struct wf_rt_function *f = wf_xcalloc(1, sizeof *f);
    f->image = m;
    f->host = host;
    f->name = name;
    wf__function_state_init(&f->state);
    f->next = m->functions;
    m->functions = f;
    wf_map_put(&alive, key(f), f);
    return f;
}

void wf_rt_image_function(struct wf_rt_image *m, const void *host, const char *name)
{
    pthread_mutex_lock(&lock);
    wf_map_put(&by_host, key(host), function_new_locked(m, host, name));
    pthread_mutex_unlock(&lock);
}

static void add_variable(struct wf_rt_image *m, const struct variable *v)
{
    pthread_mutex_lock(&lock);
    struct variable *own = wf_xcalloc(1, sizeof *own);
    *own = *v;
    own->image = m;
    own->next = m->variables;
    m->variables = own;
    wf_map_put(&var_host, key(v->host), own);
    pthread_mutex_unlock(&lock);
}

// Two names are no variables but what our front end says of the source (include/cuda/cuda_runtime.h).
void wf_rt_image_variable(struct wf_rt_image *m, const void *host, const char *name, uint64_t bytes)
{
    if (!strcmp(name, "wf_has_managed"))
        m->has_managed = true;
    else if (!strcmp(name, "wf_is_relocatable"))
        m->is_part = true;
    else
        add_variable(m, &(struct variable){.host = host, .name = name, .bytes = bytes});
}

void wf_rt_image_managed(struct wf_rt_image *m, void **host, const char *name, uint64_t bytes)
{
    add_variable(
        m, &(struct variable){.host = host, .managed_host = host, .name = name, .bytes = bytes});
}

static void unload_locked(struct wf_rt_image *m)
{
    for (struct wf_rt_image *p = images; m->is_part && m->module && p; p = p->next)
        if (p != m && p->whole == m) // its module goes
            unload_locked(p);
    if (m->module && !m->whole)
        wf__engine->unload(m->module);
    if (m->module)
        wf_fatbin_fini(&m->fatbin);
    m->whole = NULL;
    m->module = NULL;
    m->is_tried = false;
    for (struct wf_rt_function *f = m->functions; f; f = f->next)
        f->kernel = NULL;
}

static void image_free_locked(struct wf_rt_image *m)
{
    unload_locked(m);
    for (struct wf_rt_function *f = m->functions, *next; f; f = next) {
        next = f->next;
        if (wf_map_get(&by_host, key(f->host)) == f)
            wf_map_del(&by_host, key(f->host));
        wf_map_del(&alive, key(f));
        free(f);
    }
    for (struct variable *v = m->variables, *next; v; v = next) {
        next = v->next;
        if (wf_map_get(&var_host, key(v->host)) == v)
            wf_map_del(&var_host, key(v->host));
        free(v);
    }
    if (m->prev)
        m->prev->next = m->next;
    else
        images = m->next;
    if (m->next)
        m->next->prev = m->prev;
    free(m);
}

void wf_rt_image_unregister(struct wf_rt_image *m)
{
    wf__queue_drain(); // its kernels may still run
    pthread_mutex_lock(&lock);
    image_free_locked(m);
    pthread_mutex_unlock(&lock);
}

static enum wf_cu code_of(enum wf_status rc)
{
    switch (rc) {
    case WF_OK:
        return WF_CU_SUCCESS;
    case WF_E_UNSUPPORTED:
        return WF_CU_NO_KERNEL_IMAGE_FOR_DEVICE;
    case WF_E_INPUT:
        return WF_CU_INVALID_PTX;
    case WF_E_NOMEM:
        return WF_CU_MEMORY_ALLOCATION;
    case WF_E_USAGE:
    case WF_E_IO:
    case WF_E_STATE:
    case WF_E_INTERNAL:
        return WF_CU_INVALID_KERNEL_IMAGE;
    }
    return WF_CU_UNKNOWN;
}

static enum wf_status read_texts(struct wf_rt_image *m, struct wf_err *err)
{
    uint32_t arch = wf_gpu_default()->sm;
    if (m->wrapper)
        return wf_fatbin_from_wrapper(m->wrapper, arch, &m->fatbin, err);
    if (wf__link_is(m->data))
        return wf__link_read(m->data, &m->fatbin, err);
    return wf_fatbin_from_image(m->data, m->data_bytes, arch, &m->fatbin, err);
}

// The texts of the image and, if it is one part of several, of the others.
static enum wf_status build(struct wf_rt_image *m, struct wf_err *err)
{
    WF_VEC(const char *) text = {0};
    WF_VEC(uint64_t) bytes = {0};
    const char *name = m->name;
    for (struct wf_rt_image *p = images; p; p = p->next) {
        if (p != m && p->whole != m)
            continue;
        for (size_t i = 0; i < p->fatbin.ptx.n; i++) {
            WF_PUSH(&text, p->fatbin.ptx.at[i].text);
            WF_PUSH(&bytes, p->fatbin.ptx.at[i].n);
            if (!name && p->fatbin.ptx.at[i].name[0])
                name = p->fatbin.ptx.at[i].name;
        }
    }
    enum wf_status rc = wf__engine->load(name ? name : "device code", text.at, bytes.at, (uint32_t)text.n, &m->module, err);
    WF_VEC_FINI(&text);
    WF_VEC_FINI(&bytes);
    return rc;
}

static void bind_locked(struct wf_rt_image *m)
{
    for (uint32_t i = 0; i < wf__engine->kernel_count(m->module); i++) {
        struct wf_kernel *k = wf__engine->kernel_at(m->module, i);
        uint32_t regs = wf_fatbin_regs(&m->fatbin, wf__engine->info(k)->name, wf_gpu_default()->sm);
        if (regs)
            wf__engine->set_regs(k, regs);
    }
    for (struct wf_rt_function *f = m->functions; f; f = f->next)
        f->kernel = wf__engine->kernel(m->module, f->name);
    for (struct variable *v = m->variables; v; v = v->next) {
        uint64_t addr, bytes;
        bool is_managed;
        if (v->managed_host && wf__engine->var(m->module, v->name, &addr, &bytes, &is_managed))
            *v->managed_host = (void *)(uintptr_t)addr;
    }
}

// Managed variables of clang's programs, which know no pointer to them.
static enum wf_status bind_managed_locked(struct wf_rt_image *m, struct wf_err *err)
{
    WF_VEC(struct wf__managed) v = {0};
    for (struct variable *x = m->variables; m->has_managed && x; x = x->next) {
        uint64_t addr, bytes;
        bool is_managed = false;
        if (!x->managed_host && wf__engine->var(m->module, x->name, &addr, &bytes, &is_managed) && is_managed)
            WF_PUSH(&v, ((struct wf__managed){x->host, x->name}));
    }
    enum wf_status rc = v.n ? wf__managed_bind(m->module, v.at, (uint32_t)v.n, err) : WF_OK;
    WF_VEC_FINI(&v);
    return rc;
}

// The other parts of the same program, registered so far, join in.
static enum wf_status gather_locked(struct wf_rt_image *m, struct wf_err *err)
{
    enum wf_status rc = read_texts(m, err);
    for (struct wf_rt_image *p = images; rc == WF_OK && m->is_part && p; p = p->next)
        if (p != m && p->is_part && !p->is_tried && (rc = read_texts(p, err)) == WF_OK) {
            p->whole = m;
            p->is_tried = true;
        }
    return rc;
}

static enum wf_cu load_locked(struct wf_rt_image *m, struct wf_err *told)
{
    if (m->is_tried)
        return m->result;
    struct wf_err err;
    m->is_tried = true;
    enum wf_status rc = gather_locked(m, &err);
    if (rc == WF_OK) {
        rc = build(m, &err);
        if (rc != WF_OK) {
            m->module = NULL;
            wf_fatbin_fini(&m->fatbin);
        }
    }
    for (struct wf_rt_image *p = images; p; p = p->next) {
        if (p != m && p->whole != m)
            continue;
        p->module = m->module;
        if (rc == WF_OK)
            bind_locked(p);
        if (rc == WF_OK)
            rc = bind_managed_locked(p, &err);
    }
    m->result = code_of(rc);
    for (struct wf_rt_image *p = images; p; p = p->next)
        if (p->whole == m)
            p->result = m->result;
    if (told && rc == WF_E_INPUT)
        *told = err;
    else if (rc != WF_OK)
        wf_trouble_add(&err, NULL);
    return m->result;
}

enum wf_cu wf_rt_image_registered(struct wf_rt_image *m)
{
    return m->has_managed && !m->is_part ? wf_rt_image_load(m) : WF_CU_SUCCESS;
}

enum wf_cu wf_rt_image_load(struct wf_rt_image *m)
{
    pthread_mutex_lock(&lock);
    enum wf_cu e = load_locked(m, NULL);
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_function_find(const void *host, struct wf_rt_function **out)
{
    if (!host)
        return WF_CU_INVALID_DEVICE_FUNCTION;
    pthread_mutex_lock(&lock);
    struct wf_rt_function *f = wf_map_get(&by_host, key(host));
    if (!f)
        f = wf_map_get(&alive, key(host)); // a kernel handle is taken as well
    pthread_mutex_unlock(&lock);
    *out = f;
    return f ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

bool wf_rt_function_is(const void *p)
{
    pthread_mutex_lock(&lock);
    bool is = p && wf_map_get(&alive, key(p));
    pthread_mutex_unlock(&lock);
    return is;
}

enum wf_cu wf__module_kernel(struct wf_rt_function *f, struct wf_kernel **out)
{
    pthread_mutex_lock(&lock);
    enum wf_cu e = load_locked(f->image, NULL);
    if (e == WF_CU_SUCCESS && !f->kernel)
        e = WF_CU_INVALID_DEVICE_FUNCTION;
    *out = f->kernel;
    pthread_mutex_unlock(&lock);
    return e;
}

const char *wf__module_function_name(const struct wf_rt_function *f)
{
    return f->name;
}

const void *wf__module_function_host(const struct wf_rt_function *f)
{
    return f->host ? f->host : f;
}

struct wf__function_state *wf__module_function_state(struct wf_rt_function *f)
{
    return &f->state;
}

// A managed variable's own address names it too: that is what "&variable" is in host code.
static struct variable *find_variable_locked(const void *host)
{
    struct variable *v = wf_map_get(&var_host, key(host));
    for (struct wf_rt_image *m = images; m && !v; m = m->next)
        for (struct variable *w = m->variables; w && !v; w = w->next)
            if (w->managed_host && *w->managed_host == host)
                v = w;
    return v;
}

enum wf_cu wf_rt_symbol(const void *host, uint64_t *addr, uint64_t *bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (!host)
        return WF_CU_INVALID_SYMBOL;
    uint64_t ptx_bytes;
    bool is_managed;
    pthread_mutex_lock(&lock);
    struct variable *v = find_variable_locked(host);
    if (!v)
        e = WF_CU_INVALID_SYMBOL;
    else if ((e = load_locked(v->image, NULL)) == WF_CU_SUCCESS) {
        if (wf__engine->var(v->image->module, v->name, addr, &ptx_bytes, &is_managed))
            *bytes = v->bytes ? v->bytes : ptx_bytes;
        else
            e = WF_CU_INVALID_SYMBOL;
    }
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_library_load(const void *image, uint64_t bytes, const char *name, uint64_t *out,
                              struct wf_err *told)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = image_new_locked();
    m->data = image;
    m->data_bytes = bytes;
    m->name = name;
    e = load_locked(m, told); // the caller's bytes may be gone later
    if (e == WF_CU_SUCCESS)
        *out = m->library = wf__table_put(&libraries, m);
    else
        image_free_locked(m);
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_library_load_file(const char *path, uint64_t *out, struct wf_err *told)
{
    struct wf_file f;
    struct wf_err err;
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    if (wf_file_read(path, &f, &err) != WF_OK)
        return WF_CU_FILE_NOT_FOUND;
    e = wf_rt_library_load(f.at, f.n, NULL, out, told); // texts are copied out of the file
    wf_file_fini(&f);
    return e;
}

enum wf_cu wf_rt_library_unload(uint64_t library)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    wf__queue_drain();
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = wf__table_get(&libraries, library);
    if (m) {
        wf__table_drop(&libraries, library);
        image_free_locked(m);
    }
    pthread_mutex_unlock(&lock);
    return m ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

static struct wf_rt_function *library_function_locked(struct wf_rt_image *m, struct wf_kernel *k)
{
    for (struct wf_rt_function *f = m->functions; f; f = f->next)
        if (f->kernel == k)
            return f;
    struct wf_rt_function *f = function_new_locked(m, NULL, wf__engine->info(k)->name);
    f->kernel = k;
    return f;
}

enum wf_cu wf_rt_library_function(uint64_t library, const char *name, struct wf_rt_function **out)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = wf__table_get(&libraries, library);
    struct wf_kernel *k = m && m->module ? wf__engine->kernel(m->module, name) : NULL;
    if (k)
        *out = library_function_locked(m, k);
    else
        e = m ? WF_CU_SYMBOL_NOT_FOUND : WF_CU_INVALID_RESOURCE_HANDLE;
    pthread_mutex_unlock(&lock);
    return e;
}

enum wf_cu wf_rt_library_variable(uint64_t library, const char *name, bool is_managed,
                                  uint64_t *addr, uint64_t *bytes)
{
    enum wf_cu e = wf_rt_enter();
    if (e != WF_CU_SUCCESS)
        return e;
    bool managed = false;
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = wf__table_get(&libraries, library);
    if (!m)
        e = WF_CU_INVALID_RESOURCE_HANDLE;
    else if (!m->module || !wf__engine->var(m->module, name, addr, bytes, &managed) ||
             (is_managed && !managed))
        e = WF_CU_SYMBOL_NOT_FOUND;
    pthread_mutex_unlock(&lock);
    return e;
}

uint64_t wf_rt_library_of(struct wf_rt_function *f)
{
    return f->image->library;
}

enum wf_cu wf_rt_library_count(uint64_t library, unsigned *n)
{
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = wf__table_get(&libraries, library);
    if (m)
        *n = m->module ? wf__engine->kernel_count(m->module) : 0;
    pthread_mutex_unlock(&lock);
    return m ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

enum wf_cu wf_rt_library_list(uint64_t library, struct wf_rt_function **out, unsigned max)
{
    pthread_mutex_lock(&lock);
    struct wf_rt_image *m = wf__table_get(&libraries, library);
    uint32_t n = m && m->module ? wf__engine->kernel_count(m->module) : 0;
    for (uint32_t i = 0; i < n && i < max; i++)
        out[i] = library_function_locked(m, wf__engine->kernel_at(m->module, i));
    pthread_mutex_unlock(&lock);
    return m ? WF_CU_SUCCESS : WF_CU_INVALID_RESOURCE_HANDLE;
}

void wf__module_reset(void)
{
    pthread_mutex_lock(&lock);
    wf__table_clear(&libraries);
    for (struct wf_rt_image *m = images, *next; m; m = next) {
        next = m->next;
        if (m->wrapper) {
            unload_locked(m);
            for (struct wf_rt_function *f = m->functions; f; f = f->next)
                wf__function_state_init(&f->state);
        } else {
            image_free_locked(m);
        }
    }
    pthread_mutex_unlock(&lock);
}
