#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The finding pages against core/finding.def: a page a row, no page without a row, the right title,
every section, and code that compiles (with nvcc, when it is there). The Chinese pages have a section a row.
Usage: check_pages.py <repository>"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECTIONS = ["Smallest example", "Mend", "How certain", "See also"]
MAX_LINES, MAX_COLUMNS = 90, 124
problems = []


def rows(root):
    row = re.compile(r'^WF_FINDING\(\w+,\s*(\d+),\s*"([^"]+)",\s*\w+,\s*"([^"]+)"\)', re.M)
    return [(int(n), slug, title) for n, slug, title in
            row.findall((root / "src/core/finding.def").read_text())]


def check_page(path, number, slug, title, numbers):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    want = f"# WF{number:03} {slug}: {title}"
    if lines[0] != want:
        problems.append(f"{path}:1: the title must be '{want}'")
    found = [line[3:] for line in lines if line.startswith("## ")]
    if found != SECTIONS:
        problems.append(f"{path}: sections are {found}, not {SECTIONS}")
    if len(lines) > MAX_LINES:
        problems.append(f"{path}: {len(lines)} lines, a page has at most {MAX_LINES}")
    for i, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            problems.append(f"{path}:{i}: {len(line)} columns, at most {MAX_COLUMNS}")
        for other in re.findall(r"\bWF(\d{3})\b", line):
            if int(other) not in numbers:
                problems.append(f"{path}:{i}: there is no WF{other}")
    return re.findall(r"^```cuda\n(.*?)^```", text, re.M | re.S)


def check_chinese(folder, table):
    found = []
    for path in sorted(folder.glob("findings-*.md")):
        found += re.findall(r"^## WF(\d{3}) (\S+)$", path.read_text(encoding="utf-8"), re.M)
    want = [(f"{n:03}", slug) for n, slug, _ in table]
    for row in set(want) ^ set(found):
        problems.append(f"{folder}: WF{row[0]} {row[1]} is in the table or in the pages, not in both")
    if len(found) != len(set(found)):
        problems.append(f"{folder}: a finding has two sections")


def compile_blocks(blocks, work):
    """All code of all pages is one translation unit; each block has a namespace of its own."""
    includes, body = set(), []
    for i, (path, code) in enumerate(blocks):
        own = [line for line in code.split("\n") if line.startswith("#include")]
        includes.update(own)
        rest = "\n".join("" if line in own else line for line in code.split("\n"))
        body.append(f'namespace page_{i} {{\n#line 1 "{path.name}: block {i}"\n{rest}\n}}\n')
    source = work / "pages.cu"
    source.write_text("\n".join(sorted(includes)) + "\n" + "".join(body))
    done = subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90", "-ptx", "-diag-suppress", "20054,177",
                           "-o", str(work / "pages.ptx"), str(source)], capture_output=True, text=True)
    if done.returncode:
        problems.append("the pages' code does not compile:\n" + done.stderr)


def main():
    root = pathlib.Path(sys.argv[1])
    pages = root / "docs/findings"
    table = rows(root)
    numbers = {n for n, _, _ in table}
    if len(table) < 30:
        problems.append("core/finding.def was not understood")
    blocks = []
    for number, slug, title in table:
        path = pages / f"WF{number:03}.md"
        if not path.exists():
            problems.append(f"{path}: missing, the page of {slug}")
            continue
        found = check_page(path, number, slug, title, numbers)
        if len(found) < 2:
            problems.append(f"{path}: needs a faulty and a mended ```cuda example")
        blocks += [(path, code) for code in found]
    for path in pages.glob("*.md"):
        if path.stem not in {f"WF{n:03}" for n in numbers}:
            problems.append(f"{path}: no row of core/finding.def has this number")
    check_chinese(root / "docs/zh", table)
    if shutil.which("nvcc"):
        with tempfile.TemporaryDirectory() as work:
            compile_blocks(blocks, pathlib.Path(work))
    for p in problems:
        print(p)
    print(f"{len(table)} pages, {len(blocks)} code blocks, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
