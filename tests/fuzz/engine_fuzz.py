#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels (kernels.py) on the engine, against a plain interpretation lane by lane.

    engine_fuzz.py WARPFENCE [--seeds=FIRST:COUNT] [--seconds=N] [--keep=FOLDER]

Each kernel runs at --jit-opt 0 and 2, and under `check`, which must stay silent: the kernels have no races. A seed that
fails is named, and its PTX is left in the folder; `--seeds=N:1` runs it again."""
import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from kernels import Kernel  # noqa: E402

WAYS = (("run", "--jit-opt=0"), ("run", "--jit-opt=2"), ("check", "--jit-opt=2"))


def words(text):
    """The numbers of "argument N: 1 2 3" lines, by N."""
    return {int(line.split()[1].rstrip(":")): [int(w) for w in line.split(":")[1].split()]
            for line in text.splitlines() if line.startswith("argument ")}


def run(warpfence, way, kernel, ptx, data):
    threads = kernel.threads * kernel.blocks
    args = [f"out:{threads}xu32", f"buf:{len(kernel.input)}xu32=@{data}", f"buf:{threads * 4}xu32=0", "out:4xu32=0",
            f"u32:{kernel.n}"]
    argv = [warpfence, way[0], way[1], "--kernel=k", f"--grid={kernel.blocks}", f"--block={kernel.threads}",
            *[f"--arg={a}" for a in args], str(ptx)]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "it did not end", None
    if done.returncode:
        return f"it ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-700:]}", None
    return None, words(done.stdout)


def differences(kernel, got):
    for argument, name, want in zip((1, 4), ("threads", "counters"), kernel.expected()):
        have = got.get(argument, [])
        wrong = [i for i, (a, b) in enumerate(zip(want, have)) if a != b]
        if wrong or len(have) != len(want):
            i = wrong[0] if wrong else len(have)
            return f"{len(wrong)} of {len(want)} {name} differ, the first is [{i}]: {have[i:i + 1]}, not {want[i:i + 1]}"
    return None


def try_seed(seed, args, folder):
    kernel = Kernel(seed)
    ptx, data = folder / f"{seed}.ptx", folder / f"{seed}.bin"
    ptx.write_text(kernel.ptx())
    data.write_bytes(struct.pack(f"<{len(kernel.input)}I", *kernel.input))
    for way in WAYS:
        problem, got = run(args.warpfence, way, kernel, ptx, data)
        problem = problem or differences(kernel, got)
        if problem:
            print(f"seed {seed}, {' '.join(way)}: {problem}\n  {ptx} (grid {kernel.blocks}, block {kernel.threads}, n {kernel.n})")
            return False
    ptx.unlink()
    data.unlink()
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("warpfence")
    parser.add_argument("--seeds", default="1:20")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    first, count = (int(x) for x in args.seeds.split(":"))
    folder = args.keep or pathlib.Path(tempfile.mkdtemp(prefix="wf-fuzz-"))
    folder.mkdir(parents=True, exist_ok=True)
    end, bad, done = time.monotonic() + args.seconds, 0, 0
    for seed in range(first, first + count):
        if time.monotonic() > end:
            break
        bad += not try_seed(seed, args, folder)
        done += 1
    print(f"{done} kernels, {bad} wrong")
    if not bad and not args.keep:
        folder.rmdir()
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
