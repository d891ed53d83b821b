#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The two experiments: each kernel that waits for ever is reported, each mended one is not; the reductions are exact to
float's precision. Usage: lab_test.py WARPFENCE"""
import subprocess
import sys


def lab(name):
    done = subprocess.run([sys.argv[1], "lab", "--cc=clang", name], capture_output=True, text=True, timeout=280)
    if done.returncode:
        sys.exit(f"lab {name} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return [line.split() for line in done.stdout.splitlines()]


def main():
    table = {row[0]: row[1:] for row in lab("deadlock")[1:] if not row[0].startswith("(")}
    expected = {"branch": "barrier-divergence", "two-barriers": "barrier-divergence", "lock": "deadlock-spin",
                "flag": "deadlock-spin", "mask": "warp-mask"}
    for name, slug in expected.items():
        if table.get(name, [])[:3] != [slug, "no", "finding"]:
            sys.exit(f"{name}: {table.get(name)}, not {slug} and no finding")
    rows = [row for row in lab("reduce") if len(row) > 4 and row[-1][0].isdigit()]
    if len(rows) != 16:
        sys.exit(f"reduce: {len(rows)} rows, not 16")
    for row in rows:
        most = 0.1 if "atomic" in row else 1e-5  # one float for millions of additions
        if float(row[-1]) > most or float(row[-3]) <= 0:
            sys.exit(f"reduce: {row}")
    print("both tables are as they should be")


if __name__ == "__main__":
    main()
