#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`check --fix` over faulty programs: how many findings go, against cures.txt. A patch must apply to the source with
patch(1), and the patched program must show nothing that the tool did not say it would leave.

    run.py --warpfence build/bin/warpfence               all of cures.txt, with a count
    run.py ... --only 001-gemv                           those whose name has this"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def table():
    """(path, findings that go, findings)"""
    for line in (HERE / "cures.txt").read_text(encoding="utf-8").splitlines():
        if m := re.match(r"(\S+)\s+(\d+)/(\d+)$", line):
            yield ROOT / m[1], int(m[2]), int(m[3])


def check(args, source, *options):
    return subprocess.run([args.warpfence, "check", f"--cc={args.cc}", *options, str(source)], capture_output=True,
                          text=True, errors="replace", timeout=args.seconds)


def problem_of(args, source, gone, total):
    with tempfile.TemporaryDirectory(prefix="wf-cure-") as folder:
        copy, patch = pathlib.Path(folder, source.name), pathlib.Path(folder, "patch")
        report = pathlib.Path(folder, "report.json")
        done = check(args, source, "--fix", f"--patch={patch}", f"--output={folder}/text")
        said = re.search(r"fix: (\d+) of (\d+) findings are gone", done.stderr)
        if not said:
            return f"nothing was said about a fix: {done.stderr[-800:]}"
        if (int(said[1]), int(said[2])) != (gone, total):
            return f"{said[1]} of {said[2]} findings are gone, not {gone} of {total}:\n{done.stderr[-800:]}"
        if not gone:
            return "a patch that mends nothing" if patch.exists() else None
        shutil.copy(source, copy)
        applied = subprocess.run(["patch", "-s", str(copy), str(patch)], capture_output=True, text=True)
        if applied.returncode:
            return f"the patch does not apply: {applied.stdout}{applied.stderr}"
        check(args, copy, "--format=json", f"--output={report}")
        left = [f for f in json.loads(report.read_text(encoding="utf-8"))["findings"] if f["severity"] != "advice"]
        if len(left) > total - gone:
            return f"the patched program still shows {[f['slug'] for f in left]}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warpfence", required=True)
    parser.add_argument("--cc", default="clang", choices=("nvcc", "clang"))
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=300)
    args = parser.parse_args()
    if not shutil.which("patch"):
        print("skipped: patch is not installed")
        return 77
    bad, whole, programs, findings = 0, 0, 0, 0
    for source, gone, total in table():
        if args.only not in str(source):
            continue
        programs += 1
        whole += gone == total
        findings += gone
        problem = problem_of(args, source, gone, total)
        if problem:
            print(f"{source.relative_to(ROOT)}: {problem}", flush=True)
            bad += 1
    print(f"{whole} of {programs} programs are mended, {findings} findings; {bad} not as cures.txt says")
    return 1 if bad or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
