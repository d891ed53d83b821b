# SPDX-License-Identifier: Apache-2.0
"""Integer expressions of random kernels: each operation with its PTX and its value, so that text and interpretation
come from one row. Values are unsigned 32-bit numbers."""

M = 0xFFFFFFFF


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def divided(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def permuted(a, b, selector):
    source = [(a >> 8 * i) & 255 for i in range(4)] + [(b >> 8 * i) & 255 for i in range(4)]
    result = 0
    for i in range(4):
        s = selector >> 4 * i & 15
        byte = source[s & 7]
        if s & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << 8 * i
    return result


def looked_up(a, b, c, table):
    result = 0
    for i in range(8):
        if table >> i & 1:
            result |= (a if i & 4 else ~a) & (b if i & 2 else ~b) & (c if i & 1 else ~c)
    return result


# name: (operands, PTX with {d} {a} {b} {c} and {k} for a constant, value)
OPS = {
    "add": (2, "add.u32 {d}, {a}, {b};", lambda a, b: a + b),
    "sub": (2, "sub.s32 {d}, {a}, {b};", lambda a, b: a - b),
    "mul": (2, "mul.lo.s32 {d}, {a}, {b};", lambda a, b: a * b),
    "mad": (3, "mad.lo.u32 {d}, {a}, {b}, {c};", lambda a, b, c: a * b + c),
    "mulhi": (2, "mul.hi.u32 {d}, {a}, {b};", lambda a, b: a * b >> 32),
    "mulhis": (2, "mul.hi.s32 {d}, {a}, {b};", lambda a, b: signed(a) * signed(b) >> 32),
    "and": (2, "and.b32 {d}, {a}, {b};", lambda a, b: a & b),
    "or": (2, "or.b32 {d}, {a}, {b};", lambda a, b: a | b),
    "xor": (2, "xor.b32 {d}, {a}, {b};", lambda a, b: a ^ b),
    "not": (1, "not.b32 {d}, {a};", lambda a: ~a),
    "neg": (1, "neg.s32 {d}, {a};", lambda a: -a),
    "abs": (1, "abs.s32 {d}, {a};", lambda a: abs(signed(a))),
    "shl": (2, "shl.b32 {d}, {a}, {b};", lambda a, b: a << b if b < 32 else 0),
    "shr": (2, "shr.u32 {d}, {a}, {b};", lambda a, b: a >> b if b < 32 else 0),
    "sar": (2, "shr.s32 {d}, {a}, {b};", lambda a, b: signed(a) >> min(b, 31)),
    "shlk": (1, "shl.b32 {d}, {a}, {k5};", lambda a, k: a << (k & 31)),
    "shrk": (1, "shr.s32 {d}, {a}, {k5};", lambda a, k: signed(a) >> (k & 31)),
    "minu": (2, "min.u32 {d}, {a}, {b};", min),
    "maxs": (2, "max.s32 {d}, {a}, {b};", lambda a, b: max(signed(a), signed(b))),
    "divu": (2, "or.b32 {e}, {b}, 1; div.u32 {d}, {a}, {e};", lambda a, b: a // (b | 1)),
    "remu": (2, "or.b32 {e}, {b}, 1; rem.u32 {d}, {a}, {e};", lambda a, b: a % (b | 1)),
    "divs": (2, "and.b32 {e}, {b}, 15; add.s32 {e}, {e}, 1; div.s32 {d}, {a}, {e};",
             lambda a, b: divided(signed(a), (b & 15) + 1)),
    "rems": (2, "and.b32 {e}, {b}, 15; add.s32 {e}, {e}, 1; rem.s32 {d}, {a}, {e};",
             lambda a, b: signed(a) - divided(signed(a), (b & 15) + 1) * ((b & 15) + 1)),
    "popc": (1, "popc.b32 {d}, {a};", lambda a: bin(a).count("1")),
    "clz": (1, "clz.b32 {d}, {a};", lambda a: 32 - a.bit_length()),
    "brev": (1, "brev.b32 {d}, {a};", lambda a: int(f"{a:032b}"[::-1], 2)),
    "bfe": (2, "and.b32 {e}, {b}, 31; bfe.u32 {d}, {a}, {e}, 7;", lambda a, b: a >> (b & 31) & 127),
    "sext8": (1, "cvt.s32.s8 {d}, {a};", lambda a: signed(a, 8)),
    "zext16": (1, "cvt.u32.u16 {d}, {a};", lambda a: a & 0xFFFF),
    "sext16": (1, "cvt.s32.s16 {d}, {a};", lambda a: signed(a, 16)),
    "prmt": (2, "prmt.b32 {d}, {a}, {b}, {k16};", lambda a, b, k: permuted(a, b, k & 0xFFFF)),
    "lop3": (3, "lop3.b32 {d}, {a}, {b}, {c}, {k8};", lambda a, b, c, k: looked_up(a, b, c, k & 255)),
    "funnel": (3, "shf.l.wrap.b32 {d}, {a}, {b}, {c};", lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    "sad": (3, "sad.u32 {d}, {a}, {b}, {c};", lambda a, b, c: abs(a - b) + c),
    "mul24": (2, "mul24.lo.u32 {d}, {a}, {b};", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "wide": (2, "mul.wide.u32 {q}, {a}, {b}; shr.u64 {q}, {q}, {k5}; cvt.u32.u64 {d}, {q};",
             lambda a, b, k: a * b >> (k & 31)),
    "wides": (2, "mul.wide.s32 {q}, {a}, {b}; shr.s64 {q}, {q}, {k5}; cvt.u32.u64 {d}, {q};",
              lambda a, b, k: signed(a) * signed(b) >> (k & 31)),
    "floats": (2, "and.b32 {e}, {a}, 4095; cvt.rn.f32.u32 {f}, {e}; and.b32 {e}, {b}, 4095; cvt.rn.f32.u32 {g}, {e}; "
                  "fma.rn.f32 {f}, {f}, {g}, {f}; cvt.rzi.s32.f32 {d}, {f};",
               lambda a, b: (a & 4095) * (b & 4095) + (a & 4095)),
}
COMPARE = {
    "eq.u32": lambda a, b: a == b,
    "ne.u32": lambda a, b: a != b,
    "lt.u32": lambda a, b: a < b,
    "ge.u32": lambda a, b: a >= b,
    "lt.s32": lambda a, b: signed(a) < signed(b),
    "gt.s32": lambda a, b: signed(a) > signed(b),
    "le.s32": lambda a, b: signed(a) <= signed(b),
}


class Const:
    def __init__(self, value):
        self.value = value & M

    def emit(self, out):
        return str(signed(self.value))

    def at(self, state, t):
        return self.value


class Reg:
    """A variable of the kernel, one value a thread."""

    def __init__(self, name):
        self.name = name

    def emit(self, out):
        return "%" + self.name

    def at(self, state, t):
        return state.regs[self.name][t]


class Op:
    def __init__(self, name, args, k):
        self.name, self.args, self.k = name, args, k
        self.text, self.fn = OPS[name][1:]

    def emit(self, out):
        names = [a.emit(out) for a in self.args]
        if names[0][0] != "%":  # an operation of constants alone: through a register
            r = out.temp("r")
            out.line(f"mov.u32 {r}, {names[0]};")
            names[0] = r
        d = out.temp("r")
        fields = dict(zip("abc", names), d=d, e=out.temp("r"), q=out.temp("d"), f=out.temp("f"), g=out.temp("f"), k5=self.k & 31,
                      k8=self.k & 255, k16=self.k & 0xFFFF)
        out.line(self.text.format(**fields))
        return d

    def at(self, state, t):
        values = [a.at(state, t) for a in self.args]
        if "{k" in self.text:
            values.append(self.k)
        return self.fn(*values) & M


class Select:
    def __init__(self, cond, a, b):
        self.cond, self.a, self.b = cond, a, b

    def emit(self, out):
        p, a, b, d = self.cond.emit(out), self.a.emit(out), self.b.emit(out), out.temp("r")
        out.line(f"selp.b32 {d}, {a}, {b}, {p};")
        return d

    def at(self, state, t):
        return (self.a if self.cond.at(state, t) else self.b).at(state, t)


class Load:
    """array[index & mask]: the input, or the thread's local memory."""

    def __init__(self, space, index, mask):
        self.space, self.index, self.mask = space, index, mask

    def emit(self, out):
        return out.load(self.space, self.index.emit(out), self.mask)

    def at(self, state, t):
        i = self.index.at(state, t) & self.mask
        return state.local[t][i] if self.space == "local" else state.input[i]


class Cond:
    def __init__(self, how, a, b):
        self.how, self.a, self.b = how, a, b

    def emit(self, out):
        a, b, p = self.a.emit(out), self.b.emit(out), out.temp("p")
        if a[0] != "%":
            r = out.temp("r")
            out.line(f"mov.u32 {r}, {a};")
            a = r
        out.line(f"setp.{self.how} {p}, {a}, {b};")
        return p

    def at(self, state, t):
        return COMPARE[self.how](self.a.at(state, t), self.b.at(state, t))


class Both:
    def __init__(self, how, a, b):
        self.how, self.a, self.b = how, a, b

    def emit(self, out):
        a, b, p = self.a.emit(out), self.b.emit(out), out.temp("p")
        out.line(f"{self.how}.pred {p}, {a}, {b};")
        return p

    def at(self, state, t):
        a, b = self.a.at(state, t), self.b.at(state, t)
        return a and b if self.how == "and" else a or b if self.how == "or" else a != b
