// SPDX-License-Identifier: Apache-2.0
// Accesses as sets: where all threads of a path touch memory by one instruction.
#include "prove/machine.h"

static bool put(struct machine *m, const struct ir_insn *in, const struct conds *path, const struct form *at, bool is_shared)
{
    const struct ir_site *s = &m->f->sites[in->site];
    struct touch t = {.at = at,
                      .bytes = (uint32_t)s->bytes * s->vec,
                      .phase = m->phase,
                      .warp_phase = m->warp_phase,
                      .warp_run = m->warp_run,
                      .line = in->ptx_line,
                      .site = in->site,
                      .origin = at->origin,
                      .is_shared = is_shared,
                      .is_write = s->is_write || s->is_atomic,
                      .is_atomic = s->is_atomic,
                      .is_nc = s->is_nc};
    if (!at->is_known)
        return prove__fail(m, "an address that depends on data", in->ptx_line);
    if (m->touch.n == 8192)
        return prove__fail(m, "too many accesses", in->ptx_line);
    if (prove__is_nobody(&m->s, path))
        return true;
    if (is_shared && prove__has_atoms(at, m->s.n_tid, m->s.n))
        return prove__fail(m, "shared memory by the block's number", in->ptx_line);
    int64_t unit = t.bytes;
    if (unit & (unit - 1))
        return prove__fail(m, "an access of an odd size", in->ptx_line);
    bool is_aligned = !((at->k + at->lo) & (unit - 1)) && (at->lo == at->hi || !(at->grain & (unit - 1)));
    for (uint32_t i = 0; i < m->s.n; i++)
        is_aligned &= !(at->c[i] & (unit - 1));
    t.is_sure = path->is_exact && at->lo == at->hi;
    if (!is_aligned)
        return prove__fail(m, "an address that may not be aligned", in->ptx_line);
    t.lo = prove__least(&m->s, at, path);
    t.hi = prove__most(&m->s, at, path) + unit;
    if (t.hi <= t.lo)
        return true;
    int64_t low = is_shared ? 0 : (int64_t)m->x->heap_lo, high = is_shared ? m->x->shared_bytes : (int64_t)m->x->heap_hi;
    t.is_guarded = t.is_atomic && at->lo != at->hi && (is_shared ? t.lo < low || t.hi > high : at->origin != 0);
    if (t.is_guarded) {
        t.lo = t.lo > low ? t.lo : low;
        t.hi = t.hi < high ? t.hi : high;
        if (t.hi <= t.lo)
            return prove__fail(m, "an address that lies outside of its memory", in->ptx_line);
    } else if (t.lo < low || t.hi > high)
        return prove__fail(m, "an address that may lie outside of its memory", in->ptx_line);
    struct conds *who = WF_NEW(m->s.arena, struct conds);
    *who = *path;
    t.who = who;
    prove__box(&m->s, who, &t.box);
    WF_PUSH(&m->touch, t);
    return true;
}

bool prove__is_parameter(struct machine *m, const struct ir_insn *in, int64_t *at)
{
    if (in->space == PTX_SP_SHARED || in->src[0].kind != IR_S_REG || m->f->regs[in->src[0].reg].bits != 64 ||
        !prove__is_constant(&m->s, prove__operand(m, &in->src[0], 64), at))
        return false;
    *at += in->off - (int64_t)m->x->param_addr;
    return *at >= 0 && *at < (int64_t)m->x->launch->param_bytes;
}

bool prove__access(struct machine *m, const struct ir_insn *in, const struct conds *path)
{
    int64_t k;
    if (in->space == PTX_SP_LOCAL || ((in->op == PTX_O_LD || in->op == PTX_O_LDU) && prove__is_parameter(m, in, &k)))
        return true;
    if (in->site == IR_NONE || in->n_more)
        return prove__fail(m, "an access of a rare kind", in->ptx_line);
    bool is_atomic = in->op == PTX_O_ATOM || in->op == PTX_O_RED; // volatile and strong ones count as plain: they may not meet
    if (is_atomic && in->m.scope == PTX_SC_CTA && in->space != PTX_SP_SHARED)
        return prove__fail(m, "an atomic of the block's scope", in->ptx_line);
    unsigned bits = in->src[0].kind == IR_S_REG ? m->f->regs[in->src[0].reg].bits : 64;
    const struct form *at = in->src[0].kind == IR_S_NONE ? prove__constant(&m->s, 64, 0) : prove__operand(m, &in->src[0], bits);
    at = prove__scaled(&m->s, bits, at, 1, in->off);
    if (bits < 64 && at->is_known) // the address where it is not negative, which is asked below
        at = prove__scaled(&m->s, 64, at, 1, 0);
    else if (bits < 64)
        at = prove__as(&m->s, at, false);
    if (in->space == PTX_SP_PARAM)
        return true;
    if (in->space == PTX_SP_CONST && prove__is_constant(&m->s, at, &k) && (uint64_t)k - m->x->param_addr < 65536)
        return true;
    if (in->space == PTX_SP_SHARED) {
        if (in->is_generic_addr)
            at = prove__scaled(&m->s, 64, at, 1, -(int64_t)m->x->shared_window);
        return put(m, in, path, at, true);
    }
    if (in->space == PTX_SP_SHARED_CLUSTER)
        return prove__fail(m, "shared memory of another block", in->ptx_line);
    return put(m, in, path, at, false); // generic ones, too, as long as they lie in the heap
}
