// SPDX-License-Identifier: Apache-2.0
// Where threads meet: barriers of blocks and warps, and the other warp instructions.
#include "prove/machine.h"

static bool is_full_barrier(const struct ir_insn *in)
{
    bool red = ptx_has(&in->m, PTX_M_RED);
    return !ptx_has(&in->m, PTX_M_ARRIVE) && !ptx_has(&in->m, PTX_M_CLUSTER) && in->n_src == (red ? 2u : 1u) &&
           in->src[0].kind == IR_S_IMM;
}

// Do the lanes of each warp satisfy a condition all or none?
static bool is_by_warps(const struct machine *m, const struct form *e)
{
    const struct space *s = &m->s;
    int64_t step = 0, lo = 0, hi = 0; // warps make multiples of step, lanes lo..hi
    for (uint32_t i = 0; i < s->n; i++)
        if (i >= s->n_tid || s->linear[i] >= 32)
            step = prove__gcd(step, e->c[i]);
        else if (e->c[i] < 0)
            lo += e->c[i] * (s->extent[i] - 1);
        else
            hi += e->c[i] * (s->extent[i] - 1);
    if (!step)
        return e->k + lo >= 0 || e->k + hi < 0;
    int64_t rest = ((e->k + lo) % step + step) % step; // the least value that is not negative
    return step - rest > hi - lo;
}

static bool are_whole_warps(const struct machine *m, const struct conds *path)
{
    bool ok = path->is_exact && m->s.has_warps;
    for (uint32_t i = 0; i < path->n && ok; i++)
        ok = is_by_warps(m, path->e[i]);
    return ok;
}

static bool is_constant_operand(struct machine *m, const struct ir_src *s, int64_t want)
{
    int64_t k;
    return prove__is_constant(&m->s, prove__operand(m, s, 32), &k) && (uint32_t)k == (uint32_t)want;
}

// Warp instructions that name all lanes, where all lanes are. Others are watched: who is named wrongly shows as they run.
static bool names_all(struct machine *m, const struct ir_insn *in, const struct ir_src *mask, const struct conds *path)
{
    const struct wf_launch *l = m->x->launch;
    return l->block.x * l->block.y * l->block.z % 32 == 0 && is_constant_operand(m, mask, -1) && are_whole_warps(m, path) &&
           in->guard == IR_NONE;
}

bool prove__warp_op(struct machine *m, const struct ir_insn *in, const struct conds *path)
{
    if (in->op == PTX_O_VOTE && !ptx_has(&in->m, PTX_M_SYNC))
        return true;
    if (!in->n_src || !names_all(m, in, &in->src[in->n_src - 1], path)) // the mask is the last operand
        return prove__fail(m, "a warp instruction for a part of the warp", in->ptx_line);
    if (in->op == PTX_O_SHFL && ptx_has(&in->m, PTX_M_IDX)) {
        const struct form *from = prove__operand(m, &in->src[1], 32);
        if (!from->is_known || from->min < 0 || from->max > 31 || !is_constant_operand(m, &in->src[2], 31))
            return prove__fail(m, "a shuffle from a lane that depends on data", in->ptx_line);
    }
    return true;
}

bool prove__barrier(struct machine *m, const struct ir_insn *in, const struct conds *path, const struct pred *guard)
{
    if (ptx_has(&in->m, PTX_M_WARP)) {
        if (!in->n_src || !names_all(m, in, &in->src[in->n_src - 1], path))
            return prove__fail(m, "a warp barrier for a part of the warp", in->ptx_line);
        m->warp_phase++;
        return true;
    }
    if (!is_full_barrier(in) || (guard && guard->known != 1))
        return prove__fail(m, "a barrier for a part of the threads", in->ptx_line);
    if (!path->is_exact || prove__conds_have_atoms(path, 0, m->s.n_tid))
        return prove__fail(m, "a barrier that not all threads may reach", in->ptx_line);
    m->phase++;
    return true;
}
