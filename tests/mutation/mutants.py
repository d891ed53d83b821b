# SPDX-License-Identifier: Apache-2.0
"""Mutants of PTX: each removes or weakens one synchronization of the source. What stands at one place of
the source, reached from one caller, is changed in all its copies (instances, unrolled loops) at once."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOC = re.compile(r"//\s*(\S+?):(\d+):\d+")
SCOPES = r"\.(?:gpu|gl|sys)\b"


def drop(_):
    return ""


def replaced(old, new):
    return lambda line: re.sub(old, new, line, count=1)


def scope_inserted(line):
    return re.sub(r"\b(atom|red)((?:\.(?:relaxed|acquire|release|acq_rel))?)", r"\1\2.cta", line, count=1)


def torn(line):
    """An atomic as a plain load, the operation and a plain store."""
    m = re.match(r"(\s*)(@!?\S+\s+)?(atom|red)\S*?(\.shared|\.global)?\S*?\.(add|inc|or|xor|and|sub)\.(\w+)\s+"
                 r"(?:(\S+),\s*)?\[([^\]]+)\],\s*([^;]+);", line)
    if not m or m[5] == "inc":
        return None
    kind = m[6]
    guard, space, old = m[2] or "", m[4] or "", m[7] or "%wf_old"
    bits = "b" + kind[1:] if m[5] in ("or", "xor", "and") else kind
    return (f"{{ .reg .{kind} %wf_old, %wf_new; {guard}ld{space}.{kind} %wf_old, [{m[8]}]; "
            f"{m[5]}.{bits} %wf_new, %wf_old, {m[9]}; {guard}st{space}.{kind} [{m[8]}], %wf_new; "
            + (f"mov.{kind} {old}, %wf_old; " if m[7] else "") + "}")


# name, lines it applies to, change (None: not this line)
OPERATORS = [
    ("barrier removed", r"\bbar(?:rier)?(?:\.cta)?\.sync\b", drop),
    ("warp barrier removed", r"\bbar\.warp\.sync\b", drop),
    ("fence removed", r"\b(?:fence\.(?:sc|acq_rel)|membar)\b", drop),
    ("fence of block scope", r"\b(?:fence\.(?:sc|acq_rel)|membar)" + SCOPES, replaced(SCOPES, ".cta")),
    ("acquire weakened", r"\b(?:ld|atom(?:\.cas|\.exch)?)\.acquire\b", replaced(r"\.acquire", ".relaxed")),
    ("release weakened", r"\b(?:st|atom(?:\.cas|\.exch)?)\.release\b", replaced(r"\.release", ".relaxed")),
    ("acquire lost", r"\batom\.(?:cas\.)?acq_rel\b", replaced(r"\.acq_rel", ".release")),
    ("release lost", r"\batom\.(?:cas\.)?acq_rel\b", replaced(r"\.acq_rel", ".acquire")),
    ("acq_rel weakened", r"\batom\.(?:cas\.)?acq_rel\b", replaced(r"\.acq_rel", ".relaxed")),
    ("block scope", r"\b(?:ld|st|atom|red)\.\S*" + SCOPES, replaced(SCOPES, ".cta")),
    ("block scope", r"\b(?:atom|red)\.(?!\S*\b(?:gpu|sys|cta|shared)\b)", scope_inserted),
    ("made weak", r"\b(?:ld|st)\.(?:relaxed|acquire|release)\.(?:gpu|sys|cta)\b",
     replaced(r"\.(?:relaxed|acquire|release)\.(?:gpu|sys|cta)", ".weak")),
    ("atomic made plain", r"\b(?:atom|red)\.", torn),
    ("lane missing from mask", r"\b(?:shfl|vote|match)\S*\.sync\b|\bbar\.warp\.sync\b", replaced(r"-1;", "2147483647;")),
    ("full mask for part of a warp", r"\b(?:shfl|vote|match)\S*\.sync\b|\bbar\.warp\.sync\b", replaced(r"%r\d+;", "-1;")),
    ("wait for previous grid removed", r"\bgriddepcontrol\.wait\b", drop),
    ("copy wait removed", r"\bcp\.async\.wait", drop),
]


class Place:
    """A source line, and the line of a caller outside the shared helpers."""

    def __init__(self, own, caller):
        self.own, self.caller = own, caller

    def key(self):
        return (self.own, self.caller)

    def text(self):
        own = shown(self.own)
        return own if self.caller == self.own else f"{own} from {shown(self.caller)}"


_sources = {}


def lines_of(path):
    if path not in _sources:
        p = pathlib.Path(path)
        if not p.exists(): # the compiler names files from where it ran, often the top of the tree
            p = ROOT / path
        _sources[path] = p.read_text(encoding="utf-8").splitlines() if p.exists() else []
    return _sources[path]


def function_at(path, line):
    """Name of the function that holds the line: the nearest line above that begins at column 0 and names one."""
    for text in reversed(lines_of(path)[:line]):
        if text[:1].isalpha() or text.startswith("_"):
            m = re.search(r"(\w+)\(", text)
            if m and m[1] not in ("__launch_bounds__", "if", "while", "asm"):
                return m[1]
    return "?"


def shown(place):
    return function_at(*place) if place else "?"


class Mutant:
    def __init__(self, operator, place):
        self.operator, self.place, self.changes = operator, place, []

    def name(self):
        return f"{self.operator} in {self.place.text()}"

    def apply(self, lines):
        lines = list(lines)
        for at, new in self.changes:
            lines[at] = new
        return "\n".join(lines) + "\n"


def mutants_of(text, helpers="wf_base.cuh"):
    """(lines, mutants), in the order of the text."""
    lines, found, own, caller = text.splitlines(), {}, None, None
    constant = set()
    compiled = [(name, re.compile(pattern), change) for name, pattern, change in OPERATORS]
    for at, line in enumerate(lines):
        if ".entry" in line or ".func" in line:
            constant.clear()
        if line.lstrip().startswith(".loc"):
            spots = [(m[0], int(m[1])) for m in LOC.findall(line) if m[1] != "0"]
            if spots:
                own = spots[0]
                outside = [s for s in spots if not s[0].endswith(helpers)]
                caller = outside[0] if outside else caller
            continue
        code = line.split("//")[0]
        if not code.strip() or code.lstrip().startswith("."):
            continue
        if m := re.match(r"\s*mov\.b32\s+(%r\d+), -1;", code):
            constant.add(m[1])
        if m := re.search(r"\.sync\b.*(%r\d+);", code):
            if m[1] in constant: # a full mask in a register
                code = code.replace(f"{m[1]};", "-1;")
        for name, pattern, change in compiled:
            if not pattern.search(code):
                continue
            new = change(code)
            if new is None or new == code:
                continue
            place = Place(own, caller)
            mutant = found.setdefault((name, *place.key()), Mutant(name, place))
            mutant.changes.append((at, new))
    return lines, list(found.values())
