#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shared library exports what its version script names, and nothing else.
Usage: check_symbols.py LIBRARY VERSION_SCRIPT"""
import fnmatch
import re
import subprocess
import sys


def wanted(path):
    """Name patterns of the script's global parts."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/|#[^\n]*|//[^\n]*", " ", f.read(), flags=re.S)
    names, is_global = set(), True
    for word in re.findall(r"global:|local:|[\w*?\[\].]+\s*;|{|}[^;]*;", text):
        if word == "{":
            is_global = True
        elif word in ("global:", "local:"):
            is_global = word == "global:"
        elif not word.startswith("}") and is_global:
            names.add(word.rstrip("; \t\n"))
    return names


def exported(path):
    out = subprocess.run(["nm", "-D", "--defined-only", path], check=True, capture_output=True,
                         text=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"} # A: version nodes


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip().splitlines()[-1])
        return 2
    want, have = wanted(sys.argv[2]), exported(sys.argv[1])
    plain = {w for w in want if not set(w) & set("*?[")}
    patterns = want - plain
    extra = sorted(h for h in have - plain if not any(fnmatch.fnmatch(h, p) for p in patterns))
    missing = sorted(plain - have)
    for name in extra:
        print(f"{name} is exported, but the version script does not name it")
    for name in missing:
        print(f"{name} is named by the version script, but is not exported")
    if not extra and not missing:
        print(f"{len(have)} symbols exported, as the version script says")
    return 1 if extra or missing else 0


if __name__ == "__main__":
    sys.exit(main())
