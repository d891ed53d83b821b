#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each of nvcc's levels leaves of the faults: builds cases with it, checks the executables, compares with what the
sources expect, and adds up the time of the checks.

    tests/levels.py --warpfence build/bin/warpfence tests/kernels/cases/*-bad.cu tests/kernels/seeds/*.cu

Sources that expect nothing are left out."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import run_case

LEVELS = {"check build (-Xcicc -O0)": ["-Xcicc", "-O0"], "-Xcicc -O1": ["-Xcicc", "-O1"], "-G": ["-G"], "default (-O3)": []}


def check(args, flags, path, folder):
    """(what is wrong with the findings or None, seconds of the check)"""
    case = run_case.Case(path, "nvcc")
    exe, report = folder / path.stem, folder / f"{path.stem}.json"
    subprocess.run([args.nvcc, "-arch=sm_90", "-cudart", "shared", "-lineinfo", "-g", *flags, str(path), "-o", str(exe),
                    *case.words("compiler")], check=True, capture_output=True)
    start = time.monotonic()
    try:
        subprocess.run([args.warpfence, "check", "--format=json", f"--output={report}", *case.words("options"), str(exe),
                        *case.words("args")], capture_output=True, timeout=args.seconds)
    except subprocess.TimeoutExpired:
        return "did not end", args.seconds
    seconds = time.monotonic() - start
    if not report.exists():
        return "no report", seconds
    with open(report, encoding="utf-8") as f:
        return run_case.check_findings(case, json.load(f)["findings"]), seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warpfence", required=True, type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="for one check")
    parser.add_argument("file", nargs="+", type=lambda p: pathlib.Path(p).resolve())
    args = parser.parse_args()
    args.nvcc = run_case.find_nvcc() or sys.exit("nvcc is not on PATH: its levels are what is compared")
    files = [p for p in args.file if run_case.Case(p, "nvcc").all("expect") not in ([], ["clean"])]
    for name, flags in LEVELS.items():
        with tempfile.TemporaryDirectory(prefix="wf-levels-") as folder, \
                concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(lambda p: check(args, flags, p, pathlib.Path(folder)), files))
        good = sum(wrong is None for wrong, _ in results)
        print(f"{name}: {good} of {len(files)} as expected, {sum(s for _, s in results):.1f} s of checks", flush=True)
        for path, (wrong, _) in zip(files, results):
            if wrong:
                print(f"  {path.stem}: {wrong}".replace("\n", "\n  "))


if __name__ == "__main__":
    main()
