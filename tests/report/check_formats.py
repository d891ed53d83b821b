#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports against their specifications: JSON against docs/report-format.md (every field, nothing
else), SARIF against the standard's rules in our own words (sarif_rules.py) and, when there is one, the OASIS
schema, JUnit as XML.
Usage: check_formats.py <file>...   by ending: .json .sarif .xml, and .md for docs/report-format.md itself
The OASIS schema is looked for in $WARPFENCE_SARIF_SCHEMA; the jsonschema package is needed with it."""
import json
import os
import re
import sys
import xml.etree.ElementTree

import sarif_rules

problems = []
TEXT, COUNT = (str,), (int,)
MAYBE_TEXT, MAYBE_COUNT = (str, type(None)), (int, type(None))


def fields(where, value, want):
    """`value` is an object with exactly the fields of `want`: name -> types or a checking function."""
    if not isinstance(value, dict):
        problems.append(f"{where}: not an object")
        return
    if list(value) != list(want):
        problems.append(f"{where}: fields are {list(value)}, not {list(want)}")
        return
    for name, rule in want.items():
        if callable(rule):
            rule(f"{where}.{name}", value[name])
        elif not isinstance(value[name], rule) or isinstance(value[name], bool) != (rule == (bool,)):
            problems.append(f"{where}.{name}: {value[name]!r} has the wrong type")


def maybe(check):
    return lambda where, value: value is None or check(where, value)


def each(check):
    def run(where, value):
        if not isinstance(value, list):
            problems.append(f"{where}: not a list")
            return
        for i, item in enumerate(value):
            check(f"{where}[{i}]", item)
    return run


def one_of(*words):
    def run(where, value):
        if value not in words:
            problems.append(f"{where}: {value!r} is none of {words}")
    return run


def pattern(text):
    def run(where, value):
        if not isinstance(value, str) or not re.fullmatch(text, value):
            problems.append(f"{where}: {value!r} is not like {text}")
    return run


def record(want):
    return lambda where, value: fields(where, value, want)


def triple(where, value):
    if not (isinstance(value, list) and len(value) == 3 and all(isinstance(x, int) for x in value)):
        problems.append(f"{where}: {value!r} is not three numbers")


PLACE = {"file": MAYBE_TEXT, "line": MAYBE_COUNT, "column": MAYBE_COUNT, "function": MAYBE_TEXT,
         "ptx_line": MAYBE_COUNT}
LOCATION = maybe(record({**PLACE, "inside": each(record(PLACE)), "inlined_at": each(record(PLACE))}))
PARTY = {"role": one_of("access", "waiter", "releaser", "allocation", "note"), "location": LOCATION,
         "block": maybe(triple), "thread": maybe(triple), "warp": MAYBE_COUNT,
         "lanes": maybe(pattern("0x[0-9a-f]{8}")), "operation": MAYBE_TEXT, "value": MAYBE_TEXT,
         "note": MAYBE_TEXT}
FINDING = {"id": pattern(r"WF\d{3}"), "slug": pattern("[a-z-]+"),
           "severity": one_of("error", "warning", "advice"), "title": TEXT, "sentence": TEXT,
           "why": MAYBE_TEXT, "fix": MAYBE_TEXT,
           "kernel": maybe(record({"name": TEXT, "mangled": TEXT})), "launch": MAYBE_COUNT,
           "memory": maybe(record({"space": MAYBE_TEXT, "object": MAYBE_TEXT,
                                   "address": pattern("0x[0-9a-f]+")})),
           "location": LOCATION, "parties": each(record(PARTY)), "count": COUNT, "seed": COUNT,
           "fingerprint": pattern("[0-9a-f]{16}")}
REPORT = {"format": one_of("warpfence-report"), "version": one_of(1),
          "tool": record({"name": one_of("warpfence"), "version": MAYBE_TEXT}), "program": MAYBE_TEXT,
          "summary": record({"errors": COUNT, "warnings": COUNT, "advice": COUNT, "suppressed": COUNT,
                             "omitted": COUNT, "launches": COUNT, "schedules": COUNT, "complete": (bool,)}),
          "findings": each(record(FINDING)),
          "notes": each(record({"file": TEXT, "line": COUNT, "text": TEXT}))}


def check_json(path, value):
    fields(path, value, REPORT)
    summary, found = value["summary"], value["findings"]
    total = summary["errors"] + summary["warnings"] + summary["advice"]
    if total != len(found) + summary["omitted"]:
        problems.append(f"{path}: the summary counts {total}, {len(found)} are listed")
    order = [["error", "warning", "advice"].index(f["severity"]) for f in found]
    if order != sorted(order):
        problems.append(f"{path}: findings are not ordered by severity")


def sarif_location(where, loc):
    physical = loc.get("physicalLocation")
    if physical is None:
        if not loc.get("logicalLocations"):
            problems.append(f"{where}: says nothing")
        return
    pattern(r"[A-Za-z0-9\-._~/%:]+")(f"{where}.uri", physical["artifactLocation"]["uri"])
    region = physical.get("region", {"startLine": 1})
    if region["startLine"] < 1 or region.get("startColumn", 1) < 1:
        problems.append(f"{where}: lines and columns begin at 1")


def check_sarif(path, value):
    schema = os.environ.get("WARPFENCE_SARIF_SCHEMA")
    if schema:
        import jsonschema
        with open(schema, encoding="utf-8") as f:
            for e in jsonschema.Draft7Validator(json.load(f)).iter_errors(value):
                problems.append(f"{path}: {'/'.join(map(str, e.path))}: {e.message[:200]}")
    problems.extend(f"{path}: {e}" for e in sarif_rules.errors(value))
    one_of("2.1.0")(f"{path}.version", value["version"])
    for run in value["runs"]:
        rules = run["tool"]["driver"]["rules"]
        for i, r in enumerate(run["results"]):
            where = f"{path}: result {i}"
            if rules[r["ruleIndex"]]["id"] != r["ruleId"]:
                problems.append(f"{where}: ruleIndex does not lead to {r['ruleId']}")
            one_of("error", "warning", "note")(f"{where}.level", r["level"])
            if not r["message"]["text"] or r["occurrenceCount"] < 1:
                problems.append(f"{where}: needs a text and a count")
            for loc in r["locations"] + r["relatedLocations"]:
                sarif_location(where, loc)
            ids = [loc["id"] for loc in r["relatedLocations"]]
            if len(ids) != len(set(ids)):
                problems.append(f"{where}: related locations share an id")
        for rule in rules:
            if not rule["help"]["text"].startswith(f"# {rule['id']} {rule['name']}: "):
                problems.append(f"{path}: the page of {rule['id']} is missing")


def check_junit(path, root):
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        counts = {"tests": len(cases), "failures": len(suite.findall("testcase/failure")),
                  "errors": len(suite.findall("testcase/error"))}
        for name, n in counts.items():
            if int(suite.get(name)) != n:
                problems.append(f"{path}: {name} says {suite.get(name)}, there are {n}")
        names = [(c.get("classname"), c.get("name")) for c in cases]
        if len(set(names)) != len(names):
            problems.append(f"{path}: two cases have one name")


def check_document(path, text):
    """Every field that check_json knows is described."""
    names = {*PLACE, *PARTY, *FINDING, *REPORT, "inside", "inlined_at", "name", "mangled", "space", "object",
             "address", "errors", "warnings", "advice", "suppressed", "omitted", "launches", "schedules", "seed", "complete"}
    for name in sorted(names):
        if f"`{name}`" not in text:
            problems.append(f"{path}: the field {name} is not described")


def main():
    for path in sys.argv[1:]:
        if path.endswith(".md"):
            with open(path, encoding="utf-8") as f:
                check_document(path, f.read())
            continue
        if path.endswith(".xml"):
            check_junit(path, xml.etree.ElementTree.parse(path).getroot())
            continue
        with open(path, encoding="utf-8") as f:
            value = json.load(f)
        (check_sarif if path.endswith(".sarif") else check_json)(path, value)
    for p in problems:
        print(p)
    print(f"{len(sys.argv) - 1} reports, {len(problems)} problems")
    return 1 if problems or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
