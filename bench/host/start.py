# SPDX-License-Identifier: Apache-2.0
"""What stands between a programmer and the first result: compiling each kernel for the first time, the
start of the whole tool with everything in the cache, and a first start beyond the host compiler's own
time (measured by a wrapper that stands before the compiler on PATH)."""
import os
import re
import shutil
import statistics
import subprocess
import time

import rivals

STARTS = 15
FIRST_STARTS = 5


def wall_ms(command, env=None):
    start = time.monotonic()
    done = subprocess.run([str(c) for c in command], env={**os.environ, **(env or {})}, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise rivals.Silent(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()[-2000:]}")
    return (time.monotonic() - start) * 1e3


def kernel_compiles(tool, cc, folder):
    """First compile of each kernel of cuda.cu, cache off: milliseconds by kernel, one for each round."""
    program = folder / "cuda"
    wall_ms([tool, "build", f"--cc={cc}", rivals.HOST / "cuda.cu", "-o", program])
    times = {job: [] for job in rivals.JOBS}
    for _ in range(5):
        rival = rivals.Rival("cuda", [program], {"WARPFENCE_CACHE": "no", "WARPFENCE_VERBOSE": "1"})
        with rivals.gathered(rival):
            for job in rivals.JOBS:
                rival.ask(job, 4096, 0, 1)
            rival.end()
            for name, ms in re.findall(r"compiled (\S+) in ([\d.]+) ms\n", rival.said()):
                job = next((j for j in rivals.JOBS if f"{len(j)}{j}" in name), None)
                if job is not None:
                    times[job].append(float(ms))
    return times


def cached_starts(tool, cc):
    command = [tool, "run", f"--cc={cc}", rivals.HOST / "start.cu"]
    check = [tool, "check", f"--cc={cc}", rivals.HOST / "start.cu"]
    wall_ms(command)
    wall_ms(check)
    rounds = []
    for _ in range(STARTS):
        rounds.append({"true_ms": wall_ms(["true"]), "run_ms": wall_ms(command), "check_ms": wall_ms(check)})
    return rounds


def wrapped(compiler, folder):
    """A folder for PATH in which the compiler writes down how long it ran."""
    real, log, place = shutil.which(compiler), folder / "compile-times", folder / "bin"
    if real is None:
        return None, log
    place.mkdir(exist_ok=True)
    script = place / compiler
    script.write_text(f'#!/bin/sh\nbegin=$(date +%s%N)\n"{real}" "$@"\ncode=$?\n'
                      f'echo $(($(date +%s%N) - begin)) >> "{log}"\nexit $code\n', encoding="utf-8")
    script.chmod(0o755)
    return place, log


def first_starts(tool, cc, folder):
    place, log = wrapped({"nvcc": "nvcc", "clang": "clang-19"}[cc], folder)
    if place is None:
        return None
    rounds = []
    for i in range(FIRST_STARTS):
        log.unlink(missing_ok=True)
        cache = folder / f"cache-{cc}-{i}"
        total = wall_ms([tool, "run", f"--cc={cc}", f"--cache-dir={cache}", rivals.HOST / "start.cu"],
                        {"PATH": f"{place}:{os.environ['PATH']}"})
        compiler = sum(int(t) for t in log.read_text(encoding="utf-8").split()) / 1e6
        rounds.append({"total_ms": total, "compiler_ms": compiler})
        print(f"first start with {cc}: {total:.0f} ms, of which the compiler {compiler:.0f} ms", flush=True)
    return {"rounds": rounds, "total_ms": statistics.median(r["total_ms"] for r in rounds),
            "beyond_ms": statistics.median(r["total_ms"] - r["compiler_ms"] for r in rounds)}


def measure(tool, options, folder):
    compiles = kernel_compiles(tool, options.cc, folder)
    for job, times in compiles.items():
        print(f"compile {job:17} {statistics.median(times):7.1f} ms" if times else f"compile {job}: not seen")
    cached = cached_starts(tool, options.cc)
    result = {"compiles": compiles, "cached_rounds": cached,
              "true_ms": statistics.median(r["true_ms"] for r in cached),
              "run_ms": statistics.median(r["run_ms"] for r in cached),
              "check_ms": statistics.median(r["check_ms"] for r in cached)}
    print(f"cached start: run {result['run_ms']:.1f} ms, check {result['check_ms']:.1f} ms "
          f"(an empty process: {result['true_ms']:.1f} ms)")
    result["first"] = {cc: first_starts(tool, cc, folder) for cc in ("nvcc", "clang")}
    return result
