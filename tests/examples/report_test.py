#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/<lesson>/report.txt is what `warpfence check` says of its bug.cu, and the README shows the first one.
Usage: report_test.py WARPFENCE [--update]"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHOWN = ROOT / "examples/barrier-in-branch/report.txt"


def report(warpfence, folder):
    text = (folder / "bug.cu").read_text(encoding="utf-8")
    options = [w for line in re.findall(r"^// options: (.*)$", text, re.M) for w in line.split()]
    done = subprocess.run([warpfence, "check", "--cc=clang", "--color=never", *options,
                           f"examples/{folder.name}/bug.cu"], cwd=ROOT, capture_output=True,
                          text=True, timeout=100)
    is_advice = "// expect: order-float" in text # which is no error
    if done.returncode != (0 if is_advice else 66):
        sys.exit(f"{folder.name}: check ended with {done.returncode}, not 66\n{done.stdout}{done.stderr}")
    # The linker has an opinion on a sanitizer's library.
    return "".join(line for line in done.stderr.splitlines(True) if "/libasan.so" not in line)


def readme_block(text):
    return "".join("    " + line + "\n" if line else "\n" for line in text.splitlines())


def main():
    warpfence, update = sys.argv[1], "--update" in sys.argv[2:]
    stale = []
    for bug in sorted((ROOT / "examples").glob("*/bug.cu")):
        path, text = bug.parent / "report.txt", report(warpfence, bug.parent)
        if update:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"{path.relative_to(ROOT)} should be:\n{text}")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if not SHOWN.exists() or readme_block(SHOWN.read_text(encoding="utf-8")) not in readme:
        stale.append("README.md does not show examples/barrier-in-branch/report.txt")
    print("\n".join(stale) if stale else "the reports are those shown")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
