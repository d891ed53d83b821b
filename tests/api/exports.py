#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what an API's library exports with the rows of its api.def:
exports.py src/cudart/api.def 13 libcudart.so.13, or exports.py src/cuda/api.def 1 libcuda.so.1"""
import os
import re
import subprocess
import sys

ROW = re.compile(r"^WF_API\((\w+),\s*(\w+),[^)]*\)", re.M)
# Functions of older runtimes that programs compiled by clang still call; both libraries have them.
OLDER = re.compile(r"^cudaThread\w+$")


def main():
    table, major, library = sys.argv[1:]
    other = "ONLY12" if major == "13" else "ONLY13"
    rows = ROW.findall(open(table, encoding="utf-8").read())
    wanted = {name for name, versions in rows if versions != other}
    foreign = {name for name, versions in rows if versions == other}
    out = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                         check=True).stdout
    found, node = set(), os.path.basename(library)
    for line in out.splitlines():
        name = line.split()[-1]
        if line.split()[-2] == "A":
            continue
        plain, _, version = name.partition("@@")
        if version != node:
            print(f"{name}: not in version node {node}")
            return 1
        found.add(plain)
    bad = sorted(wanted - found)
    bad += sorted(n for n in found - wanted if n not in foreign and not OLDER.match(n))
    print("\n".join(bad) if bad else f"{len(found)} symbols")
    return 1 if bad else 0


sys.exit(main())
