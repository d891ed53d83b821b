# SPDX-License-Identifier: Apache-2.0
"""Random kernels: `Kernel(seed)` has the PTX text and what it has to leave in memory."""
import random

from expressions import COMPARE, OPS, Both, Cond, Const, Load, M, Op, Reg, Select
from statements import (DEEP, Assign, Call, If, Meet, State, Store, Switch, Warp, While, Wild, block, emit_all)

VARS = [f"v{i}" for i in range(6)]
N_INPUT = 256
HEAD = """.version 8.5
.target sm_90
.address_size 64
{functions}
.visible .entry k(.param .u64 out_, .param .u64 in_, .param .u64 own_, .param .u64 sum_, .param .u32 n_)
{{
    .local .align 4 .b8 array[32];
    .shared .align 4 .b8 box[4096];
    .reg .b32 %v<8>; .reg .b32 %n; .reg .b32 %tid_; .reg .b32 %ntid_; .reg .b32 %gid; .reg .b32 %shared; .reg .b32 %lane; .reg .b32 %all;
    .reg .b64 %out; .reg .b64 %in; .reg .b64 %own; .reg .b64 %sum; .reg .b64 %arr;
    .reg .b32 %r<{r}>; .reg .b64 %d<{d}>; .reg .pred %p<{p}>; .reg .f32 %f<{f}>;
"""
START = """    ld.param.u64 %out, [out_]; ld.param.u64 %in, [in_]; ld.param.u64 %own, [own_]; ld.param.u64 %sum, [sum_]; ld.param.u32 %n, [n_];
    mov.u32 %tid_, %tid.x; mov.u32 %ntid_, %ntid.x; mov.u32 %lane, %laneid; mov.u32 %shared, box; mov.u64 %arr, array;
    mov.u32 %r0, %ctaid.x; mad.lo.u32 %gid, %r0, %ntid_, %tid_;
"""


class Writer:
    def __init__(self):
        self.lines, self.count, self.labels = [], {"r": 1, "d": 1, "p": 1, "f": 1}, 0

    def line(self, text):
        self.lines.append("    " + text)

    def temp(self, kind):
        self.count[kind] += 1
        return f"%{kind}{self.count[kind] - 1}"

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def address(self, space, index, mask):
        i, a = self.temp("r"), self.temp("d")
        base = {"local": "%arr", "input": "%in", "own": "%own", "sum": "%sum"}[space]
        if index[0] != "%":
            self.line(f"mov.u32 {i}, {index};")
            self.line(f"and.b32 {i}, {i}, {mask};")
        else:
            self.line(f"and.b32 {i}, {index}, {mask};")
        if space == "own":
            self.line(f"mad.lo.u32 {i}, %gid, 4, {i};")
        self.line(f"mul.wide.u32 {a}, {i}, 4; add.s64 {a}, {base}, {a};")
        return a

    def load(self, space, index, mask):
        a, d = self.address(space, index, mask), self.temp("r")
        self.line(f"ld.{'local' if space == 'local' else 'global'}.u32 {d}, [{a}];")
        return d

    def store(self, where, index, value):
        a = self.address(where, index, 7 if where == "local" else 3)
        if where == "sum":
            self.line(f"red.global.add.u32 [{a}], {value};")
        else:
            self.line(f"st.{'local' if where == 'local' else 'global'}.u32 [{a}], {value};")


class Kernel:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.has_calls = self.r.random() < 0.3
        self.threads, self.blocks = self.r.choice([32, 64, 33, 96, 20, 128]), self.r.choice([1, 2, 3])
        self.n, self.input = self.r.randrange(64), [self.r.getrandbits(32) for _ in range(N_INPUT)]
        self.body = [self.statement(1, "block") for _ in range(self.r.randrange(3, 8))]

    # where: "block" the whole block is here, "warp" lanes of a known mask, "wild" nobody knows
    def expression(self, depth=0):
        r = self.r
        k = r.randrange(10)
        if depth > 2 or k < 3:
            return r.choice([Reg(r.choice(VARS)), Reg(r.choice(VARS)), Const(r.choice([r.randrange(-9, 60), r.getrandbits(32)])),
                             Reg("gid"), Reg("tid_"), Reg("n"), Reg("lane")])
        if k == 3:
            return Select(self.condition(depth + 1), self.expression(depth + 1), self.expression(depth + 1))
        if k == 4:
            return Load("input", self.expression(depth + 1), N_INPUT - 1)
        if k == 5:
            return Load("local", self.expression(depth + 1), 7)
        name = r.choice(list(OPS))
        return Op(name, [self.expression(depth + 1) for _ in range(OPS[name][0])], r.getrandbits(32))

    def condition(self, depth=0):
        r = self.r
        if depth < 2 and r.random() < 0.2:
            return Both(r.choice(["and", "or", "xor"]), self.condition(depth + 1), self.condition(depth + 1))
        if r.random() < 0.3:  # about the thread's number
            return Cond(r.choice(list(COMPARE)), Op("remu", [Reg("tid_"), Const(r.choice([2, 6, 12]))], 0), Const(r.randrange(5)))
        return Cond(r.choice(list(COMPARE)), self.expression(depth + 1), self.expression(depth + 1))

    def uniform(self):
        return Cond(self.r.choice(list(COMPARE)), Reg("n"), Const(self.r.randrange(64)))

    def some(self, depth, where):
        return [self.statement(depth, where) for _ in range(self.r.randrange(1, 4))]

    def statement(self, depth, where):
        r = self.r
        k = r.randrange(20)
        inner = "wild" if where == "wild" else "warp"
        if where == "block" and k < 4:
            return self.together(depth)
        if where != "wild" and k < 8:
            return Warp(r.choice(Warp.HOW), r.choice(VARS), self.expression(1), self.expression(1))
        if depth < 5 and k in (8, 9, 10):
            return If(self.condition(), self.some(depth + 1, inner), self.some(depth + 1, inner) if r.random() < 0.6 else [])
        if depth < 4 and k in (11, 12):
            return While(self.condition(), r.randrange(2, 6), self.some(depth + 1, inner))
        if depth < 4 and k == 13:
            return Wild(r.randrange(2, 6), self.some(depth + 1, "wild"), self.condition(), r.random() < 0.6, self.some(depth + 1, "wild"),
                        self.condition())
        if depth < 4 and k == 14:
            return Switch(self.expression(1), [self.some(depth + 1, inner) for _ in range(r.randrange(2, 5))])
        if k in (15, 16):
            return Store(r.choice(["local", "own", "sum"]), self.expression(1), self.expression(1))
        if k == 17 and self.has_calls:
            return Call(r.choice(VARS), self.expression(1), self.expression(1), r.random() < 0.5)
        return Assign(r.choice(VARS), self.expression())

    def together(self, depth):
        r = self.r
        k = r.randrange(4)
        if depth < 3 and k == 0:  # a loop that all leave at once
            return While(self.uniform(), r.randrange(1, 4), self.some(depth + 1, "block"))
        if depth < 3 and k == 1:
            return If(self.uniform(), self.some(depth + 1, "block"), self.some(depth + 1, "block"))
        return Meet(r.choice(["exchange", "exchange", "popc", "and", "or"]), r.choice(VARS), self.expression(1), r.randrange(1, 9),
                    self.condition(1))

    def ptx(self):
        out = Writer()
        for i, v in enumerate(VARS):
            out.line(f"mad.lo.u32 %{v}, %gid, {i * 7 % 5}, {i};")
        for i in range(8):
            out.line(f"mad.lo.u32 %r0, %gid, {i}, {i * i}; st.local.u32 [array+{4 * i}], %r0;")
        # Which lanes there are.
        out.line("setp.eq.u32 %p0, 0, 0; activemask.b32 %all; bar.warp.sync %all;")
        emit_all(self.body, out, "%all")
        for v in VARS[1:]:
            out.line(f"mad.lo.u32 %v0, %v0, 31, %{v};")
        out.line("mul.wide.u32 %d0, %gid, 16; add.s64 %d0, %own, %d0;")
        for i in range(4):
            out.line(f"ld.global.u32 %r0, [%d0+{4 * i}]; mad.lo.u32 %v0, %v0, 31, %r0;")
        out.line("mul.wide.u32 %d0, %gid, 4; add.s64 %d0, %out, %d0; st.global.u32 [%d0], %v0;")
        text = "\n".join(out.lines) + "\n    ret;\n}\n"
        return HEAD.format(functions=DEEP if self.has_calls else "", **out.count) + START + text

    def expected(self):
        """(out, sum) as lists of words: a word a thread, of all that it has, and the counters."""
        out, counters = [], [0] * 4
        for b in range(self.blocks):
            s = State(self.threads, self.input, counters)
            gid = [b * self.threads + t for t in range(self.threads)]
            s.regs = {"gid": gid, "tid_": list(range(self.threads)), "n": [self.n] * self.threads, "lane": [t % 32 for t in range(self.threads)]}
            for i, v in enumerate(VARS):
                s.regs[v] = [g * (i * 7 % 5) + i & M for g in gid]
            s.local = [[g * i + i * i & M for i in range(8)] for g in gid]
            block(self.body, s, list(range(self.threads)))
            for t in range(self.threads):
                h = 0
                for x in [s.regs[v][t] for v in VARS] + s.own[t]:
                    h = h * 31 + x & M
                out.append(h)
        return out, counters
