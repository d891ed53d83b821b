#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every #include of src/ is one that cmake/layers.cmake allows; LLVM is seen by src/jit alone."""
import re
import sys

from wfdef import ROOT

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.M)


def layers():
    text = (ROOT / "cmake/layers.cmake").read_text(encoding="utf-8")
    return {name: set(uses.split()) for name, uses in re.findall(r'"([a-z]+):([a-z ]*)"', text)}


def complaints(allowed):
    for path in sorted((ROOT / "src").rglob("*.[chd]*")):
        folder = path.relative_to(ROOT / "src").parts[0]
        where = path.relative_to(ROOT)
        if folder not in allowed:
            yield f"{where}: src/{folder} has no row in cmake/layers.cmake"
            continue
        for kind, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            other = name.split("/")[0]
            if kind == "<" and other in ("llvm", "llvm-c"):
                if folder != "jit":
                    yield f"{where}: includes <{name}>, but only src/jit may see LLVM"
            elif kind == '"' and "/" not in name and not name.endswith(".inc"):
                yield f'{where}: includes "{name}" without its folder'
            elif kind == '"' and "/" in name and other != folder and other not in allowed[folder]:
                yield f'{where}: src/{folder} may not include "{name}"'
            elif kind == '"' and other != folder and name.endswith("_priv.h"):
                yield f'{where}: "{name}" is private to src/{other}'


def main():
    bad = list(complaints(layers()))
    print("\n".join(bad) if bad else "every include is allowed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
