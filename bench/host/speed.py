# SPDX-License-Identifier: Apache-2.0
"""Warpfence against the same work in C with OpenMP and the same kernels on PoCL. In each round, and for
each job, the rivals take turns: native, warpfence, pocl, native again. A ratio is taken within a round,
against the mean of the two native times around it; what is reported is the median over the rounds, since
the speed of a shared machine drifts."""
import statistics
import time

import rivals

SMALL, LARGE = (20.0, 30), (100.0, 12)  # milliseconds and launches of one turn


def turn_length(n):
    return LARGE if n >= 1 << 24 else SMALL


def one_round(job, n, native, warpfence, pocl):
    length = turn_length(n)
    before = native.median(job, n, *length)
    ours = warpfence.median(job, n, *length)
    theirs = pocl.median(job, n, *length) if pocl else None
    after = native.median(job, n, *length)
    line = f"{job:17} 2^{n.bit_length() - 1}  native {before:9.3f}  warpfence {ours:9.3f}"
    line += f"  pocl {theirs:9.3f}" if pocl else ""
    print(line + f"  native {after:9.3f} ms", flush=True)
    return {"native_before": before, "warpfence": ours, "pocl": theirs, "native_after": after}


def summary(job, n, rounds):
    native = [(r["native_before"] + r["native_after"]) / 2 for r in rounds]
    row = {"job": job, "n": n, "rounds": rounds, "native_ms": statistics.median(native),
           "warpfence_ms": statistics.median(r["warpfence"] for r in rounds),
           "over_native": statistics.median(r["warpfence"] / m for r, m in zip(rounds, native))}
    if rounds[0]["pocl"] is not None:
        row["pocl_ms"] = statistics.median(r["pocl"] for r in rounds)
        row["pocl_over_native"] = statistics.median(r["pocl"] / m for r, m in zip(rounds, native))
        row["pocl_over_warpfence"] = statistics.median(r["pocl"] / r["warpfence"] for r in rounds)
    return row


def measure(tool, options, folder):
    sizes = [1 << int(s) for s in (options.log2n or "20,26").split(",")]
    jobs = options.jobs.split(",") if options.jobs else rivals.JOBS
    native = rivals.native(folder)
    ours = rivals.warpfence("warpfence", tool, "run", "cuda.cu", options.cc)
    pocl = rivals.opencl("pocl", folder)
    if pocl is None:
        print("note: no OpenCL platform here (pocl-opencl-icd, ocl-icd-opencl-dev): its columns stay empty")
    version = pocl.said().split("\n")[0] if pocl else None
    start = time.monotonic()
    rows = []
    with rivals.gathered(native, ours, *([pocl] if pocl else [])):
        for i, n in enumerate(sizes):
            rounds = {job: [] for job in jobs}
            until = options.minutes * 60 * (i + 1) / len(sizes)  # earlier sizes leave later ones their share
            for number in range(options.rounds):
                if number >= 5 and time.monotonic() - start > until:
                    break
                print(f"round {number + 1}")
                for job in jobs:
                    rounds[job].append(one_round(job, n, native, ours, pocl))
            rows += [summary(job, n, rounds[job]) for job in jobs]
        if ours.end() != 0:
            raise rivals.Silent(f"warpfence: {ours.said()[-2000:]}")
    for row in rows:
        print(f"{row['job']:17} 2^{row['n'].bit_length() - 1}  {row['over_native']:7.2f} x native"
              + (f"  {row['pocl_over_warpfence']:7.2f} x faster than pocl" if "pocl_ms" in row else ""))
    return {"pocl_version": version, "rows": rows}
