#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one Python case by `warpfence run` and `warpfence check`; expectations as in tests/run_case.py, behind
a "#". A line "# needs: numba.cuda" names a module without which the case is skipped; it is looked for in the
interpreter $WARPFENCE_TEST_PYTHON, or the one that runs this."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from run_case import SKIP, check_findings  # noqa: E402

LINE = re.compile(r"^#\s*(expect|allow|stdout|needs):\s*(.*?)\s*$", re.M)


class Case:
    def __init__(self, path):
        self.path, self.facts = path, {}
        for key, value in LINE.findall(path.read_text(encoding="utf-8")):
            self.facts.setdefault(key, []).append(value)

    def all(self, key):
        return self.facts.get(key, [])

    def words(self, key):
        return [w for value in self.all(key) for w in value.split()]


def start(argv):
    env = dict(os.environ, NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS="0", PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run(argv, capture_output=True, text=True, errors="replace", timeout=200, env=env)


def missing(python, modules):
    for module in modules:
        if subprocess.run([python, "-c", f"import {module}"], capture_output=True).returncode:
            return module
    return None


def main():
    warpfence, path = sys.argv[1:]
    case = Case(pathlib.Path(path))
    python = os.environ.get("WARPFENCE_TEST_PYTHON", sys.executable)
    lacking = missing(python, case.words("needs"))
    if lacking:
        print(f"skipped: {python} has no module {lacking}")
        return SKIP
    done = start([warpfence, "run", python, path])
    tail = f"\n  stdout: {done.stdout.strip()[-600:]}\n  stderr: {done.stderr.strip()[-1600:]}"
    if done.returncode == SKIP:
        print(done.stdout.strip())
        return SKIP
    for line in case.all("stdout"):
        if line not in done.stdout.splitlines():
            print(f"run: no line '{line}'{tail}")
            return 1
    if done.returncode:
        print(f"run ended with {done.returncode}{tail}")
        return 1
    with tempfile.TemporaryDirectory(prefix="wf-python-") as folder:
        report = os.path.join(folder, "report.json")
        done = start([warpfence, "check", "--format=json", f"--output={report}", python, path])
        tail = f"\n  stdout: {done.stdout.strip()[-600:]}\n  stderr: {done.stderr.strip()[-1600:]}"
        if not os.path.exists(report):
            print(f"check wrote no report (exit code {done.returncode}){tail}")
            return 1
        with open(report, encoding="utf-8") as f:
            findings = json.load(f)["findings"]
    problem = check_findings(case, findings)
    has_errors = any(f["severity"] == "error" for f in findings)
    if not problem and has_errors != (done.returncode == 66):
        problem = f"check ended with {done.returncode}{tail}"
    print(problem or "as expected")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())
