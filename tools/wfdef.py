# SPDX-License-Identifier: Apache-2.0
"""Reads the rows of .def tables (C macro calls) for the other tools."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//[^\n]*|[(),]|[^"\'(),/]+|/')


def rows(path, macro):
    """Each call of `macro` in the file as a list of column texts; adjacent strings are joined."""
    out, row, column, depth = [], None, [], 0
    text = (ROOT / path).read_text(encoding="utf-8")
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token.startswith("//"):
            continue
        if row is None:
            if depth == 0 and token.strip().split()[-1:] == [macro]:
                row = []
            continue
        if token == "(":
            depth += 1
            if depth > 1:
                column.append(token)
        elif token == ")" and depth > 1:
            depth -= 1
            column.append(token)
        elif token in ",)" and depth == 1:
            row.append(_value(column))
            column = []
            if token == ")":
                out.append(row)
                row, depth = None, 0
        else:
            column.append(token)
    return out


def _value(tokens):
    words = [t for t in tokens if t.strip()]
    if words and all(t.startswith('"') for t in words):
        return "".join(re.sub(r"\\(.)", r"\1", t[1:-1]) for t in words)
    if len(words) == 1 and words[0].startswith("'"):
        return words[0][1:-1]
    return "".join(words).strip()
