#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No source file above 800 lines (target 500), no function above 80, CMakeLists.txt below 150.
Every source begins with its licence line and says what it is."""
import re
import sys

from wfdef import ROOT

HARD, TARGET, FUNCTION, CMAKE = 800, 500, 80, 150
PLACES = ("src", "tools", "tests/unit", "tests/fuzz", "tests/api", "patterns/include", "include")
SUFFIXES = {".c", ".h", ".def", ".py", ".cuh"}


def functions(lines):
    """(name, first line, length) of each function: text at column 0, then braces at column 0."""
    start = name = None
    for i, line in enumerate(lines):
        head = re.match(r"[A-Za-z_].*?(\w+)\(", line)
        if head and not line.startswith(("#", "struct wf_loc")):
            start, name = i, head.group(1)
        if line == "}" and start is not None:
            yield name, start + 1, i - start + 1
            start = None


def head_is_right(path, lines):
    text = "\n".join(lines[:12])
    mark = "#" if path.suffix == ".py" else "//"
    at = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= at or lines[at] != f"{mark} SPDX-License-Identifier: Apache-2.0":
        return False
    return path.suffix == ".py" and '"""' in text or lines[at + 1 : at + 2] != [""]


def complaints():
    for place in PLACES:
        for path in sorted((ROOT / place).rglob("*")):
            if path.suffix not in SUFFIXES or not path.is_file():
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            where = path.relative_to(ROOT)
            if len(lines) > HARD:
                yield f"{where}: {len(lines)} lines, at most {HARD} are allowed"
            elif len(lines) > TARGET:
                print(f"note: {where}: {len(lines)} lines, the target is {TARGET}")
            if not head_is_right(path, lines):
                yield f"{where}: begins without its licence line and what it is"
            if path.suffix in (".c", ".h"):
                for name, line, n in functions(lines):
                    if n > FUNCTION:
                        yield f"{where}:{line}: {name} has {n} lines, at most {FUNCTION} are allowed"
    n = len((ROOT / "CMakeLists.txt").read_text(encoding="utf-8").splitlines())
    if n >= CMAKE:
        yield f"CMakeLists.txt: {n} lines, it must stay below {CMAKE}"


def main():
    bad = list(complaints())
    print("\n".join(bad) if bad else "every file and function has its size")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
