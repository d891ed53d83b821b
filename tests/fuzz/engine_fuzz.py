#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels (kernels.py) on the engine, against a plain interpretation lane by lane.

    engine_fuzz.py WARPFENCE RUN-KERNELS [--seeds=FIRST:COUNT] [--seconds=N] [--check-every=N] [--keep=FOLDER]

Each kernel runs at levels 0 and 2 of code generation (in RUN-KERNELS, one process for all), and every so manieth under
`warpfence check`, which must stay silent: the kernels have no races. A seed that fails is named, and its PTX is left in
the folder; `--seeds=N:1` runs it again."""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from kernels import Kernel  # noqa: E402


class Engine:
    """RUN-KERNELS, started anew when it died."""

    def __init__(self, program):
        self.program, self.process = program, None

    def run(self, kernel, ptx, data, level):
        if self.process is None:
            self.process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        p = self.process
        try:
            p.stdin.write(f"{ptx} {data} {kernel.blocks} {kernel.threads} {kernel.n} {level}\n")
            p.stdin.flush()
            line = p.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.process = None
            return f"the engine ended with {p.wait()}", None
        if line.startswith("failed"):
            return line.strip(), None
        return None, [int(w) for w in line.split()]


def check(warpfence, kernel, ptx, data):
    threads = kernel.threads * kernel.blocks
    args = [f"out:{threads}xu32", f"buf:{len(kernel.input)}xu32=@{data}", f"buf:{threads * 4}xu32=0", "out:4xu32=0", f"u32:{kernel.n}"]
    argv = [warpfence, "check", "--kernel=k", f"--grid={kernel.blocks}", f"--block={kernel.threads}", *[f"--arg={a}" for a in args],
            str(ptx)]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "it did not end", None
    if done.returncode:
        return f"it ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-700:]}", None
    return None, [int(w) for line in done.stdout.splitlines() if line.startswith("argument ") for w in line.split(":")[1].split()]


def difference(want, have):
    wrong = [i for i, (a, b) in enumerate(zip(want, have)) if a != b]
    if len(have) != len(want):
        return f"{len(have)} words are there, not {len(want)}"
    return f"{len(wrong)} of {len(want)} words differ, the first is [{wrong[0]}]: {have[wrong[0]]}, not {want[wrong[0]]}" if wrong else None


def try_seed(seed, args, engine, folder):
    kernel = Kernel(seed)
    ptx, data = folder / f"{seed}.ptx", folder / f"{seed}.bin"
    ptx.write_text(kernel.ptx())
    data.write_bytes(struct.pack(f"<{len(kernel.input)}I", *kernel.input))
    out, counters = kernel.expected()
    ways = [("level 0", lambda: engine.run(kernel, ptx, data, 0)), ("level 2", lambda: engine.run(kernel, ptx, data, 2))]
    if args.check_every and seed % args.check_every == 0:
        ways.append(("check", lambda: check(args.warpfence, kernel, ptx, data)))
    for way, go in ways:
        problem, got = go()
        problem = problem or difference(out + counters, got)
        if problem:
            print(f"seed {seed}, {way}: {problem}\n  {ptx} (grid {kernel.blocks}, block {kernel.threads}, n {kernel.n})", flush=True)
            return False
    ptx.unlink()
    data.unlink()
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warpfence")
    parser.add_argument("run_kernels")
    parser.add_argument("--seeds", default="1:20")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--check-every", type=int, default=4)
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    first, count = (int(x) for x in args.seeds.split(":"))
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="wf-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    end, bad, done, engine = time.monotonic() + args.seconds, 0, 0, Engine(args.run_kernels)
    for seed in range(first, first + count):
        if time.monotonic() > end:
            break
        bad += not try_seed(seed, args, engine, folder)
        done += 1
    print(f"{done} kernels, {bad} wrong")
    if not bad and not args.keep:
        folder.rmdir()
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
