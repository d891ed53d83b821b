# SPDX-License-Identifier: Apache-2.0
"""Statements of random kernels: each writes its PTX and runs on the interpreter. `lanes` is the list of threads of a
block that run it; within a warp the kernel knows them as a mask in a register, so that warp instructions name
exactly the lanes that execute them. `mask` is that register's name."""
from expressions import M, signed


class State:
    """One block."""

    def __init__(self, threads, inputs, counters):
        self.regs, self.local = {}, [[0] * 8 for _ in range(threads)]
        self.own = [[0] * 4 for _ in range(threads)]
        self.input, self.counters, self.threads = inputs, counters, threads


def block(body, state, lanes):
    for s in body:
        if not lanes:
            break
        s.run(state, lanes)


def emit_all(body, out, mask):
    for s in body:
        s.emit(out, mask)


def by_warp(lanes):
    warps = {}
    for t in lanes:
        warps.setdefault(t // 32, []).append(t)
    return warps.values()


class Assign:
    def __init__(self, reg, value):
        self.reg, self.value = reg, value

    def emit(self, out, mask):
        out.line(f"mov.u32 %{self.reg}, {self.value.emit(out)};")

    def run(self, state, lanes):
        for t in lanes:
            state.regs[self.reg][t] = self.value.at(state, t)


class Store:
    """To the thread's local memory, to its own words of global memory, or added to a counter that all share."""

    def __init__(self, where, index, value):
        self.where, self.index, self.value = where, index, value

    def emit(self, out, mask):
        out.store(self.where, self.index.emit(out), self.value.emit(out))

    def run(self, state, lanes):
        for t in lanes:
            i, v = self.index.at(state, t), self.value.at(state, t)
            if self.where == "local":
                state.local[t][i & 7] = v
            elif self.where == "own":
                state.own[t][i & 3] = v
            else:
                state.counters[i & 3] = state.counters[i & 3] + v & M


class If:
    def __init__(self, cond, then, other):
        self.cond, self.then, self.other = cond, then, other

    def emit(self, out, mask):
        p, else_, end = self.cond.emit(out), out.label(), out.label()
        yes, no = out.temp("r"), out.temp("r")
        if mask:
            out.line(f"vote.sync.ballot.b32 {yes}, {p}, {mask}; not.b32 {no}, {yes}; and.b32 {no}, {no}, {mask};")
        out.line(f"@!{p} bra {else_};")
        emit_all(self.then, out, mask and yes)
        if self.other:
            out.line(f"bra {end};")
        out.line(f"{else_}:")
        emit_all(self.other, out, mask and no)
        if self.other:
            out.line(f"{end}:")

    def run(self, state, lanes):
        yes = [self.cond.at(state, t) for t in lanes]
        block(self.then, state, [t for t, y in zip(lanes, yes) if y])
        block(self.other, state, [t for t, y in zip(lanes, yes) if not y])


class While:
    """At most `limit` rounds, as long as the condition holds; lanes leave one by one."""

    def __init__(self, cond, limit, body):
        self.cond, self.limit, self.body = cond, limit, body

    def emit(self, out, mask):
        head, end, n = out.label(), out.label(), out.temp("r")
        inside = out.temp("r")
        out.line(f"mov.u32 {n}, 0;")
        if mask:
            out.line(f"mov.u32 {inside}, {mask};")
        out.line(f"{head}:")
        p, q = self.cond.emit(out), out.temp("p")
        out.line(f"setp.lt.u32 {q}, {n}, {self.limit}; and.pred {p}, {p}, {q};")
        if mask:
            out.line(f"vote.sync.ballot.b32 {inside}, {p}, {inside};")
        out.line(f"@!{p} bra {end}; add.u32 {n}, {n}, 1;")
        emit_all(self.body, out, mask and inside)
        out.line(f"bra {head};")
        out.line(f"{end}:")

    def run(self, state, lanes):
        for _ in range(self.limit):
            lanes = [t for t in lanes if self.cond.at(state, t)]
            if not lanes:
                return
            block(self.body, state, lanes)


class Wild:
    """A loop that lanes leave, or begin anew, in the middle: who is still inside nobody knows, so no warp instruction
    stands in it."""

    def __init__(self, limit, first, cond, is_break, second, again):
        self.limit, self.first, self.cond, self.is_break, self.second, self.again = limit, first, cond, is_break, second, again

    def emit(self, out, mask):
        head, next_, end, n = out.label(), out.label(), out.label(), out.temp("r")
        out.line(f"mov.u32 {n}, 0;")
        out.line(f"{head}:")
        emit_all(self.first, out, None)
        out.line(f"@{self.cond.emit(out)} bra {end if self.is_break else next_};")
        emit_all(self.second, out, None)
        out.line(f"{next_}:")
        q, p = out.temp("p"), self.again.emit(out)
        out.line(f"add.u32 {n}, {n}, 1; setp.lt.u32 {q}, {n}, {self.limit}; and.pred {p}, {p}, {q}; @{p} bra {head};")
        out.line(f"{end}:")

    def run(self, state, lanes):
        for _ in range(self.limit):
            block(self.first, state, lanes)
            hit = [self.cond.at(state, t) for t in lanes]
            block(self.second, state, [t for t, h in zip(lanes, hit) if not h])
            lanes = [t for t, h in zip(lanes, hit) if not (h and self.is_break) and self.again.at(state, t)]
            if not lanes:
                return


class Switch:
    """By a jump table; the last case is also taken by what the table has not."""

    def __init__(self, index, cases):
        self.index, self.cases = index, cases

    def emit(self, out, mask):
        n, labels, end = len(self.cases), [out.label() for _ in self.cases], out.label()
        i, table = out.temp("r"), out.label()
        out.line(f"min.u32 {i}, {self.index.emit(out)}, {n - 1};")
        masks = [None] * n
        for k in range(n if mask else 0):
            masks[k], p = out.temp("r"), out.temp("p")
            out.line(f"setp.eq.u32 {p}, {i}, {k}; vote.sync.ballot.b32 {masks[k]}, {p}, {mask};")
        out.line(f"{table}: .branchtargets {', '.join(labels)};")
        out.line(f"brx.idx {i}, {table};")
        for label, case, m in zip(labels, self.cases, masks):
            out.line(f"{label}:")
            emit_all(case, out, m)
            out.line(f"bra {end};")
        out.line(f"{end}:")

    def run(self, state, lanes):
        at = [min(self.index.at(state, t), len(self.cases) - 1) for t in lanes]
        for k, case in enumerate(self.cases):
            block(case, state, [t for t, i in zip(lanes, at) if i == k])


class Warp:
    """A shuffle, vote, match or reduction among the lanes of the mask."""
    HOW = ("shfl", "ballot", "any", "all", "match", "add", "min", "max", "and", "or", "xor", "sync")

    def __init__(self, how, reg, value, other):
        self.how, self.reg, self.value, self.other = how, reg, value, other

    def emit(self, out, mask):
        d, v = "%" + self.reg, self.value.emit(out)
        if v[0] != "%":
            r = out.temp("r")
            out.line(f"mov.u32 {r}, {v};")
            v = r
        if self.how == "shfl":  # from a lane of the mask, else from oneself
            lane, p, b = out.temp("r"), out.temp("p"), out.temp("r")
            out.line(f"and.b32 {lane}, {self.other.emit(out)}, 31; shr.u32 {b}, {mask}, {lane}; and.b32 {b}, {b}, 1;")
            out.line(f"setp.ne.u32 {p}, {b}, 0; selp.b32 {lane}, {lane}, %lane, {p}; shfl.sync.idx.b32 {d}, {v}, {lane}, 31, {mask};")
        elif self.how in ("ballot", "any", "all"):
            p, q = out.temp("p"), out.temp("p")
            out.line(f"setp.lt.u32 {p}, {v}, {self.other.emit(out)};")
            out.line(f"vote.sync.ballot.b32 {d}, {p}, {mask};" if self.how == "ballot" else
                     f"vote.sync.{self.how}.pred {q}, {p}, {mask}; selp.b32 {d}, 1, 0, {q};")
        elif self.how == "match":
            b = out.temp("r")
            out.line(f"and.b32 {b}, {v}, 3; match.any.sync.b32 {d}, {b}, {mask};")
        elif self.how == "sync":
            out.line(f"bar.warp.sync {mask};")
        else:
            ty = "b32" if self.how in ("and", "or", "xor") else "s32" if self.how == "min" else "u32"
            out.line(f"redux.sync.{self.how}.{ty} {d}, {v}, {mask};")

    def run(self, state, lanes):
        regs = state.regs[self.reg]
        for group in by_warp(lanes):
            v = {t: self.value.at(state, t) for t in group}
            o = {t: self.other.at(state, t) for t in group}
            for t, r in self.results(group, v, o).items():
                regs[t] = r & M

    def results(self, group, v, o):
        base, all_ = group[0] // 32 * 32, list(v.values())
        if self.how == "shfl":
            return {t: v.get(base + (o[t] & 31), v[t]) for t in group}
        if self.how in ("ballot", "any", "all"):
            bits = [t for t in group if v[t] < o[t]]
            r = sum(1 << (t - base) for t in bits) if self.how == "ballot" else int(bool(bits) if self.how == "any" else len(bits) == len(group))
            return dict.fromkeys(group, r)
        if self.how == "match":
            return {t: sum(1 << (u - base) for u in group if v[u] & 3 == v[t] & 3) for t in group}
        if self.how == "sync":
            return {}
        r = all_[0]
        for x in all_[1:]:
            r = {"add": r + x, "min": min(signed(r), signed(x)), "max": max(r & M, x), "and": r & x, "or": r | x, "xor": r ^ x}[self.how] & M
        return dict.fromkeys(group, r)


class Meet:
    """Only where the whole block is: values go to shared memory and to another thread, or are counted by a barrier."""

    def __init__(self, how, reg, value, step, cond):
        self.how, self.reg, self.value, self.step, self.cond = how, reg, value, step, cond

    def emit(self, out, mask):
        d, r, p = "%" + self.reg, out.temp("r"), out.temp("p")
        if self.how == "exchange":
            out.line(f"shl.b32 {r}, %tid_, 2; add.u32 {r}, {r}, %shared; st.shared.u32 [{r}], {self.value.emit(out)}; bar.sync 0;")
            out.line(f"mad.lo.u32 {r}, %tid_, {self.step}, {self.step}; rem.u32 {r}, {r}, %ntid_; shl.b32 {r}, {r}, 2; add.u32 {r}, {r}, %shared;")
            out.line(f"ld.shared.u32 {d}, [{r}]; bar.sync 0;")
        elif self.how == "popc":
            out.line(f"barrier.cta.red.popc.aligned.u32 {d}, 0, {self.cond.emit(out)};")
        else:
            out.line(f"bar.red.{self.how}.pred {p}, 0, {self.cond.emit(out)}; selp.b32 {d}, 1, 0, {p};")

    def run(self, state, lanes):
        if self.how == "exchange":
            v = [self.value.at(state, t) for t in lanes]
            for t in lanes:
                state.regs[self.reg][t] = v[(t * self.step + self.step) % state.threads]
            return
        yes = [self.cond.at(state, t) for t in lanes]
        r = sum(yes) if self.how == "popc" else int(all(yes) if self.how == "and" else any(yes))
        for t in lanes:
            state.regs[self.reg][t] = r


class Call:
    """A function that calls itself: deeper in some lanes than in others. Half of the time through a pointer."""

    def __init__(self, reg, depth, value, by_pointer):
        self.reg, self.depth, self.value, self.by_pointer = reg, depth, value, by_pointer

    def emit(self, out, mask):
        n, f, proto = out.temp("r"), out.temp("d"), out.label()
        out.line(f"and.b32 {n}, {self.depth.emit(out)}, 3;")
        v = self.value.emit(out)
        if v[0] != "%":
            r = out.temp("r")
            out.line(f"mov.u32 {r}, {v};")
            v = r
        out.line("{ .param .b32 pn; .param .b32 pv; .param .b32 pr; st.param.b32 [pn], %s; st.param.b32 [pv], %s;" % (n, v))
        if self.by_pointer:
            out.line(f"{proto}: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);")
            out.line(f"mov.u64 {f}, deep; call (pr), {f}, (pn, pv), {proto};")
        else:
            out.line("call (pr), deep, (pn, pv);")
        out.line(f"ld.param.b32 %{self.reg}, [pr]; }}")

    def run(self, state, lanes):
        for t in lanes:
            state.regs[self.reg][t] = deep(self.depth.at(state, t) & 3, self.value.at(state, t))


def deep(n, v):
    if n == 0:
        return v ^ 0x55
    r = deep(n - 1, v * 3 + n & M)
    return r + deep(n - 1, v) & M if v & 1 else r - v & M


DEEP = """
.func (.param .b32 ret) deep(.param .b32 n, .param .b32 v)
{
    .reg .b32 %r<16>; .reg .pred %p<4>;
    ld.param.b32 %r1, [n]; ld.param.b32 %r2, [v];
    setp.eq.u32 %p1, %r1, 0; @%p1 bra LEAF;
    sub.u32 %r3, %r1, 1; mad.lo.u32 %r4, %r2, 3, %r1;
    { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %r3; st.param.b32 [b], %r4;
      call (r), deep, (a, b); ld.param.b32 %r5, [r]; }
    and.b32 %r6, %r2, 1; setp.ne.u32 %p2, %r6, 0; @%p2 bra ODD;
    sub.u32 %r7, %r5, %r2; bra DONE;
ODD:
    { .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], %r3; st.param.b32 [b], %r2;
      call (r), deep, (a, b); ld.param.b32 %r8, [r]; }
    add.u32 %r7, %r5, %r8; bra DONE;
LEAF:
    xor.b32 %r7, %r2, 0x55;
DONE:
    st.param.b32 [ret], %r7; ret;
}
"""
