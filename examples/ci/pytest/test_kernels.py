# SPDX-License-Identifier: Apache-2.0
"""Device programs as tests of pytest: each runs under `warpfence check`; a finding fails its test and is shown.
The programs are named in $CUDA_PROGRAMS (parted by blanks). For tests written in Python with numba-cuda put the
command in front instead: warpfence check python -m pytest tests/"""
import json
import os
import subprocess

import pytest

WARPFENCE = os.environ.get("WARPFENCE", "warpfence")


def findings(program, folder):
    report = folder / "report.json"
    done = subprocess.run([WARPFENCE, "check", "--format=json", f"--output={report}", program],
                          capture_output=True, text=True, timeout=600)
    assert report.exists(), done.stderr
    return done, json.loads(report.read_text())["findings"]


@pytest.mark.parametrize("program", os.environ.get("CUDA_PROGRAMS", "").split())
def test_synchronization(program, tmp_path):
    done, found = findings(program, tmp_path)
    faults = [f["sentence"] for f in found if f["severity"] == "error"]
    assert not faults, "\n".join(faults)
    assert done.returncode == 0, done.stderr
