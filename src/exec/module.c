// SPDX-License-Identifier: Apache-2.0
// PTX texts to a loaded module: parsed, variables placed in device memory with their initialisers,
// entries listed. Several texts are one program: an extern variable is its definition elsewhere.

#include <stdlib.h> // free
#include <string.h> // memcpy

#include "exec/exec_priv.h"
#include "exec/func.h"
#include "ptx/parse.h"

const struct wf_events *exec__events;

void wf_exec_subscribe(const struct wf_events *ev)
{
    exec__events = ev;
}

static struct place *place_of(struct wf_module *m, const struct ptx_var *v)
{
    for (size_t i = 0; i < m->places.n; i++)
        if (m->places.at[i].var == v)
            return &m->places.at[i];
    return NULL;
}

static const struct place *defined(const struct wf_module *m, const char *name)
{
    for (size_t i = 0; i < m->places.n; i++)
        if (!m->places.at[i].is_extern && !strcmp(m->places.at[i].name, name))
            return &m->places.at[i];
    return NULL;
}

static enum wf_status place_var(struct wf_module *m, const struct ptx_var *v, struct wf_err *err)
{
    struct place p = {.var = v, .name = v->name, .bytes = v->bytes, .is_managed = v->is_managed};
    if (v->is_extern) {
        p.is_extern = true;
        WF_PUSH(&m->places, p);
        return WF_OK;
    }
    const struct place *first = (v->is_weak || v->is_common) ? defined(m, v->name) : NULL;
    if (first) { // weak: the first definition stands for all
        p.addr = first->addr;
        p.is_borrowed = true;
        WF_PUSH(&m->places, p);
        return WF_OK;
    }
    enum wf_status st = wf_heap_alloc(v->is_managed ? WF_MEM_MANAGED : WF_MEM_MODULE, v->bytes ? v->bytes : 1,
                                      v->align ? v->align : 16, v->name, &p.addr, err);
    if (st)
        return st;
    void *host = wf_space_host(wf_space_get(NULL), p.addr);
    memset(host, 0, v->bytes);
    if (v->init_bytes)
        memcpy(host, v->init, v->init_bytes < v->bytes ? v->init_bytes : v->bytes);
    wf_heap_note_write(p.addr, v->bytes);
    WF_PUSH(&m->places, p);
    return WF_OK;
}

// Addresses of functions in initialisers are handles: number of the entry in a process-wide table. Kernels
// that call through them translate the handle, see exec/frame.c.
static WF_VEC(const struct ptx_func *) handles;
static pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t exec__func_handle(const struct ptx_func *f)
{
    pthread_mutex_lock(&handle_lock);
    size_t i = 0;
    while (i < handles.n && handles.at[i] != f)
        i++;
    if (i == handles.n)
        WF_PUSH(&handles, f);
    pthread_mutex_unlock(&handle_lock);
    return 0x100000 + i * 16;
}

const struct ptx_func *exec__handle_func(uint64_t handle)
{
    const struct ptx_func *f = NULL;
    pthread_mutex_lock(&handle_lock);
    if (handle >= 0x100000 && handle % 16 == 0 && (handle - 0x100000) / 16 < handles.n)
        f = handles.at[(handle - 0x100000) / 16];
    pthread_mutex_unlock(&handle_lock);
    return f;
}

static const struct ptx_func *body_of(const struct wf_module *m, const struct ptx_func *f)
{
    for (uint32_t i = 0; i < m->n_mods && !f->has_body; i++)
        for (uint32_t k = 0; k < m->mods[i]->n_funcs; k++)
            if (m->mods[i]->funcs[k]->has_body && !strcmp(m->mods[i]->funcs[k]->name, f->name))
                return m->mods[i]->funcs[k];
    return f;
}

static void patch(struct wf_module *m, const struct place *p)
{
    for (uint32_t i = 0; i < p->var->n_relocs && !p->is_borrowed && !p->is_extern; i++) {
        const struct ptx_reloc *r = &p->var->relocs[i];
        uint64_t v = (uint64_t)r->addend;
        if (r->func) {
            v += exec__func_handle(body_of(m, r->func));
        } else if (r->var) {
            const struct place *t = place_of(m, r->var);
            if (t && t->is_extern)
                t = defined(m, t->name);
            v += t ? t->addr : 0;
        }
        v >>= r->shift;
        uint8_t *at = wf_space_host(wf_space_get(NULL), p->addr + r->offset);
        memcpy(at, &v, r->bytes > 8 ? 8 : r->bytes);
    }
}

static void list_kernels(struct wf_module *m)
{
    for (uint32_t i = 0; i < m->n_mods; i++)
        for (uint32_t k = 0; k < m->mods[i]->n_funcs; k++) {
            const struct ptx_func *f = m->mods[i]->funcs[k];
            if (!f->is_entry || !f->has_body)
                continue;
            struct wf_kernel *x = wf_xcalloc(1, sizeof *x);
            x->module = m;
            x->home = m->mods[i];
            x->func = f;
            WF_PUSH(&m->kernels, x);
        }
}

enum wf_status wf_module_load(const char *name, const char *const *texts, const uint64_t *sizes, uint32_t n_texts,
                              struct wf_module **out, struct wf_err *err)
{
    if (!wf_space_get(err))
        return WF_E_NOMEM;
    struct wf_module *m = wf_xcalloc(1, sizeof *m);
    enum wf_status st = WF_OK;
    wf_arena_init(&m->arena, "module");
    pthread_mutex_init(&m->lock, NULL);
    m->name = wf_xstrdup(name);
    m->mods = WF_NEW_N(&m->arena, const struct ptx_module *, n_texts + 1);
    for (uint32_t i = 0; i < n_texts && !st; i++) {
        struct ptx_module *x;
        st = ptx_parse(&m->arena, m->name, texts[i], sizes[i], &x, err);
        if (!st)
            m->mods[m->n_mods++] = x;
    }
    for (uint32_t i = 0; i < m->n_mods && !st; i++)
        for (uint32_t k = 0; k < m->mods[i]->n_vars && !st; k++) {
            const struct ptx_var *v = m->mods[i]->vars[k];
            if (v->space == PTX_SP_GLOBAL || v->space == PTX_SP_CONST)
                st = place_var(m, v, err);
        }
    for (uint32_t i = 0; i < m->n_mods && !st; i++) // static variables of functions
        for (uint32_t f = 0; f < m->mods[i]->n_funcs && !st; f++)
            for (uint32_t k = 0; k < m->mods[i]->funcs[f]->n_vars && !st; k++) {
                const struct ptx_var *v = m->mods[i]->funcs[f]->vars[k];
                if (v->space == PTX_SP_GLOBAL || v->space == PTX_SP_CONST)
                    st = place_var(m, v, err);
            }
    if (st) {
        wf_module_unload(m);
        return st;
    }
    for (size_t i = 0; i < m->places.n; i++)
        patch(m, &m->places.at[i]);
    list_kernels(m);
    *out = m;
    return WF_OK;
}

void wf_module_unload(struct wf_module *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->places.n; i++)
        if (!m->places.at[i].is_extern && !m->places.at[i].is_borrowed)
            wf_heap_free(m->places.at[i].addr, NULL, NULL);
    for (size_t i = 0; i < m->kernels.n; i++) {
        free(m->kernels.at[i]->offsets);
        free(m->kernels.at[i]->sizes);
        for (int v = 0; v < 18; v++)
            free(m->kernels.at[i]->variant[v / 6][v / 2 % 3][v % 2].syms);
        exec__proofs_free(m->kernels.at[i]->proofs);
        free(m->kernels.at[i]);
    }
    WF_VEC_FINI(&m->kernels);
    WF_VEC_FINI(&m->places);
    pthread_mutex_destroy(&m->lock);
    free(m->name);
    wf_arena_fini(&m->arena);
    free(m);
}

uint32_t wf_module_kernel_count(const struct wf_module *m)
{
    return (uint32_t)m->kernels.n;
}

struct wf_kernel *wf_module_kernel_at(struct wf_module *m, uint32_t i)
{
    return i < m->kernels.n ? m->kernels.at[i] : NULL;
}

struct wf_kernel *wf_module_kernel(struct wf_module *m, const char *name)
{
    for (size_t i = 0; i < m->kernels.n; i++)
        if (!strcmp(m->kernels.at[i]->func->name, name))
            return m->kernels.at[i];
    return NULL;
}

bool wf_module_var(const struct wf_module *m, const char *name, uint64_t *addr, uint64_t *bytes, bool *is_managed)
{
    const struct place *p = defined(m, name);
    if (!p)
        return false;
    *addr = p->addr;
    *bytes = p->bytes;
    *is_managed = p->is_managed;
    return true;
}

void wf_module_var_alias(struct wf_module *m, const char *name, uint64_t addr)
{
    for (size_t i = 0; i < m->places.n; i++)
        if (!strcmp(m->places.at[i].name, name)) {
            if (!m->places.at[i].is_borrowed && !m->places.at[i].is_extern)
                wf_heap_free(m->places.at[i].addr, NULL, NULL);
            m->places.at[i].addr = addr;
            m->places.at[i].is_borrowed = true;
        }
}
