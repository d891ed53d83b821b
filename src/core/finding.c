// SPDX-License-Identifier: Apache-2.0
// The process's findings: merged, sorted, told to one listener. Knows no detector and no output
// format.
//
// Two findings are one when they are of the same kind and name the same source lines, in any order
// of the parties (a race seen from either side). The heaviest, then the earliest by (seed, launch,
// order), stands for all of them, so that the result does not hang on which thread reported first; `count` adds up.
#include "core/finding.h"

#include <pthread.h> // pthread_mutex_t
#include <stdlib.h>  // qsort, free
#include <string.h>  // strcmp

#include "base/arena.h" // wf_xmalloc
#include "base/map.h"   // struct wf_map
#include "base/vec.h"   // WF_VEC
#include "core/loc.h"   // wf_loc_user
#include "core/settings.h" // wf_settings

static const struct {
    const char *slug, *title;
    uint32_t number;
    enum wf_severity severity;
} rows[] = {
#define WF_FINDING(id, number, slug, severity, title)                                              \
    [WF_F_##id] = {slug, title, number, WF_SEV_##severity},
#include "core/finding.def"
#undef WF_FINDING
};

struct entry {
    struct wf_finding f;
    uint64_t arrival;
    struct entry *same_hash;
};

static struct {
    pthread_mutex_t lock;
    WF_VEC(struct entry *) all;
    struct wf_map by_hash; // struct entry
    struct wf_arena kept;  // names and places: findings outlive the modules that they are about
    struct wf_smap names;  // in kept
    uint64_t arrivals;
    void (*listener)(void *arg, const struct wf_finding *f);
    void *listener_arg;
} store = {.lock = PTHREAD_MUTEX_INITIALIZER, .kept = {.name = "findings"}};

const char *wf_finding_slug(enum wf_finding_kind k)
{
    return rows[k].slug;
}

uint32_t wf_finding_number(enum wf_finding_kind k)
{
    return rows[k].number;
}

enum wf_severity wf_finding_default_severity(enum wf_finding_kind k)
{
    return rows[k].severity;
}

const char *wf_finding_title(enum wf_finding_kind k)
{
    return rows[k].title;
}

struct wf_finding wf_finding_make(enum wf_finding_kind k, const char *kernel, uint64_t launch)
{
    return (struct wf_finding){
        .kind = k, .severity = rows[k].severity, .kernel = kernel, .launch = launch, .count = 1};
}

struct wf_party *wf_finding_party(struct wf_finding *f, enum wf_party_role role,
                                  const struct wf_loc *loc)
{
    if (f->n_parties < WF_MAX_PARTIES)
        f->n_parties++;
    struct wf_party *p = &f->party[f->n_parties - 1];
    *p = (struct wf_party){.role = role, .loc = loc};
    return p;
}

static bool is_main_party(const struct wf_party *p)
{
    return p->role == WF_PARTY_ACCESS || p->role == WF_PARTY_WAITER || p->role == WF_PARTY_RELEASER ||
           p->role == WF_PARTY_LAUNCH;
}

static uint64_t hash_text(const char *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; s && *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    return h;
}

static bool has_source(const struct wf_loc *l)
{
    return l && l->file;
}

// Without a source position the PTX line within the kernel has to do.
static uint64_t place_hash(const struct wf_finding *f, const struct wf_loc *l)
{
    l = wf_loc_user(l);
    if (has_source(l))
        return hash_text(l->file) * 31 + l->line;
    return (hash_text(f->kernel) * 37 + (l ? l->ptx_line : 0)) ^ 1;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(const struct wf_finding *f, const struct wf_loc *a,
                       const struct wf_finding *g, const struct wf_loc *b)
{
    a = wf_loc_user(a);
    b = wf_loc_user(b);
    if (has_source(a) != has_source(b))
        return false;
    if (has_source(a))
        return a->line == b->line && same_text(a->file, b->file);
    return same_text(f->kernel, g->kernel) && (a ? a->ptx_line : 0) == (b ? b->ptx_line : 0);
}

// Every place of f is a place of g.
static bool places_within(const struct wf_finding *f, const struct wf_finding *g)
{
    for (uint32_t i = 0; i < f->n_parties; i++) {
        bool found = !is_main_party(&f->party[i]);
        for (uint32_t k = 0; k < g->n_parties && !found; k++)
            found =
                is_main_party(&g->party[k]) && same_place(f, f->party[i].loc, g, g->party[k].loc);
        if (!found)
            return false;
    }
    return true;
}

static bool has_main_party(const struct wf_finding *f)
{
    for (uint32_t i = 0; i < f->n_parties; i++)
        if (is_main_party(&f->party[i]))
            return true;
    return false;
}

static bool same_finding(const struct wf_finding *f, const struct wf_finding *g)
{
    if (f->kind != g->kind)
        return false;
    if (!has_main_party(f) || !has_main_party(g)) // only the words can tell them apart
        return has_main_party(f) == has_main_party(g) && same_text(f->kernel, g->kernel) &&
               same_text(f->sentence, g->sentence);
    return places_within(f, g) && places_within(g, f);
}

// Equal for equal findings: independent of the order and number of parties at one place.
static uint64_t finding_hash(const struct wf_finding *f)
{
    if (!has_main_party(f))
        return hash_text(f->sentence) + (uint64_t)f->kind;
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < f->n_parties; i++) {
        if (!is_main_party(&f->party[i]))
            continue;
        uint64_t h = place_hash(f, f->party[i].loc);
        least = h < least ? h : least;
        most = h > most ? h : most;
    }
    return least * 3 + most + (uint64_t)f->kind * UINT64_C(0x9e3779b97f4a7c15);
}

static bool is_earlier(const struct wf_finding *a, const struct wf_finding *b)
{
    if (a->weight != b->weight)
        return a->weight > b->weight;
    if (a->seed != b->seed)
        return a->seed < b->seed;
    return a->launch != b->launch ? a->launch < b->launch : a->order < b->order;
}

static const char *keep_text(const char *s)
{
    if (!s)
        return NULL;
    char *own = wf_smap_get(&store.names, s);
    if (!own) {
        own = wf_arena_strdup(&store.kept, s);
        wf_smap_put(&store.names, own, own);
    }
    return own;
}

static const struct wf_loc *keep_loc(const struct wf_loc *l)
{
    struct wf_loc *first = NULL, **to = &first;
    for (; l; l = l->inlined) {
        struct wf_loc *own = WF_NEW(&store.kept, struct wf_loc);
        *own = *l;
        own->file = keep_text(l->file);
        own->function = keep_text(l->function);
        own->inlined = NULL;
        *to = own;
        to = (struct wf_loc **)&own->inlined;
    }
    return first;
}

static void keep(struct wf_finding *f)
{
    f->kernel = keep_text(f->kernel);
    for (uint32_t i = 0; i < f->n_parties; i++)
        f->party[i].loc = keep_loc(f->party[i].loc);
}

static void merge(struct entry *e, const struct wf_finding *f)
{
    uint64_t count = e->f.count + f->count;
    enum wf_severity worst = f->severity < e->f.severity ? f->severity : e->f.severity;
    if (is_earlier(f, &e->f)) {
        e->f = *f;
        keep(&e->f);
    }
    e->f.count = count;
    e->f.severity = worst;
}

bool wf_finding_add(const struct wf_finding *given)
{
    struct wf_finding own = *given, *f = &own;
    if (!own.seed)
        own.seed = wf_settings()->seed;
    uint64_t hash = finding_hash(f);
    pthread_mutex_lock(&store.lock);
    struct entry *first = wf_map_get(&store.by_hash, hash), *e = first;
    while (e && !same_finding(&e->f, f))
        e = e->same_hash;
    bool is_new = !e;
    if (e) {
        merge(e, f);
    } else {
        e = wf_xmalloc(sizeof *e);
        *e = (struct entry){.f = *f, .arrival = store.arrivals++, .same_hash = first};
        keep(&e->f);
        wf__finding_python(&e->f);
        wf_map_put(&store.by_hash, hash, e);
        WF_PUSH(&store.all, e);
        if (store.listener)
            store.listener(store.listener_arg, &e->f);
    }
    pthread_mutex_unlock(&store.lock);
    return is_new;
}

uint32_t wf_finding_total(void)
{
    pthread_mutex_lock(&store.lock);
    uint32_t n = (uint32_t)store.all.n;
    pthread_mutex_unlock(&store.lock);
    return n;
}

const struct wf_finding *wf_finding_get(uint32_t i)
{
    pthread_mutex_lock(&store.lock);
    const struct wf_finding *f = i < store.all.n ? &store.all.at[i]->f : NULL;
    pthread_mutex_unlock(&store.lock);
    return f;
}

static int by_order(const void *pa, const void *pb)
{
    const struct entry *a = *(struct entry *const *)pa, *b = *(struct entry *const *)pb;
    if (is_earlier(&a->f, &b->f))
        return -1;
    if (is_earlier(&b->f, &a->f))
        return 1;
    return a->arrival < b->arrival ? -1 : a->arrival > b->arrival;
}

void wf_finding_sort(void)
{
    pthread_mutex_lock(&store.lock);
    if (store.all.n)
        qsort(store.all.at, store.all.n, sizeof *store.all.at, by_order);
    pthread_mutex_unlock(&store.lock);
}

uint32_t wf_finding_errors(void)
{
    uint32_t n = 0;
    pthread_mutex_lock(&store.lock);
    for (size_t i = 0; i < store.all.n; i++)
        n += store.all.at[i]->f.severity == WF_SEV_ERROR;
    pthread_mutex_unlock(&store.lock);
    return n;
}

void wf_finding_reset(void)
{
    pthread_mutex_lock(&store.lock);
    for (size_t i = 0; i < store.all.n; i++)
        free(store.all.at[i]);
    WF_VEC_FINI(&store.all);
    wf_map_fini(&store.by_hash);
    wf_smap_fini(&store.names);
    wf_arena_fini(&store.kept);
    store.arrivals = 0;
    pthread_mutex_unlock(&store.lock);
}

void wf_finding_listen(void (*fn)(void *arg, const struct wf_finding *f), void *arg)
{
    pthread_mutex_lock(&store.lock);
    store.listener = fn;
    store.listener_arg = arg;
    pthread_mutex_unlock(&store.lock);
}
