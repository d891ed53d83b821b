#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every row of a table has what belongs to it: an instruction a test that holds it, a finding its page
and an expectation in a test, an option a reader in the sources."""
import re
import sys

from wfdef import ROOT, rows

PROSE = re.compile(r"//[^\n]*")
TEST_SUFFIXES = {".ptx", ".cu", ".c", ".py", ".cuh", ".txt", ".ir", ".err", ".def", ".tsv"}


def test_text():
    parts = []
    for path in sorted((ROOT / "tests").rglob("*")):
        if path.suffix in TEST_SUFFIXES and path.is_file():
            parts.append(path.read_text(encoding="utf-8", errors="replace"))
    return "\n".join(parts)


def alternatives(text):
    """`{abs,neg}.s32` of tests/values/ops.txt, one a line, so that each is seen."""
    groups = re.findall(r"(?<![\w.])\{([\w.,]+)\}\.", text)
    return "\n".join(f"{name}.x" for group in groups for name in group.split(","))


def missing_ops(tests):
    tests = PROSE.sub("", tests)
    tests += "\n" + alternatives(tests)
    for _, spelling, _ in rows("src/ptx/op.def", "PTX_OP"):
        # As an instruction: with a modifier, or with operands and a semicolon. Prose does not count.
        form = rf"(?m)(?<![\w.%$]){re.escape(spelling)}(?:\.[A-Za-z{{]|\s*;|\s+[%$\w{{(\[][^\n\";.]*;)"
        if not re.search(form, tests):
            yield f"src/ptx/op.def: no test holds the instruction {spelling}"


def missing_findings():
    for _, number, slug, _, _ in rows("src/core/finding.def", "WF_FINDING"):
        page = ROOT / f"docs/findings/WF{int(number):03d}.md"
        if not page.exists():
            yield f"src/core/finding.def: {slug} has no page {page.relative_to(ROOT)}"
        elif not page.read_text(encoding="utf-8").startswith(f"# WF{int(number):03d} {slug}:"):
            yield f"{page.relative_to(ROOT)}: must begin with its number and the slug {slug}"


def missing_readers():
    text = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "src").rglob("*.[ch]")))
    for row in rows("src/session/options.def", "WF_OPTION"):
        if not re.search(rf"(->|\.){row[0]}\b", text):
            yield f"src/session/options.def: nothing reads {row[1]}"


def main():
    bad = [*missing_ops(test_text()), *missing_findings(), *missing_readers()]
    print("\n".join(bad) if bad else "every row has its test, page or reader")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
