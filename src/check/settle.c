// SPDX-License-Identifier: Apache-2.0
// The cells of a plain warp access, settled together: one pass says whether each half is ancient in all of them or
// of one record with the lanes in step, that record is tested for the whole warp, and one pass stores.
#include "check/access.h" // wf__touch
#include "check/cells.h"  // wf__cells_scan
#include "check/look.h"

#define MOST_PARTS 8

struct wf__acc *wf__look_acc(struct wf__look *k)
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

// Handles are numbers in a row: the lanes of one record go on into those of the next. Is a half that is in step
// of one record only? first: the handle of the first word.
static bool is_one_record(uint32_t first, const struct wf__words *t)
{
    uint32_t l = first & 31, l0 = t->lane[0];
    return !(first & WF__SPILL) && l + t->least >= l0 && l + t->most < l0 + 32;
}

uint32_t wf__look_joined(struct wf__look *k, uint32_t rd, uint32_t rec, uint32_t lane, uint32_t as)
{
    while (k->pool->rec[rd >> 5].kind == WF__PAIR && wf__look_before(k, k->pool->rec[rd >> 5].add << 5 | (rd & 31), as))
        rd = wf__union_next(k->pool, rd); // the access stands for them
    const struct wf__rec *r = &k->pool->rec[rd >> 5];
    if ((r->flags ^ k->flags) & WF__NC || r->bytes < 4 || k->size < 4) // neither stands for the other
        return 0;
    return wf__reader_added(wf__look_acc(k), rd, rec, lane, false);
}

static void open_lines(struct wf__look *k, const struct wf__words *t)
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
static void close_lines(struct wf__look *k, const struct wf__words *t, uint32_t wr, uint32_t rd)
{
    uint64_t *cell = k->cell0 + t->off / 4;
    for (uint32_t i = (32 - (uint32_t)(t->off / 4)) & 31; i + WF__LINE_WORDS <= t->n; i += WF__LINE_WORDS)
        if (in_order(t->lane + i, k->size)) {
            cell[i] = WF__LINE | (uint64_t)(rd ? rd + t->lane[i] : 0) << 32 | (wr ? wr + t->lane[i] : 0);
            k->pool->closed++;
        }
}

// Some of the words, from..to-1, whose halves are each ancient or in step and of one record.
struct part {
    uint32_t from, to, wr, rd; // handles of the first one
    bool wr_live, rd_live;
};

static uint64_t *cell_of(const struct wf__look *k, const struct wf__words *t, uint32_t i)
{
    return k->cell0 + t->off / 4 + (t->idx ? t->idx[i] : i);
}

// What is in the cell of word i; a spilled word that is no more is nothing.
static uint64_t halves(const struct wf__look *k, const struct wf__words *t, uint32_t i)
{
    uint64_t *c = cell_of(k, t, i);
    return (uint32_t)*c & WF__SPILL && !wf__word_of(k->pool, c) ? 0 : *c;
}

// The largest part that begins at word `from`.
static struct part part_from(const struct wf__look *k, const struct wf__words *t, uint32_t from)
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
static bool part_is_before(struct wf__look *k, const struct wf__words *t, const struct part *p)
{
    uint32_t as = t->group ? WF__NO_LANE : t->lo + t->lane[p->from];
    k->is_conflict = true;
    if (p->wr_live && (p->wr & WF__SPILL || !wf__look_before(k, p->wr, as)))
        return false;
    return !k->is_write || !p->rd_live || wf__look_before(k, p->rd, as);
}

// The part's new half (the writer's or the readers'), as that of its first word. 0: word by word.
static uint32_t part_after(struct wf__look *k, const struct wf__words *t, const struct part *p, uint32_t rec)
{
    uint32_t lane = t->lo + t->lane[p->from], h = rec << 5 | lane;
    k->is_conflict = false;
    if (k->is_write || !p->rd_live || p->rd == h)
        return h;
    uint32_t known = wf__read_known(k->pool, p->rd, rec, lane);
    if (known) // this record joined that one before
        return known;
    uint32_t as = t->group ? WF__NO_LANE : lane;
    return wf__look_before(k, p->rd, as) ? h : wf__look_joined(k, p->rd, rec, lane, as);
}

static bool part_store(struct wf__look *k, const struct wf__words *t, const struct part *p, uint32_t rec)
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
static bool settle_parts(struct wf__look *k, const struct wf__words *t)
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
    uint32_t rec = wf__look_record(k, t->group);
    for (uint32_t i = 0; i < n; i++)
        if (!part_store(k, t, &part[i], rec))
            return false; // those before are on record: looking at them once more does no harm
    return true;
}

bool wf__look_settle(struct wf__look *k, const struct wf__words *t)
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
    uint32_t h = part_after(k, t, &all, wf__look_record(k, t->group)), from = h - t->lane[0];
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

