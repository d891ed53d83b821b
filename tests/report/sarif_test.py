#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A report that `check --format=sarif` has just written keeps the rules of SARIF 2.1.0, and the rules notice damage:
each change below makes a log that the standard forbids."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import sarif_rules


def damaged(log):
    run, result = ("runs", 0), ("runs", 0, "results", 0)
    for path, value in (((*run, "tool", "driver", "name"), None), ((*result, "level"), "fatal"),
                        ((*result, "message"), {}), ((*result, "occurrenceCount"), 0),
                        ((*result, "locations", 0, "physicalLocation", "region", "startLine"), 0),
                        ((*result, "locations", 0, "physicalLocation", "artifactLocation", "uri"), "/a b.cu"),
                        ((*run, "columnKind"), "bytes"), ((*run, "invocations"), [{}]), (("version",), "2.0"),
                        ((*result, "sentence"), "x")):
        other = copy.deepcopy(log)
        at = other
        for step in path[:-1]:
            at = at[step]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value
        yield path, other


def main():
    warpfence, *sources = sys.argv[1:]
    for source in sources:
        with tempfile.TemporaryDirectory(prefix="wf-sarif-") as folder:
            report = pathlib.Path(folder, "report.sarif")
            subprocess.run([warpfence, "check", "--cc=clang", "--format=sarif", f"--output={report}", source],
                           capture_output=True, timeout=100)
            log = json.loads(report.read_text(encoding="utf-8"))
        assert log["runs"][0]["results"], f"{source}: nothing was found"
        for name, judge in (("rules", sarif_rules.errors),
                            ("plain rules", lambda v: sarif_rules.plain_errors(sarif_rules.LOG, v))):
            wrong = list(judge(log))
            assert not wrong, f"{source}, {name}: {wrong}"
            for path, other in damaged(log):
                assert list(judge(other)), f"{name}: damage at {path} goes unnoticed"


if __name__ == "__main__":
    main()
