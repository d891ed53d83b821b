# SPDX-License-Identifier: Apache-2.0
"""What checking costs: "check --opt" over "run" on the same PTX, with all cores and with one worker, and
checked accesses a second against Oclgrind on the same kernels."""
import shutil
import statistics
import time

import rivals

TURN = (60.0, 20)
PATIENCE_S = 20.0  # a launch that takes longer is reported as that
CHECK_MINUTES = 4.5


class Program:
    """One .cu file under run, run --workers 1 and check."""

    def __init__(self, tool, source, cc):
        self.run = rivals.warpfence("run", tool, "run", source, cc)
        self.alone = rivals.warpfence("run --workers 1", tool, "run", source, cc, ["--workers", "1"])
        self.check = rivals.warpfence("check", tool, "check", source, cc, ["--opt"])
        self.watched = rivals.warpfence("check --proofs no", tool, "check", source, cc, ["--opt", "--proofs=no"])
        self.all = (self.run, self.alone, self.check, self.watched)
        self.check.patience_s = self.watched.patience_s = PATIENCE_S

    def one_round(self, job, n):
        before = self.run.median(job, n, *TURN)
        alone = self.alone.median(job, n, *TURN)
        check = self.check.median(job, n, *TURN)
        watched = self.watched.median(job, n, *TURN)
        after = self.run.median(job, n, *TURN)
        print(f"{job:17} 2^{n.bit_length() - 1}  run {before:9.3f}  one worker {alone:9.3f}  check {check:10.3f}"
              f"  watched {watched:10.3f}  run {after:9.3f} ms", flush=True)
        return {"run_before": before, "run_one_worker": alone, "check": check, "watched": watched, "run_after": after}

    def finish(self):
        """Ends the checked run, which must not have found an error."""
        try:
            peaks = {r.name: round(r.peak_mib(), 1) for r in self.all}
            code = self.check.end()
            if code != 0:
                print(f"note: the checked run ended with {code}:\n{self.check.said()[-4000:]}")
        except rivals.Silent as silent:
            return {"error": str(silent)}
        return {"peak_mib": peaks, "exit_code": code, "report": self.check.said().strip().split("\n")[-1]}


def ratio_row(job, n, rounds):
    run = [(r["run_before"] + r["run_after"]) / 2 for r in rounds]
    return {"job": job, "n": n, "rounds": rounds, "run_ms": statistics.median(run),
            "run_one_worker_ms": statistics.median(r["run_one_worker"] for r in rounds),
            "check_ms": statistics.median(r["check"] for r in rounds),
            "watched_ms": statistics.median(r["watched"] for r in rounds),
            "watched_over_one_worker": statistics.median(r["watched"] / r["run_one_worker"] for r in rounds),
            "over_run": statistics.median(r["check"] / m for r, m in zip(rounds, run)),
            "over_one_worker": statistics.median(r["check"] / r["run_one_worker"] for r in rounds)}


def measure_ratio(tool, options, _folder):
    n = 1 << int((options.log2n or "20").split(",")[0])
    wanted = options.jobs.split(",") if options.jobs else rivals.JOBS + rivals.APPS
    programs = [(Program(tool, "cuda.cu", options.cc), rivals.JOBS),
                (Program(tool, "check_ratio/apps.cu", options.cc), rivals.APPS)]
    todo = [(p, job) for p, jobs in programs for job in jobs if job in wanted]
    rounds, failed = {job: [] for _, job in todo}, {}
    start = time.monotonic()
    with rivals.gathered(*(r for p, _ in programs for r in p.all)):
        for number in range(options.rounds):
            if number >= 5 and time.monotonic() - start > min(options.minutes, CHECK_MINUTES) * 60:
                break
            print(f"round {number + 1}")
            for program, job in todo:
                if job in failed:
                    continue
                try:
                    rounds[job].append(program.one_round(job, n))
                except rivals.Silent as silent:
                    failed[job] = str(silent)
                    print(f"{job:17} {silent}")
        ends = {p.check.command[-1].rsplit("/", 1)[-1]: p.finish() for p, jobs in programs
                if set(jobs) & set(wanted)}
    rows = [{"job": job, "n": n, "error": failed[job]} if job in failed else ratio_row(job, n, rounds[job])
            for _, job in todo]
    good = [r for r in rows if "error" not in r]
    result = {"rows": rows, "programs": ends, "geomean_over_run": rivals.geomean([r["over_run"] for r in good]),
              "geomean_over_one_worker": rivals.geomean([r["over_one_worker"] for r in good]),
              "geomean_watched": rivals.geomean([r["watched_over_one_worker"] for r in good])}
    for r in rows:
        print(f"{r['job']:17} " + (r["error"] if "error" in r else
                                   f"{r['over_run']:8.2f} x run {r['over_one_worker']:8.2f} x run of one worker; "
                                   f"watched {r['watched_over_one_worker']:8.2f} x that"))
    if good:
        print(f"{'geometric mean':17} {result['geomean_over_run']:8.2f} x run "
              f"{result['geomean_over_one_worker']:8.2f} x run of one worker; watched "
              f"{result['geomean_watched']:8.2f} x that")
    return result


# Loads, stores and atomics of a launch, counted in the source (an atomic is one access).
ACCESSES = {
    "vector_add": lambda n: 3 * n,
    # block of 256: in and store, tree of 255 adds (two loads, one store), load and out
    "reduce_basic": lambda n: n // 256 * (512 + 3 * 255 + 2),
    # block of 256: in and store, 8 steps of 256 - d threads (load; load and store), load and out
    "scan_block": lambda n: n // 256 * (512 + 3 * (8 * 256 - 255) + 512),
    "transpose": lambda n: 4 * n,
}


def measure_oclgrind(tool, options, folder):
    if shutil.which("oclgrind") is None:
        raise rivals.Silent("oclgrind is not installed")
    oclgrind = rivals.opencl("oclgrind", folder, ["oclgrind", "--data-races"])
    if oclgrind is None:
        raise rivals.Silent("oclgrind: opencl.c does not run under it")
    version = oclgrind.said().split("\n")[0]
    # Launches that are proven beforehand have no access checked.
    ours = rivals.warpfence("check", tool, "check", "cuda.cu", options.cc, ["--opt", "--proofs=no"])
    ours.patience_s = PATIENCE_S
    small, large = 1 << 12, 1 << int((options.log2n or "20").split(",")[0])
    rows = []
    with rivals.gathered(oclgrind, ours):
        for job in options.jobs.split(",") if options.jobs else ACCESSES:
            count, rounds = ACCESSES[job], []
            for _ in range(max(5, min(options.rounds, 7))):
                theirs = oclgrind.median(job, small, 50, 3)
                mine = ours.median(job, large, *TURN)
                rounds.append({"oclgrind_ms": theirs, "warpfence_ms": mine})
                print(f"{job:17} oclgrind 2^{small.bit_length() - 1} {theirs:9.3f} ms  "
                      f"warpfence check 2^{large.bit_length() - 1} {mine:9.3f} ms", flush=True)
            rate = statistics.median(count(small) / r["oclgrind_ms"] for r in rounds) * 1e3
            our_rate = statistics.median(count(large) / r["warpfence_ms"] for r in rounds) * 1e3
            rows.append({"job": job, "oclgrind_n": small, "warpfence_n": large, "rounds": rounds,
                         "oclgrind_per_s": rate, "warpfence_per_s": our_rate, "times": our_rate / rate})
            print(f"{job:17} {our_rate / rate:8.1f} times the checked accesses a second of oclgrind")
    return {"oclgrind_version": version, "oclgrind_options": "--data-races", "rows": rows}
