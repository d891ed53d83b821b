// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies in bulk, of tensors too, and asynchronous stores (PTX ISA 9.7.9.25.4, 9.7.9.27, 9.7.9.12).
// What is under way is a list of the block that issued it, one entry a destination block. An entry that
// completes on an mbarrier is made when somebody asks for the mbarrier's phase; one of a bulk group, when the
// group is waited for (its source is read when `.read` is waited for); what is left, when the issuing block ends.
// So whoever looks too early sees what was there before.

#include <string.h> // memcpy

#include "exec/async.h"
#include "exec/bulk.h"
#include "ir/build_wide.h"
#include "jit/bulk.h"

static bool bit(uint64_t code, unsigned at)
{
    return code >> at & 1;
}

static void bad(struct bulk *k, uint64_t addr, bool is_store, const char *why)
{
    exec__mem_fault(k->w, k->site, k->lane, addr, k->bytes, is_store, WF_F_MEM_BOUNDS, why);
}

// The generic address of offset `off` of the shared memory of block `rank`.
static uint64_t shared_at(struct wf_warp *w, uint32_t rank, uint64_t off)
{
    return w->block->grid->base + WF_SHARED_OFFSET + rank * WF_SHARED_STRIDE + off;
}

static uint64_t generic(struct wf_warp *w, uint64_t addr, unsigned space)
{
    uint64_t off;
    uint32_t rank;
    uint64_t window = addr - w->block->grid->base - WF_SHARED_OFFSET;
    if (space == PTX_SP_GLOBAL || (space == PTX_SP_GENERIC && window >= WF_SHARED_WINDOW))
        return addr;
    exec__shared_owner(w, addr, space, &off, &rank);
    return shared_at(w, rank, off);
}

// A block of the cluster that has ended has no shared memory any more.
static bool is_gone(const struct bulk *k, uint64_t addr)
{
    const struct wf_block *b = k->w->block;
    uint64_t o = addr - b->grid->base - WF_SHARED_OFFSET, rank = o / WF_SHARED_STRIDE;
    if (o >= WF_SHARED_WINDOW || rank == b->rank || !b->peers || rank >= b->n_ranks)
        return false;
    const struct cta *own = b->exec, *other = b->peers[rank]->exec;
    return other->cluster != own->cluster;
}

static uint8_t *pointer(struct bulk *k, uint64_t addr, uint32_t bytes, bool is_store)
{
    const char *why = "of a block of the cluster that has ended";
    uint8_t *p = is_gone(k, addr) ? NULL : exec__pointer(k->w, PTX_SP_GENERIC, addr, bytes, &why);
    if (!p)
        bad(k, addr, is_store, why);
    return p;
}

// ---- tensors ----

struct tensor_move {
    struct bulk *k;
    bool loads;
};

// One run of a row, in pieces that swizzling keeps whole.
static bool move_run(void *arg, const struct wf_tmap_run *run)
{
    struct tensor_move *m = arg;
    struct bulk *k = m->k;
    uint8_t *g = pointer(k, run->global, run->bytes, !m->loads);
    if (!g)
        return false;
    if (m->loads)
        memcpy(k->data + run->box, g, run->bytes);
    else if (!k->is_reduce)
        memcpy(g, k->data + run->box, run->bytes);
    else
        exec__combine(g, k->data + run->box, run->bytes, k->type, k->sub, true);
    return true;
}

// The box between k->data, where it lies in order, and shared memory.
static bool box_shared(struct bulk *k, uint64_t addr, bool to_shared)
{
    uint64_t o = addr - k->w->block->grid->base - WF_SHARED_OFFSET;
    uint8_t *p = pointer(k, addr, k->bytes, to_shared);
    uint32_t off = (uint32_t)(o % WF_SHARED_STRIDE);
    for (uint32_t i = 0; p && i < k->bytes; i += 16) {
        uint32_t n = k->bytes - i < 16 ? k->bytes - i : 16;
        uint8_t *q = p + (int32_t)(wf_tmap_place(&k->map, off, i) - off);
        if (to_shared)
            memcpy(q, k->data + i, n);
        else
            memcpy(k->data + i, q, n);
    }
    return p != NULL;
}

// ---- one entry ----

static bool read_source(struct bulk *k)
{
    if (k->data)
        return true;
    k->data = wf_xmalloc(k->bytes + 1u);
    if (k->is_tensor && k->is_load) {
        struct tensor_move m = {k, true};
        wf_tmap_fill(&k->map, k->data, k->bytes);
        return wf_tmap_each(&k->map, k->coord, move_run, &m);
    }
    if (k->is_tensor)
        return box_shared(k, k->src, false);
    uint8_t *p = pointer(k, k->src, k->bytes, false);
    if (p)
        memcpy(k->data, p, k->bytes);
    return p != NULL;
}

static void write_masked(const struct bulk *k, uint8_t *p)
{
    for (uint32_t i = 0; i < k->bytes; i++)
        if (k->byte_mask >> i % 16 & 1)
            p[i] = k->data[i];
}

static void write_destination(struct bulk *k)
{
    if (k->is_tensor && !k->is_load) {
        struct tensor_move m = {k, false};
        wf_tmap_each(&k->map, k->coord, move_run, &m);
        return;
    }
    if (k->is_tensor) {
        box_shared(k, k->dst, true);
        return;
    }
    uint8_t *p = pointer(k, k->dst, k->bytes, true);
    if (!p)
        return;
    if (k->is_reduce)
        exec__combine(p, k->data, k->bytes, k->type, k->sub, !k->is_to_shared);
    else if (k->byte_mask)
        write_masked(k, p);
    else
        memcpy(p, k->data, k->bytes);
}

static void told_done(struct bulk *k, bool reads_only)
{
    const struct wf_events *ev = grid_of(k->w)->ev;
    if (ev && ev->bulk_done)
        ev->bulk_done(ev->arg, &x_of(k->w)->ev, k->lane, k->token, k->has_mbar ? k->mbar_rank : UINT32_MAX, k->mbar, reads_only);
}

// The whole entry; it is freed.
static void make(struct bulk *k)
{
    if (!atomic_load_explicit(&grid_of(k->w)->cancel, memory_order_relaxed) && read_source(k))
        write_destination(k);
    told_done(k, false);
    if (k->has_mbar && !is_gone(k, shared_at(k->w, k->mbar_rank, 0))) {
        struct wf_block *b = k->w->block;
        struct cta *own = b->peers ? b->peers[k->mbar_rank]->exec : cta_of(k->w);
        struct mbar *m = exec__mbar_find(own, k->mbar);
        if (m) {
            m->tx -= k->tx;
            exec__mbar_try(own, m);
        }
    }
    free(k->data);
    free(k);
}

void exec__bulk_arrive(struct wf_warp *w, struct cta *own, uint64_t off)
{
    struct wf_block *b = w->block;
    for (uint32_t r = 0; r < b->n_ranks; r++) {
        struct cta *c = b->peers ? b->peers[r]->exec : cta_of(w);
        if (b->peers && c->cluster != cta_of(w)->cluster)
            continue;
        for (struct bulk **at = &c->bulk; *at;) {
            struct bulk *k = *at;
            struct cta *owner = b->peers ? b->peers[k->mbar_rank]->exec : c;
            if (!k->has_mbar || owner != own || k->mbar != off) {
                at = &k->next;
                continue;
            }
            *at = k->next;
            make(k);
        }
    }
}

void exec__bulk_finish(struct cta *c)
{
    while (c->bulk) {
        struct bulk *k = c->bulk;
        c->bulk = k->next;
        make(k);
    }
}

// ---- groups ----

static void commit(struct wf_warp *w, unsigned lane)
{
    uint32_t n = ++x_of(w)->bulk_groups[lane];
    for (struct bulk *k = cta_of(w)->bulk; k; k = k->next)
        if (k->w == w && k->lane == lane && !k->has_mbar && !k->group)
            k->group = n;
}

static void wait_groups(struct wf_warp *w, unsigned lane, uint64_t keep, bool only_read)
{
    uint32_t made = x_of(w)->bulk_groups[lane], last = made > keep ? made - (uint32_t)keep : 0;
    for (struct bulk **at = &cta_of(w)->bulk; *at;) {
        struct bulk *k = *at;
        bool mine = k->w == w && k->lane == lane && k->group && k->group <= last;
        if (mine && only_read && read_source(k))
            told_done(k, true);
        if (!mine || only_read) {
            at = &k->next;
            continue;
        }
        *at = k->next;
        make(k);
    }
}

// ---- issue ----

static void add(struct bulk *k)
{
    struct cta *c = cta_of(k->w);
    struct bulk **at = &c->bulk;
    k->token = ++grid_of(k->w)->token;
    c->has_async = true;
    while (*at)
        at = &(*at)->next;
    *at = k;
    exec__bulk_tell(k);
}

static const char *wrong(const struct bulk *k)
{
    if (k->is_tensor)
        return (k->is_load ? k->dst : k->src) % 128 ? "is no multiple of 128, as a tensor's box must be" : NULL;
    if (k->is_store)
        return k->dst % k->bytes ? "is misaligned" : NULL;
    return k->dst % 16 || k->src % 16 || k->bytes % 16 ? "is misaligned: addresses and size of a bulk copy are multiples of 16" : NULL;
}

static void issue(const struct bulk *proto, uint32_t ctas)
{
    const char *why = wrong(proto);
    struct wf_warp *w = proto->w;
    if (why) {
        exec__mem_fault(w, proto->site, proto->lane, proto->dst ? proto->dst : proto->src, proto->bytes, true, WF_F_MEM_MISALIGNED, why);
        return;
    }
    if (!proto->bytes)
        return;
    uint64_t off = (proto->dst - w->block->grid->base - WF_SHARED_OFFSET) % WF_SHARED_STRIDE;
    for (uint32_t r = 0; r < (ctas ? w->block->n_ranks : 1); r++) {
        if (ctas && !(ctas >> r & 1))
            continue;
        struct bulk *k = wf_xmalloc(sizeof *k);
        *k = *proto;
        if (ctas) { // the same place in every block
            k->dst = shared_at(w, r, off);
            k->mbar_rank = r;
        }
        if (proto->data) {
            k->data = wf_xmalloc(k->bytes);
            memcpy(k->data, proto->data, k->bytes);
        }
        add(k);
    }
}

static bool find_mbar(struct bulk *k, const struct wf_site *s, uint64_t addr, unsigned space)
{
    struct cta *own = exec__shared_owner(k->w, addr, space, &k->mbar, &k->mbar_rank);
    k->has_mbar = true;
    if (exec__mbar_find(own, k->mbar))
        return true;
    exec__mbar_none(k->w, s, k->lane, "completion of an asynchronous copy");
    return false;
}

static bool read_map(struct bulk *k, uint64_t addr, unsigned dims)
{
    if (!exec__read(k->w, k->lane, addr, &k->map, sizeof k->map)) {
        exec__mem_fault(k->w, k->site, k->lane, addr, sizeof k->map, false, WF_F_MEM_BOUNDS, "outside device memory");
        return false;
    }
    if (k->map.magic == WF_TMAP_MAGIC && k->map.rank == dims && addr % 64 == 0)
        return true;
    exec__mem_fault(k->w, k->site, k->lane, addr, sizeof k->map, false, WF_F_MEM_MISALIGNED,
                    addr % 64 ? "is misaligned: a tensor map lies on 64 bytes"
                              : "is no tensor map, or one of another number of dimensions");
    return false;
}

// What st.async and red.async write, element by element.
static void take_values(struct bulk *k, const uint64_t *const *arg, unsigned n)
{
    unsigned each = ptx_type_bits((enum ptx_type)k->type) / 8;
    k->bytes = each * n;
    k->data = wf_xmalloc(k->bytes + 1u);
    for (unsigned i = 0; i < n; i++)
        memcpy(k->data + i * each, &arg[IR_BULK_REST + i][k->lane], each);
}

static void start(struct wf_warp *w, uint32_t site, unsigned lane, uint64_t code, const uint64_t *const *arg)
{
    enum wf_bulk_what what = (enum wf_bulk_what)(code & 0xf);
    unsigned dst_space = code >> WF_BULK_DST_SPACE & 0xf, src_space = code >> WF_BULK_SRC_SPACE & 0xf;
    unsigned n = code >> WF_BULK_COUNT & 0xf;
    struct bulk k = {.w = w, .lane = lane, .site = site, .sub = (uint16_t)(code >> WF_BULK_SUB), .type = (uint8_t)(code >> WF_BULK_TYPE)};
    k.is_tensor = what == WF_BULK_TENSOR_LOAD || what == WF_BULK_TENSOR_STORE || what == WF_BULK_TENSOR_REDUCE;
    k.is_load = what == WF_BULK_TENSOR_LOAD;
    k.is_reduce = what == WF_BULK_REDUCE || what == WF_BULK_TENSOR_REDUCE || what == WF_BULK_RED;
    k.is_store = what == WF_BULK_STORE || what == WF_BULK_RED;
    k.is_to_shared = dst_space != PTX_SP_GLOBAL;
    uint64_t first = arg[IR_BULK_DST][lane];
    if (k.is_tensor) {
        if (!read_map(&k, arg[IR_BULK_SRC][lane], n))
            return;
        k.bytes = (uint32_t)wf_tmap_box_bytes(&k.map);
        for (unsigned d = 0; d < n && d < WF_TMAP_DIMS; d++)
            k.coord[d] = (int32_t)arg[IR_BULK_REST + d][lane];
        *(k.is_load ? &k.dst : &k.src) = generic(w, first, k.is_load ? dst_space : PTX_SP_SHARED);
        k.type = exec__tensor_type(k.map.type);
    } else {
        k.dst = generic(w, first, dst_space);
        if (k.is_store)
            take_values(&k, arg, n);
        else {
            k.src = generic(w, arg[IR_BULK_SRC][lane], src_space);
            k.bytes = (uint32_t)arg[IR_BULK_BYTES][lane];
        }
    }
    k.tx = k.bytes;
    if (bit(code, WF_BULK_MASKED) && arg[IR_BULK_MASK])
        k.byte_mask = UINT32_C(0x10000) | (uint16_t)arg[IR_BULK_MASK][lane];
    if (!bit(code, WF_BULK_HAS_MBAR) || find_mbar(&k, site_of(w, site), arg[IR_BULK_MBAR][lane], dst_space))
        issue(&k, bit(code, WF_BULK_MULTICAST) && arg[IR_BULK_MASK] ? (uint16_t)arg[IR_BULK_MASK][lane] : 0);
    free(k.data);
}

void wf_x_bulk(struct wf_warp *w, uint32_t site, uint32_t mask, uint64_t code, const uint64_t *const *arg)
{
    enum wf_bulk_what what = (enum wf_bulk_what)(code & 0xf);
    WF_EACH_LANE(mask, lane) {
        if (what == WF_BULK_COMMIT)
            commit(w, lane);
        else if (what == WF_BULK_WAIT || what == WF_BULK_WAIT_READ)
            wait_groups(w, lane, arg[IR_BULK_DST][lane], what == WF_BULK_WAIT_READ);
        else
            start(w, site, lane, code, arg);
    }
}
