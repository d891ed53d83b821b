#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`check --stats`: shadow memory of at most 8 bytes a 4-byte word, counts that are not zero; nothing of it without. Of launches
that are watched: those that are proven have no shadow."""
import re
import subprocess
import sys


def errors_of(warpfence, source, *options):
    return subprocess.run([warpfence, "check", "--cc=clang", *options, source], capture_output=True, text=True,
                          timeout=100).stderr


def main():
    warpfence, source = sys.argv[1:]
    text = errors_of(warpfence, source, "--stats", "--proofs=no")
    shadow = re.search(r"shadow ([\d.]+) bytes a 4-byte word: (\d+) words", text)
    counts = re.search(r"(\d+) launches, 0 proven and not watched, (\d+) accesses of threads in (\d+) of warps", text)
    assert shadow and counts, text
    assert 0 < float(shadow[1]) <= 8 and int(shadow[2]) > 0, text
    assert all(int(n) > 0 for n in counts.groups()) and int(counts[2]) >= int(counts[3]), text
    assert "memory peak" in text and "stats" not in errors_of(warpfence, source), text


if __name__ == "__main__":
    main()
