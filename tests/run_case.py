#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one kernel case: `warpfence run` must end and print what the case says, `warpfence check` must
report what the case says and nothing else. Expectations are comments of the source:

    // expect: race-shared @14 @19-20   a finding with this slug and, for each @, a party at such a line
    // expect: deadlock-*|warp-mask     any of these slugs
    // expect: mem-uninit=warning       of this severity
    // expect: clean                    no error and no warning
    // allow: mem-uninit                further slugs that may be reported
    // says: *of the grid*              a finding's sentence or mend is like this (a glob)
    // errors: 1                        so many findings are errors, the others less
    // stdout: PASS                     `run` prints a line like this (a glob); as often as wanted
    // exit: 1                          `run` ends with this code; 0 is expected where stdout is given
    // args: 12 34                      arguments of the program
    // options: --gpu t4                options of warpfence; check-options: of `check` alone
    // compiler: -std=c++17             options behind --
    // twin: -DFIX                      built with this too, the program prints PASS and `check` finds nothing
    // only: nvcc                       needs this compiler's headers
    // xfail: #3                        `check` fails today, as the issue says; "xfail-run:" for `run`;
                                        "xfail clang: #5" for one compiler alone

Exit code 77: skipped (no such compiler) or failing as foreseen; both are said in one line."""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
LINE = re.compile(r"^//\s*(expect|allow|says|errors|stdout|exit|args|options|check-options|compiler|twin|only|xfail-run|xfail)"
                  r"(?:\s+(nvcc|clang))?:\s*(.*?)\s*$", re.M)


class Case:
    def __init__(self, path, compiler):
        self.path, self.compiler, self.facts = path, compiler, {}
        for key, only, value in LINE.findall(path.read_text(encoding="utf-8")):
            if only in ("", compiler):
                self.facts.setdefault(key, []).append(value)

    def all(self, key):
        return self.facts.get(key, [])

    def words(self, key):
        return [w for value in self.all(key) for w in value.split()]

    def twin(self):
        other = Case(self.path, self.compiler)
        other.facts = {k: v for k, v in self.facts.items() if k in ("args", "options", "only")}
        other.facts |= {"compiler": self.all("compiler") + self.all("twin"), "expect": ["clean"], "stdout": ["PASS"]}
        return other


def start(case, args, command, extra):
    """(exit code or None after a time-out, stdout, stderr)"""
    compiler = case.words("compiler")
    argv = [args.warpfence, command, f"--cc={case.compiler}", *case.words("options"), *extra,
            str(case.path), *case.words("args"), *(["--", *compiler] if compiler else [])]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, errors="replace",
                              timeout=args.seconds, cwd=case.path.parent)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b"").decode(errors="replace"), (e.stderr or b"").decode(errors="replace")


def check_run(case, args):
    code, out, err = start(case, args, "run", [])
    tail = f"\n  stdout: {out.strip()[-600:]}\n  stderr: {err.strip()[-1200:]}"
    if code is None:
        return f"run did not end within {args.seconds} s{tail}"
    if code in (2, 3) and not case.all("exit"):
        if "warpfence:" in err:
            return f"run: the tool gave up (exit code {code}){tail}"
    wanted = case.all("stdout")
    for pattern in wanted:
        if not any(fnmatch.fnmatchcase(line, pattern) for line in out.splitlines()):
            return f"run: no line of the output is like '{pattern}'{tail}"
    exits = case.all("exit") or (["0"] if wanted else [])
    if exits and str(code) not in exits:
        return f"run ended with {code}, not {exits[0]}{tail}"
    return None


def lines_of(finding, name):
    """Source lines of the case's file at which the finding has a party, call sites included."""
    lines = set()
    for party in finding.get("parties", []):
        place = party.get("location")
        for spot in [place, *place.get("inlined_at", [])] if place else []:
            if spot.get("file") and os.path.basename(spot["file"]) == name and spot.get("line"):
                lines.add(spot["line"])
    return lines


def meets(finding, slugs, spans, name):
    kinds = (finding["slug"], f"{finding['slug']}={finding['severity']}")
    if not any(fnmatch.fnmatchcase(kind, s) for kind in kinds for s in slugs):
        return False
    lines = lines_of(finding, name)
    return all(any(lo <= line <= hi for line in lines) for lo, hi in spans)


def spans_of(words):
    for word in words:
        lo, _, hi = word.lstrip("@").partition("-")
        yield int(lo), int(hi or lo)


def shown(findings, name):
    return "".join(f"\n  {f['slug']} ({f['severity']}) at {sorted(lines_of(f, name))}: {f['sentence']}"
                   for f in findings) or "\n  nothing was reported"


def check_findings(case, findings):
    name, allowed, wants_clean = case.path.name, case.words("allow"), False
    for text in case.all("expect"):
        first, *places = text.split()
        if first == "clean":
            wants_clean = True
            continue
        slugs = first.split("|")
        if not any(meets(f, slugs, list(spans_of(places)), name) for f in findings):
            return f"check did not report '{text}'{shown(findings, name)}"
        allowed += [s.partition("=")[0] for s in slugs]
    extra = [f for f in findings if f["severity"] != "advice" and
             not any(fnmatch.fnmatchcase(f["slug"], a) for a in allowed)]
    errors = sum(f["severity"] == "error" for f in findings)
    if case.all("errors") and str(errors) not in case.all("errors"):
        return f"check reported {errors} errors{shown(findings, name)}"
    if extra:
        return f"check reported {'a fault' if wants_clean else 'more'}{shown(extra, name)}"
    return None


def check_check(case, args):
    with tempfile.TemporaryDirectory(prefix="wf-case-") as folder:
        output = os.path.join(folder, "report.json")
        code, out, err = start(case, args, "check",
                               [*case.words("check-options"), "--format=json", f"--output={output}"])
        tail = f"\n  stdout: {out.strip()[-600:]}\n  stderr: {err.strip()[-1200:]}"
        if code is None:
            return f"check did not end within {args.seconds} s{tail}"
        if not os.path.exists(output):
            return f"check wrote no report (exit code {code}){tail}"
        with open(output, encoding="utf-8") as f:
            findings = json.load(f)["findings"]
    problem = check_findings(case, findings)
    if problem:
        return problem
    for glob in case.all("says"):
        if not any(fnmatch.fnmatch(f["sentence"], glob) or fnmatch.fnmatch(f["fix"] or "", glob) for f in findings):
            return f"no finding says {glob!r}{tail}"
    has_errors = any(f["severity"] == "error" for f in findings)
    if has_errors != (code == 66):
        return f"check ended with {code}, but {'there are' if has_errors else 'there are no'} errors{tail}"
    return None


def find_nvcc():
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def outcome(stage, problem, foreseen):
    """Prints, and gives the stage's exit code."""
    if problem and foreseen:
        print(f"foreseen failure of {stage} (issue {foreseen[0]}): {problem}")
        return SKIP
    if problem:
        print(problem)
        return 1
    if foreseen:
        print(f"{stage} passes now: remove its xfail line (issue {foreseen[0]})")
        return 1
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warpfence", required=True)
    parser.add_argument("--cc", required=True, choices=("nvcc", "clang"))
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--check-only", action="store_true", help="leave out `run`")
    parser.add_argument("case", type=pathlib.Path)
    args = parser.parse_args()
    args.case, args.warpfence = args.case.resolve(), os.path.abspath(args.warpfence)
    case = Case(args.case, args.cc)
    if not case.all("expect"):
        print(f"{args.case} has no expect line")
        return 1
    if args.cc not in case.words("only") + [args.cc] * (not case.all("only")):
        print(f"skipped: not for {args.cc}")
        return SKIP
    if args.cc == "nvcc":
        nvcc = find_nvcc()
        if not nvcc:
            print("skipped: nvcc is not installed")
            return SKIP
        os.environ["PATH"] = os.path.dirname(nvcc) + os.pathsep + os.environ["PATH"]
    codes = [outcome("check", check_check(case, args), case.all("xfail"))]
    if not args.check_only:
        codes.append(outcome("run", check_run(case, args), case.all("xfail-run")))
    if case.all("twin"):
        twin = case.twin()
        codes.append(outcome("check of the twin", check_check(twin, args), []))
        if not args.check_only:
            codes.append(outcome("run of the twin", check_run(twin, args), []))
    return 1 if 1 in codes else SKIP if SKIP in codes else 0


if __name__ == "__main__":
    sys.exit(main())
