#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are kernel cases judged alike at other block sizes, orders of blocks and numbers of workers than those written?

    tests/sizes.py --warpfence build/bin/warpfence --cc clang tests/kernels/cases/*.cu

Each case that has a line "const int T = N" is built with T = N / 2 and 2 N, and all are checked as written with
--seed=1 and one and two workers. What the case expects must be reported, at its lines, and nothing more at error
level. One line for each difference; the sums at the end. A size that the program itself cannot have (its output
says FAIL in the twin, or it does not compile) is not counted."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import run_case

SIZE = re.compile(r"^(const int (?:\w+ = \d+, )?T = )(\d+)", re.M)


def report(case, args, options):
    """(exit code, findings or None, output)"""
    with tempfile.TemporaryDirectory(prefix="wf-sizes-") as folder:
        path = os.path.join(folder, "report.json")
        compiler = case.words("compiler")
        argv = [args.warpfence, "check", f"--cc={case.compiler}", "--format=json", f"--output={path}",
                *case.words("options"), *options, str(case.path), *case.words("args"),
                *(["--", *compiler] if compiler else [])]
        try:
            done = subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=args.seconds,
                                  cwd=case.path.parent, check=False)
        except subprocess.TimeoutExpired:
            return None, None, "took too long"
        if not os.path.exists(path):
            return done.returncode, None, done.stderr[-300:]
        with open(path, encoding="utf-8") as f:
            return done.returncode, json.load(f)["findings"], done.stdout


def problem_of(case, findings):
    """What the case expects is there, and nothing else is an error."""
    case.facts.pop("errors", None)
    quiet = [f for f in findings if f["severity"] == "error" or
             any(run_case.meets(f, t.split()[0].split("|"), [], case.path.name) for t in case.all("expect"))]
    return run_case.check_findings(case, quiet)


def judge(case, args, options, what, count):
    code, findings, output = report(case, args, options)
    if findings is None:
        count["not run"] += 1
        print(f"not run  {case.path.name} {what}: {output.strip()[-160:]}", flush=True)
        return
    problem = problem_of(case, findings)
    count["differs" if problem else "alike"] += 1
    if problem:
        print(f"differs  {case.path.name} {what}: {problem}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warpfence", required=True)
    parser.add_argument("--cc", default="clang", choices=("nvcc", "clang"))
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("cases", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    args.warpfence = os.path.abspath(args.warpfence)
    count = {"alike": 0, "differs": 0, "not run": 0}
    for path in args.cases:
        case = run_case.Case(path.resolve(), args.cc)
        if not case.all("expect") or (case.all("only") and args.cc not in case.words("only")):
            continue
        for options in (["--seed=1", "-j1"], ["--seed=2", "-j2"], ["-j1"]):
            judge(case, args, options, " ".join(options), count)
        text = case.path.read_text(encoding="utf-8")
        size = SIZE.search(text)
        for t in (int(size[2]) // 2, int(size[2]) * 2) if size else ():
            with tempfile.TemporaryDirectory(prefix="wf-sizes-") as folder:
                other = pathlib.Path(folder) / case.path.name
                changed = text.replace('"../engine/', f'"{case.path.parent.parent}/engine/')
                other.write_text(SIZE.sub(rf"\g<1>{t}", changed, count=1), encoding="utf-8")
                judge(run_case.Case(other, args.cc), args, [], f"T = {t}", count)
    print(", ".join(f"{n} {what}" for what, n in count.items()))
    return 1 if count["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
