#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs `warpfence check` over a labelled public corpus and compares with its labels.

    tests/corpora/run.py --warpfence build/bin/warpfence indigo DIR-OF-HiRace-Artifact-SC24
    tests/corpora/run.py --warpfence build/bin/warpfence scor DIR-OF-ScoR
    tests/corpora/run.py --warpfence build/bin/warpfence scor-apps DIR-OF-ScoR
    tests/corpora/run.py --warpfence build/bin/warpfence gpuverify DIR-OF-gpuverify
    tests/corpora/run.py --warpfence build/bin/warpfence cusan DIR-OF-CuSan
    tests/corpora/run.py --warpfence build/bin/warpfence sanitizer DIR-OF-compute-sanitizer-samples

DIR is a checkout that you fetched; nothing of it is kept. --every 6 takes every sixth file. One line is
printed for each file that differs from its label, and the sums at the end. Exit code 1 if any differs."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import sets

Result = collections.namedtuple("Result", "test verdict seconds findings note")

LAUNCHER = r"""// Launches the kernel of a file that has no main: zeroed memory behind each pointer.
#include <assert.h> // before the macros: it declares a function __assert
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#define __requires(...)
#define __ensures(...)
#define __invariant(...)
#define __global_invariant(...)
#define __assert(...)
#define __assume(...)
#define __axiom(...)
namespace cooperative_groups { // before CUDA 9 was released
template <class G> __device__ void synchronize(G g) { g.sync(); }
}
#include "%(source)s"
template <class T> struct wf_value { static T make() { T v; memset((void *)&v, 0, sizeof v); return v; } };
template <class T> struct wf_value<T *> {
    static T *make() {
        void *p = 0;
        cudaMalloc(&p, %(bytes)d);
        cudaMemset(p, 0, %(bytes)d);
        return (T *)p;
    }
};
template <class... A> static void wf_call(void (*k)(A...), A... a) {
    void *args[] = {(void *)&a..., 0};
    cudaLaunch%(kind)sKernel((void *)k, dim3(%(grid)s), dim3(%(block)s), args, 0, 0);
}
template <class... A> static void wf_launch(void (*k)(A...)) {
    wf_call(k, wf_value<A>::make()...);
}
int main() {
    wf_launch(%(kernel)s);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) printf("%%s\n", cudaGetErrorString(e));
    return 0;
}
"""


def launcher(test, folder):
    """A file with a main around the kernel of `test`, or None if it has not exactly one kernel."""
    text = test.source.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    names = re.findall(r"__global__\s+(?:static\s+|__launch_bounds__\s*\([^)]*\)\s*)*void\s+"
                       r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(", text)
    if len(set(names)) != 1:
        return None
    path = pathlib.Path(folder) / "launch.cu"
    path.write_text(LAUNCHER % {"source": test.source, "grid": test.launch[0], "block": test.launch[1],
                                "kernel": names[0], "bytes": 1 << 24,
                                "kind": "Cooperative" if "this_grid" in text else ""}, encoding="utf-8")
    return path


def judge(label, findings):
    """'ok', 'missed' or 'accused'."""
    loud = [f for f in findings if f["severity"] in ("error", "warning")]
    races = [f for f in loud if f["slug"].startswith(sets.RACES)]
    if label == "advice":
        return "accused" if races else "ok" if any(f["severity"] == "advice" for f in findings) else "missed"
    if label == "lockstep": # lanes of a warp race, threads that left are missed at a barrier: true, and no more
        return "accused" if any(f["slug"] != "race-warp" for f in races) else "ok"
    if label == "bounds": # whether an index leaves its array depends on the graph
        return "accused" if races else "ok"
    if label == "clean": # of faults of synchronization: many never fill the memory they read; atomics do not race
        return "accused" if any(not f["slug"].startswith(("mem-", "lost-addition")) for f in loud) else "ok"
    return "ok" if any(f["slug"].startswith(sets.wanted_slugs(label)) for f in loud) else "missed"


def check(test, args):
    if test.label.startswith("skip"):
        return Result(test, "skipped", 0.0, [], test.label[6:])
    with tempfile.TemporaryDirectory(prefix="wf-corpus-") as folder:
        source = launcher(test, folder) if test.launch else test.source
        if source and source.suffix == ".c": # CUDA all the same
            source = pathlib.Path(folder) / (source.stem + ".cu")
            source.write_bytes(test.source.read_bytes())
        if source is None:
            return Result(test, "skipped", 0.0, [], "not exactly one kernel")
        report = os.path.join(folder, "report.json")
        argv = [args.warpfence, "check", f"--cc={args.cc}", "--format=json", f"--output={report}",
                *args.option, *test.options, str(source), *test.args]
        if test.compiler:
            argv += ["--", *test.compiler]
        start = time.monotonic()
        try:
            done = subprocess.run(argv, capture_output=True, text=True, errors="replace",
                                  timeout=args.seconds, input=test.stdin, check=False)
        except subprocess.TimeoutExpired:
            return Result(test, "time", time.monotonic() - start, [], f"more than {args.seconds} s")
        seconds = time.monotonic() - start
        note = (done.stderr.strip().splitlines() or [""])[-1]
        if done.returncode in (2, 3) or not os.path.exists(report):
            # The compiler of today refuses some files; the tool's own refusals stand apart.
            built = not re.search(r"^\S+(\(\d+\)|:\d+:\d+): (fatal )?error", done.stderr, re.M) and \
                "which has no body" not in note and "Unresolved extern function" not in done.stderr
            return Result(test, "failed" if built else "no build", seconds, [], note)
        with open(report, encoding="utf-8") as f:
            findings = json.load(f)["findings"]
    return Result(test, judge(test.label, findings), seconds, findings, note)


def lines(finding):
    spots = [p["location"] for p in finding.get("parties", []) if p.get("location")]
    return " ".join(f"{os.path.basename(s.get('file') or '?')}:{s.get('line')}" for s in spots)


def show(result):
    print(f"{result.verdict:9} {result.test.label:10} {result.test.name}  {result.seconds:.1f} s  "
          f"{result.note if not result.findings else ''}")
    for f in result.findings:
        print(f"            {f['severity']} {f['slug']} {lines(f)}: {f['sentence']}")


def summary(results, name, wall):
    count = collections.Counter((r.test.label.split(":")[0], r.verdict) for r in results)
    ran = [r for r in results if r.verdict in ("ok", "missed", "accused")]
    print(f"\n{name}: {len(results)} files, {len(ran)} run, {wall:.0f} s wall, "
          f"{sum(r.seconds for r in ran):.0f} s in all")
    for label in ("racy", "clean", "bounds", "divergence", "mask", "advice", "lockstep"):
        row = {v: n for (l, v), n in sorted(count.items()) if l == label}
        if row:
            print(f"  {label:11}{sum(row.values()):5}: " + ", ".join(f"{n} {v}" for v, n in row.items()))
    memory = sum(any(f["slug"].startswith("mem-") for f in r.findings) for r in ran)
    if memory:
        print(f"  {memory} files with a finding about memory (bounds, uninitialised)")
    reasons = collections.Counter(r.note for r in results if r.verdict == "skipped")
    for why, n in sorted(reasons.items()):
        print(f"  skipped    {n:5}: {why}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--warpfence", required=True)
    parser.add_argument("--cc", default="nvcc", choices=("nvcc", "clang"))
    parser.add_argument("--option", action="append", default=[], help="an option for warpfence check")
    parser.add_argument("--every", type=int, default=1, help="take each N-th file only")
    parser.add_argument("--first", type=int, default=0, help="and start with this one")
    parser.add_argument("--only", default="", help="regular expression the name must match")
    parser.add_argument("--graph", default="DAG_100n_200e.egr", help="input graph (indigo)")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60, help="longest run of one file")
    parser.add_argument("--until", type=float, default=0, help="start nothing after so many seconds")
    parser.add_argument("--all", action="store_true", help="a line for each file")
    parser.add_argument("set", choices=sorted(sets.SETS))
    parser.add_argument("dir", type=pathlib.Path)
    return parser.parse_args()


def main():
    args = parse()
    tests = [t for t in sets.SETS[args.set](args.dir.resolve(), args.graph)
             if re.search(args.only, t.name)][args.first::args.every]
    if not tests:
        sys.exit(f"{args.dir} holds no file of {args.set}")
    start, results = time.monotonic(), []

    def one(test):
        if args.until and time.monotonic() - start > args.until:
            return Result(test, "skipped", 0.0, [], "no time left")
        return check(test, args)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for result in pool.map(one, tests):
            results.append(result)
            if args.all or result.verdict not in ("ok", "skipped"):
                show(result)
                sys.stdout.flush()
    summary(results, args.set, time.monotonic() - start)
    return 1 if any(r.verdict in ("missed", "accused", "failed", "time") for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
