#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Warpfence on this machine: "speed" against C with OpenMP and against PoCL, "check" against
"run", "oclgrind" for checked accesses a second, "start" for compiling and starting. Each writes
bench/results/host-KIND-DATE.json, from which tables.py draws docs/performance.md. Standard library only."""
import argparse
import pathlib
import shlex
import sys
import tempfile

import checking
import rivals
import speed
import start

KINDS = {"speed": speed.measure, "check": checking.measure_ratio, "oclgrind": checking.measure_oclgrind,
         "start": start.measure}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("kind", choices=[*KINDS, "all"])
    parser.add_argument("--warpfence", metavar="PATH", help="default: build/release, build/dev, PATH")
    parser.add_argument("--cc", choices=["auto", "nvcc", "clang"], default="auto", help="compiler of the .cu files")
    parser.add_argument("--jobs", help="only these, with commas between")
    parser.add_argument("--log2n", default="", help="sizes as powers of two; default: 20,26 (speed), 20 (check)")
    parser.add_argument("--rounds", type=int, default=7, help="turns of all rivals (default 7)")
    parser.add_argument("--minutes", type=float, default=7.0,
                        help="no further round after so long, once there are 5 (default 7; check: at most 4.5)")
    parser.add_argument("--output", metavar="FILE", help="default: bench/results/host-KIND-DATE.json")
    options = parser.parse_args()
    if options.kind == "all" and options.output:
        parser.error("--output is for one kind")
    return options


def what_matters(words):
    """The options that change what is measured: not where the tool lies or the result goes."""
    rest, skip = [], False
    for word in words:
        place = word.split("=")[0] in ("--warpfence", "--output")
        if not (skip or place or word in (*KINDS, "all")):
            rest.append(word)
        skip = place and "=" not in word
    return rest


def main():
    options = arguments()
    tool = rivals.find_warpfence(options.warpfence)
    rest = what_matters(sys.argv[1:])
    for kind in KINDS if options.kind == "all" else [options.kind]:
        result = rivals.facts(tool, shlex.join(["python3", "bench/host/run.py", kind, *rest]))
        with tempfile.TemporaryDirectory(prefix="warpfence-bench-") as folder:
            try:
                result.update(KINDS[kind](tool, options, pathlib.Path(folder)))
            except rivals.Silent as silent:
                sys.exit(f"error: {silent}")
        rivals.save(kind, result, options.output)


if __name__ == "__main__":
    main()
