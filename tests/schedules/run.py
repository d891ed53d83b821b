#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program whose fault the plain order does not show: `check` is silent, `check --schedules` finds it, the seed
that the report names finds it alone, the report is the same twice, and the program's output comes once."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SCHEDULES = "24"


def check(warpfence, source, *options):
    with tempfile.TemporaryDirectory(prefix="wf-schedules-") as folder:
        report = pathlib.Path(folder, "report.json")
        done = subprocess.run([warpfence, "check", "--cc=clang", "--format=json", f"--output={report}", *options,
                               str(source)], capture_output=True, text=True, timeout=100)
        if not report.exists():
            sys.exit(f"no report, exit code {done.returncode}: {done.stderr}")
        return done, report.read_text(encoding="utf-8")


def errors(text):
    return [f for f in json.loads(text)["findings"] if f["severity"] == "error"]


def main():
    warpfence, source = sys.argv[1], pathlib.Path(sys.argv[2])
    slugs = re.search(r"^// expect: (\S+)", source.read_text(encoding="utf-8"), re.M)[1].split("|")
    done, plain = check(warpfence, source)
    assert not errors(plain) and done.returncode == 0, f"the plain order shows it: {plain}"
    done, many = check(warpfence, source, "--schedules", SCHEDULES)
    found = errors(many)
    assert done.returncode == 66 and found, f"exit code {done.returncode}, {done.stderr}"
    assert all(f["slug"] in slugs and f["seed"] > 0 for f in found), many
    assert done.stdout == "done\n", done.stdout
    assert json.loads(many)["summary"]["schedules"] == int(SCHEDULES)
    assert check(warpfence, source, "--schedules", SCHEDULES)[1] == many, "the second report differs"
    for f in found:
        done, alone = check(warpfence, source, "--seed", str(f["seed"]))
        assert done.returncode == 66 and f["slug"] in [g["slug"] for g in errors(alone)], alone
        assert all(g["seed"] == f["seed"] for g in errors(alone)), alone


if __name__ == "__main__":
    main()
