// SPDX-License-Identifier: Apache-2.0
// The fast way. Nearly every access of a real program is plain, of whole words, in memory that is live and
// written, and finds nothing but what is ordered before it. Then it takes a look at the initialised bits, one
// pass over the cells, which says whether each half is ancient in all of them or of one record with the lanes
// in step, a test of that record for the whole warp, and one pass that stores. Lines that a warp touches from
// end to end are closed (line.h) and take one cell instead of 32.
#include "check/whole.h"

#include <string.h> // memcpy

#include "base/bits.h"     // WF_EACH_LANE
#include "check/access.h"  // wf__touch
#include "check/advice.h"  // wf__redundant_used
#include "check/cells.h"   // wf__cells_scan
#include "check/hostmem.h" // wf__hostmem_near
#include "check/lock.h"    // wf__lock_hook_begin
#include "check/memory.h"  // wf__memory_is_live
#include "check/pattern.h" // struct wf__pattern
#include "check/site.h"    // wf__site_get
#include "check/work.h"    // wf__work_passed

#define STEPS_AHEAD 3
#define MOST_PARTS 8

static uint32_t lanes_of[5][128]; // by log2 of the element size: lane of word i, from that of word 0

void wf__whole_init(void)
{
    for (uint32_t v = 0; v < 5; v++)
        for (uint32_t i = 0; i < 128; i++)
            lanes_of[v][i] = v < 2 ? i << (2 - v) : i >> (v - 2);
}

struct look {
    struct wf__ctx *c;
    struct wf__warp *w;
    const struct wf_site *site;
    struct wf__block *owner; // shared memory: whose
    struct wf__pool *pool;
    uint64_t *cell0;
    uint8_t *bits;
    uint64_t base, end; // addresses from base on, below base + end
    uint32_t mask, rank, serial, passed, size; // passed: a barrier time that all lanes are behind
    uint8_t flags;
    bool is_shared, is_write, is_conflict;
    struct wf__acc x; // for what is not settled at a glance, made on first need
    struct wf_ev_access ev;
    bool has_x;
};

struct words { // that are touched
    uint64_t off;          // bytes from look.base to the first
    uint32_t n, bytes;     // bytes: from the first to the last
    const uint32_t *idx;   // places from the first one's, NULL: in a row
    const uint32_t *lane;  // plus lo: whose each is
    uint32_t lo, least, most;
    const struct wf__pattern *group; // of which each is, when lanes share words
};

static bool place(struct look *k, struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, uint32_t mask,
                  bool is_shared, uint32_t rank)
{
    struct wf__block *b = w->block;
    k->c = c;
    k->w = w;
    k->site = s;
    k->mask = mask;
    k->is_shared = is_shared;
    k->is_write = s->is_write;
    k->rank = rank;
    k->owner = NULL;
    k->size = (uint32_t)s->bytes * s->elements;
    k->serial = b->serial;
    k->passed = w->k.base <= b->info->first_exit ? w->k.base : b->info->exit_base;
    k->flags = (uint8_t)((s->is_read ? WF__R : 0) | (s->is_write ? WF__W : 0) | (s->is_nc ? WF__NC : 0));
    k->has_x = false;
    if (is_shared) {
        k->owner = rank == b->ev->rank ? b : wf__peer(b, rank);
        if (!k->owner || !k->owner->slot || (s->is_write && b->grid->ev->has_bulk))
            return false;
        k->pool = &k->owner->slot->pool;
        k->cell0 = k->owner->slot->cell;
        k->bits = k->owner->slot->init;
        k->base = 0;
        k->end = k->owner->grid->ev->shared_bytes;
        k->owner->slot->is_visited |= k->owner != b;
    } else {
        k->pool = &c->sh.pool;
        k->cell0 = c->sh.cell;
        k->bits = c->bits;
        k->base = c->sh.base;
        k->end = c->sh.bytes;
        if (!k->cell0 || b->grid->moves)
            return false;
    }
    return k->pool->n_rec <= k->pool->limit && (k->bits || !c->o.memory);
}

static struct wf__acc *acc(struct look *k)
{
    if (k->has_x)
        return &k->x;
    k->has_x = true;
    k->ev = (struct wf_ev_access){.site = k->site,
                                  .warp = k->w->ev,
                                  .space = k->is_shared ? WF_SPACE_SHARED : WF_SPACE_GLOBAL,
                                  .owner_rank = k->rank,
                                  .mask = k->mask};
    k->x = (struct wf__acc){.ctx = k->c,
                            .w = k->w,
                            .ev = &k->ev,
                            .site = k->site,
                            .pool = k->pool,
                            .owner = k->owner,
                            .cell0 = k->cell0,
                            .addr0 = k->base,
                            .limit = k->end,
                            .serial = k->serial,
                            .base = k->passed,
                            .flags = k->flags,
                            .bytes = (uint8_t)k->size,
                            .level = (uint8_t)k->site->scope,
                            .is_shared = k->is_shared};
    return &k->x;
}

// Is the half's record, which is not ancient, ordered before the warp? lane: that of the first word, whose
// handle h is: an own earlier access orders lane by lane. NO_LANE: words are shared.
#define NO_LANE 32u
static bool is_before(struct look *k, uint32_t h, uint32_t lane)
{
    const struct wf__rec *r = &k->pool->rec[h >> 5];
    const struct wf__grid *g = k->w->block->grid;
    if (r->serial - g->serial0 >= g->n_blocks && r->kind != WF__PAIR)
        return wf__work_passed(k->w, k->mask, r->serial);
    if (r->flags & (WF__ASYNC | WF__NC))
        return false;
    if (r->serial == k->serial && r->warp < WF__AGENT) {
        if (r->kind == WF__ACC && r->warp == k->w->index && (h & 31) == lane && r->bytes == k->size)
            return true;
        if (r->epoch <= k->passed) {
            if (k->c->o.redundant && k->is_conflict)
                wf__redundant_used(k->w, lane, r, 32);
            return true;
        }
    }
    if (k->w->split || r->kind == WF__PAIR)
        return false;
    return wf__clk_covers(&g->cs, &k->w->k, r->serial - g->serial0, r->warp, r->mask, r->epoch) == r->mask;
}

// Handles are numbers in a row: the lanes of one record go on into those of the next. Is a half that is in step
// of one record only? first: the handle of the first word.
static bool is_one_record(uint32_t first, const struct words *t)
{
    uint32_t l = first & 31, l0 = t->lane[0];
    return !(first & WF__SPILL) && l + t->least >= l0 && l + t->most < l0 + 32;
}

// The half of a reader after this one, 0: word by word.
static uint32_t joined(struct look *k, uint32_t rd, uint32_t rec, uint32_t lane)
{
    const struct wf__rec *r = &k->pool->rec[rd >> 5];
    if ((r->flags ^ k->flags) & WF__NC || r->bytes < 4 || k->size < 4) // neither stands for the other
        return 0;
    return wf__reader_added(acc(k), rd, rec, lane);
}

static inline uint32_t record(struct look *k, const struct wf__pattern *group)
{
    uint32_t where = k->is_shared ? k->rank + 1 : 0, kind = group ? WF__GROUP : WF__ACC;
    uint32_t key = (group ? group->id : 0) << 16 | kind << 8 | where;
    uint32_t site = wf__site_get(k->site)->as->id;
    const struct wf__kept *kept = wf__kept_at(k->w, site, key);
    if (kept->site == site && kept->epoch == k->w->epoch && kept->kind == key && kept->rec >= k->pool->first)
        return kept->rec;
    return wf__rec_of(k->pool, k->w, k->site, where, group,
                      &(struct wf__rec){.mask = group ? group->mask : UINT32_MAX,
                                        .base = k->w->split ? k->passed : k->w->k.base,
                                        .flags = k->flags,
                                        .bytes = (uint8_t)k->size});
}

// ---- memory: written, and thus live, or (writes) live

static bool are_set(const uint8_t *bits, uint64_t at, uint64_t n)
{
    uint64_t all = UINT64_MAX, v;
    uint32_t skip = at & 7;
    bits += at >> 3;
    for (; n + skip >= 64; n -= 64 - skip, skip = 0, bits += 8) {
        memcpy(&v, bits, 8);
        all &= v | ((UINT64_C(1) << skip) - 1);
    }
    if (n) {
        v = 0;
        memcpy(&v, bits, (n + skip + 7) / 8);
        all &= v >> skip | ~((UINT64_C(1) << n) - 1);
    }
    return all == UINT64_MAX;
}

static bool are_words_set(const uint8_t *bits, const struct words *t)
{
    return t->idx ? wf__cells_bits(bits, t->off / 4, t->idx, t->n) : are_set(bits, t->off, t->bytes);
}

// *births: the words become written by this access.
static bool memory_is_fine(struct look *k, const struct words *t, bool *births)
{
    *births = false;
    if (!k->c->o.memory || are_words_set(k->bits, t))
        return true;
    *births = true;
    return k->is_write && (k->is_shared || wf__memory_is_live(k->base + t->off, t->bytes));
}

static void set_words(uint8_t *bits, const struct words *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint64_t bit = t->off + 4 * (t->idx ? t->idx[i] : i);
        bits[bit >> 3] |= (uint8_t)(0xf << (bit & 7));
    }
}

// ---- cells

static void open_lines(struct look *k, const struct words *t)
{
    uint64_t first = t->off / 4;
    if (!k->pool->closed)
        return;
    for (uint64_t i = first; i < first + t->n && !t->idx; i = (i | 31) + 1)
        wf__cell_at(k->pool, k->cell0, i);
    for (uint32_t i = 0; i < t->n && t->idx; i++)
        wf__cell_at(k->pool, k->cell0, first + t->idx[i]);
}

// Do the words of a line belong to lanes in ascending order, as many to each as its element has? Not so when a
// warp turns a row round.
static bool in_order(const uint32_t *lane, uint32_t size)
{
    uint32_t shift = wf__line_shift(size), bad = 0;
    for (uint32_t i = 0; i < WF__LINE_WORDS; i++)
        bad |= lane[i] - lane[0] - (i >> shift);
    return !bad;
}

// After an access that was settled: lines whose words are all in step need one cell only. wr, rd: handles of the
// first word's lane offset, 0: nobody.
static void close_lines(struct look *k, const struct words *t, uint32_t wr, uint32_t rd)
{
    uint64_t *cell = k->cell0 + t->off / 4;
    for (uint32_t i = (32 - (uint32_t)(t->off / 4)) & 31; i + WF__LINE_WORDS <= t->n; i += WF__LINE_WORDS)
        if (in_order(t->lane + i, k->size)) {
            cell[i] = WF__LINE | (uint64_t)(rd ? rd + t->lane[i] : 0) << 32 | (wr ? wr + t->lane[i] : 0);
            k->pool->closed++;
        }
}

// An instruction goes through memory at even steps, more often than not; cells are far apart.
static void fetch_ahead(const struct look *k, uint64_t off, uint32_t words)
{
    struct wf__site *s = wf__site_get(k->site);
    uint64_t next = off + STEPS_AHEAD * (off - s->last);
    s->last = off;
    if (k->is_shared || next >= k->end)
        return;
    for (uint32_t i = 0; i < words; i += 8) // cells of a cache line
        __builtin_prefetch(k->cell0 + next / 4 + i, 1);
    if (k->bits)
        __builtin_prefetch(k->bits + next / 8);
}

// Some of the words, from..to-1, whose halves are each ancient or in step and of one record.
struct part {
    uint32_t from, to, wr, rd; // handles of the first one
    bool wr_live, rd_live;
};

static uint64_t *cell_of(const struct look *k, const struct words *t, uint32_t i)
{
    return k->cell0 + t->off / 4 + (t->idx ? t->idx[i] : i);
}

// What is in the cell of word i; a spilled word that is no more is nothing.
static uint64_t halves(const struct look *k, const struct words *t, uint32_t i)
{
    uint64_t *c = cell_of(k, t, i);
    return (uint32_t)*c & WF__SPILL && !wf__word_of(k->pool, c) ? 0 : *c;
}

// The largest part that begins at word `from`.
static struct part part_from(const struct look *k, const struct words *t, uint32_t from)
{
    uint32_t floor = k->pool->first << 5, lane0 = t->lane[from];
    uint64_t c = halves(k, t, from);
    struct part p = {.from = from, .to = from + 1, .wr = (uint32_t)c, .rd = (uint32_t)(c >> 32)};
    p.wr_live = p.wr >= floor;
    p.rd_live = p.rd >= floor;
    for (; p.to < t->n; p.to++) {
        c = halves(k, t, p.to);
        uint32_t wr = (uint32_t)c, rd = (uint32_t)(c >> 32), step = t->lane[p.to] - lane0;
        bool wr_same = p.wr_live ? wr == p.wr + step && wr >> 5 == p.wr >> 5 : wr < floor;
        bool rd_same = p.rd_live ? rd == p.rd + step && rd >> 5 == p.rd >> 5 : rd < floor;
        if (!wr_same || !rd_same)
            break;
    }
    return p;
}

// What was there comes before: nothing is changed.
static bool part_is_before(struct look *k, const struct words *t, const struct part *p)
{
    uint32_t as = t->group ? NO_LANE : t->lo + t->lane[p->from];
    k->is_conflict = true;
    if (p->wr_live && (p->wr & WF__SPILL || !is_before(k, p->wr, as)))
        return false;
    return !k->is_write || !p->rd_live || is_before(k, p->rd, as);
}

// The part's new half (the writer's or the readers'), as that of its first word. 0: word by word.
static uint32_t part_after(struct look *k, const struct words *t, const struct part *p, uint32_t rec)
{
    uint32_t lane = t->lo + t->lane[p->from], h = rec << 5 | lane;
    k->is_conflict = false;
    if (k->is_write || !p->rd_live || p->rd == h)
        return h;
    uint32_t known = wf__read_known(k->pool, p->rd, rec, lane);
    if (known) // this record joined that one before
        return known;
    return is_before(k, p->rd, t->group ? NO_LANE : lane) ? h : joined(k, p->rd, rec, lane);
}

static bool part_store(struct look *k, const struct words *t, const struct part *p, uint32_t rec)
{
    uint32_t h = part_after(k, t, p, rec);
    if (!h)
        return false;
    for (uint32_t i = p->from; i < p->to; i++) {
        uint64_t *c = cell_of(k, t, i), half = h + t->lane[i] - t->lane[p->from];
        *c = k->is_write ? half : half << 32 | (uint32_t)halves(k, t, i);
    }
    return true;
}

// The words fall into a few parts, as the reads of a stencil do.
static bool settle_parts(struct look *k, const struct words *t)
{
    struct part part[MOST_PARTS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i = part[n++].to) {
        if (n == MOST_PARTS)
            return false;
        part[n] = part_from(k, t, i);
        if (!part_is_before(k, t, &part[n]))
            return false;
    }
    uint32_t rec = record(k, t->group);
    for (uint32_t i = 0; i < n; i++)
        if (!part_store(k, t, &part[i], rec))
            return false; // those before are on record: looking at them once more does no harm
    return true;
}

static bool settle(struct look *k, const struct words *t)
{
    open_lines(k, t);
    uint64_t *cell = k->cell0 + t->off / 4;
    struct wf__scan s;
    wf__cells_scan(cell, t->idx, t->n, t->lane, k->pool->gone << 5, k->pool->first << 5, &s);
    struct part all = {0, t->n, (uint32_t)cell[0], (uint32_t)(cell[0] >> 32), s.wr_live != 0, s.rd_live != 0};
    bool wr_is_one = !s.wr_off && is_one_record(all.wr, t);
    if (!k->is_shared)
        wf__touch(k->c, t->off, t->bytes);
    if ((s.wr_live && !wr_is_one) || (s.rd_live && (s.rd_off || !is_one_record(all.rd, t))))
        return settle_parts(k, t);
    if (!part_is_before(k, t, &all))
        return false;
    uint32_t h = part_after(k, t, &all, record(k, t->group)), from = h - t->lane[0];
    if (!h)
        return false;
    if (k->is_write)
        wf__cells_written(cell, t->idx, t->n, t->lane, from);
    else
        wf__cells_read(cell, t->idx, t->n, t->lane, from);
    if (t->idx || t->group || k->size < 4 || t->n < WF__LINE_WORDS)
        return true;
    if (k->is_write)
        close_lines(k, t, from, 0);
    else if (!s.wr_kept)
        close_lines(k, t, 0, from);
    else if (wr_is_one && k->pool->rec[all.wr >> 5].bytes == k->size)
        close_lines(k, t, all.wr - t->lane[0], from);
    return true;
}

static bool row_of(const struct look *k, uint64_t addr0, struct words *t)
{
    uint32_t size = k->size, v = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
    t->lo = wf_ctz32(k->mask);
    uint32_t lanes = 32 - t->lo - (uint32_t)__builtin_clz(k->mask); // from the first to the last
    t->off = addr0 + (uint64_t)size * t->lo - k->base;
    t->bytes = size * lanes;
    t->n = t->bytes / 4;
    t->idx = NULL;
    t->lane = lanes_of[v];
    t->least = 0;
    t->most = t->lane[t->n ? t->n - 1 : 0];
    t->group = NULL;
    // Lanes in one run, whole words.
    return k->mask >> t->lo == UINT32_MAX >> (32 - lanes) && !(t->off & 3) && !(t->bytes & 3) &&
           (size >= 4 ? !(t->off & (size - 1)) : !(t->lo % (4 / size)));
}

bool wf__whole(struct wf__ctx *c, const struct wf_ev_access *a, const struct wf__pattern *p)
{
    struct look k;
    struct words t;
    struct wf__warp *w = a->warp->user;
    bool is_shared = a->space == WF_SPACE_SHARED;
    if (wf__site_get(a->site)->what != WF__SITE_PLAIN || w->lost || (!is_shared && a->space != WF_SPACE_GLOBAL) ||
        !place(&k, c, w, a->site, a->mask, is_shared, a->owner_rank))
        return false;
    if (a->is_linear && a->stride == (int64_t)k.size) {
        if (!row_of(&k, a->addr[0], &t))
            return false;
    } else {
        if (!p || (p->is_grouped && k.is_write))
            return false;
        uint32_t first = wf_ctz32(a->mask);
        uint64_t at = a->is_linear ? a->addr[0] + (uint64_t)a->stride * first : a->addr[first];
        t = (struct words){.off = at + (uint64_t)p->low - k.base,
                           .n = p->n,
                           .bytes = 4 * p->span,
                           .idx = p->is_dense ? NULL : p->idx,
                           .lane = p->lane,
                           .least = p->least,
                           .most = p->most,
                           .group = p->is_grouped ? p : NULL};
    }
    bool births;
    fetch_ahead(&k, t.off, t.idx ? 1 : t.n);
    if (t.off >= k.end || t.bytes > k.end - t.off || !memory_is_fine(&k, &t, &births) || (c->o.race && !settle(&k, &t)))
        return false;
    if (births)
        set_words(k.bits, &t);
    c->stats.warp_accesses++;
    c->stats.fast_accesses++;
    c->stats.lane_accesses += p ? p->lanes : t.bytes / k.size;
    if (!is_shared && c->o.race && w->block->grid->work && wf__hostmem_near(k.base + t.off))
        wf__hostmem_access(c, a);
    return true;
}

// ---- whole closed lines


// The line's first cell after the access, 0: it needs a closer look.
static uint64_t line_after(struct look *k, uint64_t c, uint32_t h)
{
    uint32_t wr = (uint32_t)c, rd = wf__line_reader(c), floor = k->pool->first << 5, lane = h & 31;
    k->is_conflict = true;
    if (!wf__line_is(c) || (wr >= floor && !is_before(k, wr, lane)))
        return 0;
    if (k->is_write)
        return rd >= floor && !is_before(k, rd, lane) ? 0 : WF__LINE | h;
    k->is_conflict = false;
    if (rd >= floor && rd != h) {
        const struct wf__rec *r = &k->pool->rec[rd >> 5];
        if ((r->flags ^ k->flags) & WF__NC || r->bytes != k->size || (rd & 31) != lane)
            return 0;
        if (!is_before(k, rd, lane))
            h = wf__reader_added(acc(k), rd, h >> 5, lane);
    }
    return WF__LINE | (uint64_t)h << 32 | wr;
}

static bool run(struct wf__ctx *c, struct wf__warp *w, const struct wf_site *s, bool is_shared, uint64_t addr)
{
    struct look k;
    if (wf__site_get(s)->what != WF__SITE_PLAIN || w->lost ||
        !place(&k, c, w, s, UINT32_MAX, is_shared, w->block->ev->rank) || k.size < 4)
        return false;
    uint64_t off = addr - k.base;
    struct words t = {.off = off, .bytes = 32 * k.size, .n = 8 * k.size};
    bool births;
    if (off & 127 || off >= k.end || t.bytes > k.end - off || !memory_is_fine(&k, &t, &births))
        return false;
    uint64_t *cell = k.cell0 + off / 4, after[4];
    fetch_ahead(&k, off, 1);
    uint32_t n = k.size / 4, h = record(&k, NULL) << 5;
    for (uint32_t i = 0; i < n; i++)
        if (!(after[i] = line_after(&k, cell[i * WF__LINE_WORDS], h + i * (32 / n))))
            return false;
    for (uint32_t i = 0; i < n; i++)
        cell[i * WF__LINE_WORDS] = after[i];
    if (births)
        memset(k.bits + off / 8, 0xff, t.bytes / 8);
    c->stats.warp_accesses++;
    c->stats.fast_accesses++;
    c->stats.lane_accesses += 32;
    if (!is_shared && w->block->grid->work && wf__hostmem_near(addr)) {
        acc(&k);
        k.ev.is_linear = true;
        k.ev.stride = (int64_t)k.size;
        k.ev.addr = &addr;
        wf__hostmem_access(c, &k.ev);
    }
    return true;
}

bool wf__whole_run(void *arg, struct wf_ev_warp *ev, const struct wf_site *s, bool is_shared, uint64_t addr)
{
    bool took = wf__lock_hook_begin();
    bool done = run(arg, ev->user, s, is_shared, addr);
    wf__lock_hook_end(took);
    return done;
}
