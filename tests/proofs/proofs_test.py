#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which launches of launches.cu are proven free of races and run unwatched, and that faulty ones never are. Results
are those of `run`. Usage: proofs_test.py WARPFENCE"""
import os
import re
import subprocess
import sys
import tempfile

# name: launches that are not watched, of how many; findings of a report
PROVEN = {"add": (2, 2), "by_value": (2, 2), "grid_stride": (2, 2), "plane": (2, 2), "transpose": (2, 2), "tree": (2, 2),
          "shuffle": (2, 2), "scan": (2, 2), "bitonic": (2, 2), "stencil": (2, 2), "thirds": (0, 2),
          "histogram": (1, 2), "histogram_global": (1, 2), "streams_apart": (1, 2)}  # atomics: the first launch is watched
FAULTY = {"tree_bad": "race-shared", "shuffle_bad": "warp-mask", "scan_bad": "race-shared", "stencil_bad": "race-shared",
          "pairs_bad": "race-warp", "shift_bad": "race-global", "unwritten_bad": "mem-uninit", "bounds_bad": "mem-bounds",
          "histogram_bounds": "mem-bounds", "halves_bad": "race-", "floor_bad": "race-", "ends_bad": "mem-bounds",
          "freed_bad": "mem-freed", "before_bad": "mem-bounds", "streams": "host-stream-race"}
INCOMPLETE = {"histogram_other": "left the memory", "streams_perhaps": "was not compared"}


class Test:
    def __init__(self, tool, folder):
        self.tool = tool
        self.app = os.path.join(folder, "launches")
        self.failures = 0
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run([tool, "build", "--cc=clang", "--check-build", os.path.join(here, "launches.cu"), "-o", self.app],
                              capture_output=True, text=True, timeout=200)
        if done.returncode:
            sys.exit(f"build: {done.stdout}{done.stderr}")

    def go(self, command, name, *options):
        return subprocess.run([self.tool, command, *options, self.app, name], capture_output=True, text=True, timeout=100)

    def fail(self, name, why, done):
        self.failures += 1
        print(f"{name}: {why}\n{done.stdout}{done.stderr}")

    def proven(self, name, unwatched, launches):
        run = self.go("run", name)
        for proofs in ("yes", "no", "both"):
            done = self.go("check", name, "--stats", f"--proofs={proofs}")
            stats = re.search(r"(\d+) launches, (\d+) proven and not watched", done.stderr)
            found = tuple(int(g) for g in stats.groups()) if stats else None
            if done.returncode or done.stdout != run.stdout:
                self.fail(name, f"--proofs={proofs} ended with {done.returncode}, run prints {run.stdout}", done)
            elif proofs != "both" and found != (launches, unwatched if proofs == "yes" else 0):
                self.fail(name, f"--proofs={proofs}: {found}", done)

    def faulty(self, name, slug):
        run = self.go("run", name)
        if run.returncode not in (0, 66):
            self.fail(name, f"run ended with {run.returncode}", run)
        for proofs in ("yes", "no", "both"):
            done = self.go("check", name, f"--proofs={proofs}")
            if done.returncode != 66 or f"{slug}]" not in done.stderr and slug not in done.stderr:
                self.fail(name, f"--proofs={proofs}: {done.returncode}, not 66 and {slug}", done)

    def incomplete(self, name, words):
        done = self.go("check", name)
        if done.returncode != 3 or words not in done.stderr:
            self.fail(name, f"{done.returncode}, not 3 and '{words}'", done)
        if self.go("check", name, "--proofs=no").returncode == 3:
            self.fail(name, "--proofs=no is incomplete, too", done)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test = Test(sys.argv[1], folder)
        for name, (unwatched, launches) in PROVEN.items():
            test.proven(name, unwatched, launches)
        for name, slug in FAULTY.items():
            test.faulty(name, slug)
        for name, words in INCOMPLETE.items():
            test.incomplete(name, words)
        print(f"{len(PROVEN)} kernels proven, {len(FAULTY)} reported, {len(INCOMPLETE)} called incomplete, {test.failures} wrong")
        sys.exit(test.failures != 0)


if __name__ == "__main__":
    main()
