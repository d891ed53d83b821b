#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`check --more-advice`: barriers that a run can do without, kernels that rely on the order in which blocks start;
nothing of the kind for their twins. The program's output comes once, the exit code is that of the program."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

KINDS = ("barrier-redundant", "start-order")


def main():
    warpfence, source = sys.argv[1], pathlib.Path(sys.argv[2])
    want = re.search(r"^// expect: (\S+)(?: @(\d+))?", source.read_text(encoding="utf-8"), re.M)
    with tempfile.TemporaryDirectory(prefix="wf-advice-") as folder:
        report = pathlib.Path(folder, "report.json")
        done = subprocess.run([warpfence, "check", "--cc=clang", "--more-advice", "--hang-ms=500", "--format=json",
                               f"--output={report}", str(source)], capture_output=True, text=True, timeout=150)
        assert done.returncode == 0 and len(done.stdout.splitlines()) == 1, (done.returncode, done.stdout, done.stderr)
        found = json.loads(report.read_text(encoding="utf-8"))["findings"]
    assert all(f["severity"] == "advice" for f in found), found
    got = [(f["slug"], f["location"]["line"]) for f in found if f["slug"] in KINDS]
    expected = [] if want[1] == "nothing" else [(want[1], int(want[2]))]
    assert got == expected, f"{got}, not {expected}"


if __name__ == "__main__":
    main()
