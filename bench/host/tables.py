#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the tables of docs/performance.md from the newest bench/results/host-KIND-DATE.json, between the
marks "<!-- KIND -->" and "<!-- end KIND -->". With --check nothing is written and a stale table is an
error."""
import json
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
RESULTS = ROOT / "bench" / "results"

# At most so many times the native time at 2^26, and at least so many times faster than PoCL.
NATIVE_GOAL = {"vector_add": 1.25, "count_positive": 1.25, "reduce_basic": 2.5, "reduce_optimized": 2.5,
               "reduce_shuffle": 2.5, "scan_block": 4, "histogram_global": 1, "histogram_shared": 3, "transpose": 4,
               "matrix_product": 4}
POCL_GOAL = {"reduce_basic": 5, "reduce_optimized": 5, "reduce_shuffle": 5, "scan_block": 5, "histogram_shared": 5}
CHECK_GOAL, CHECK_WORST, OCLGRIND_GOAL, COMPILE_GOAL_MS, START_GOAL_MS = 2.9, 8, 100, 50, 50


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def ms(value):
    return "" if value is None else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " ---: |" * (len(heads) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def origin(result):
    m, v = result["machine"], result["versions"]
    tools = [f"{name} {v[name]}" for name in ("warpfence", "gcc", "nvcc") if v[name]]
    tools += [" ".join(result[k].split(",")[0].split()) for k in ("pocl_version", "oclgrind_version") if result.get(k)]
    return [f"{result['date']}, {m['cpu']}, {m['cores']} cores, {m['memory_gib']:g} GiB, {m['system']}; "
            f"commit {result['commit']}; {'; '.join(tools)}. Load before and after: {result['load_before']:g} and "
            f"{result['load_after']:g}.", "", f"    {result['command']}", ""]


def size_name(n):
    return f"2^{n.bit_length() - 1}"


def against(value, goal, is_least=False):
    """A figure beside its goal, and whether it is met."""
    if value is None or goal is None:
        return number(value)
    met = value >= goal if is_least else value <= goal
    return f"{number(value)} ({'at least' if is_least else 'at most'} {goal:g}: {'yes' if met else '**no**'})"


def speed(result):
    lines = []
    for n in sorted({r["n"] for r in result["rows"]}):
        rows = []
        for r in (r for r in result["rows"] if r["n"] == n):
            goals = n == 1 << 26
            rows.append([f"`{r['job']}`", ms(r["native_ms"]), ms(r["warpfence_ms"]), ms(r.get("pocl_ms")),
                         against(r["over_native"], NATIVE_GOAL.get(r["job"]) if goals else None),
                         number(r.get("pocl_over_native")),
                         against(r.get("pocl_over_warpfence"), POCL_GOAL.get(r["job"], 1) if goals else None, True)])
        lines += [f"n = {size_name(n)}, medians of {len(result['rows'][0]['rounds'])} rounds:", ""]
        lines += table(["kernel", "native, ms", "run, ms", "PoCL, ms", "run / native", "PoCL / native", "PoCL / run"],
                       rows) + [""]
    return lines


def check(result):
    rows = []
    for r in result["rows"]:
        if "error" in r:
            rows.append([f"`{r['job']}`", "", "", "", r["error"], "", "", ""])
            continue
        rows.append([f"`{r['job']}`", ms(r["run_ms"]), ms(r["run_one_worker_ms"]), ms(r["check_ms"]),
                     against(r["over_run"], CHECK_WORST), number(r["over_one_worker"]), ms(r["watched_ms"]),
                     number(r["watched_over_one_worker"])])
    rows.append(["geometric mean", "", "", "", against(result["geomean_over_run"], CHECK_GOAL),
                 number(result["geomean_over_one_worker"]), "", number(result["geomean_watched"])])
    lines = [f"n = {size_name(result['rows'][0]['n'])}, medians of "
             f"{max(len(r.get('rounds', [])) for r in result['rows'])} rounds:", ""]
    lines += table(["kernel", "run, ms", "run, one worker, ms", "check, ms", "check / run", "check / run, one worker",
                    "watched, ms", "watched / run, one worker"],
                   rows) + [""]
    for name, end in result["programs"].items():
        if "error" in end:
            lines.append(f"`{name}`: {end['error']}.")
            continue
        peaks = ", ".join(f"{who} {mib:.0f} MiB" for who, mib in end["peak_mib"].items())
        lines.append(f"`{name}`: peak of resident memory {peaks}; the checked run ended with {end['exit_code']} "
                     f"(\"{end['report']}\").")
    return lines + [""]


def oclgrind(result):
    rows = [[f"`{r['job']}`", f"{r['oclgrind_per_s'] / 1e6:.3f}", f"{r['warpfence_per_s'] / 1e6:.1f}",
             against(r["times"], OCLGRIND_GOAL, True)] for r in result["rows"]]
    first = result["rows"][0]
    return [f"Oclgrind (`{result['oclgrind_options']}`) at n = {size_name(first['oclgrind_n'])}, `check --opt --proofs no` at "
            f"{size_name(first['warpfence_n'])}:", "",
            *table(["kernel", "Oclgrind, million accesses/s", "check, million accesses/s", "times"], rows), ""]


def start(result):
    rows = [[f"`{job}`", against(statistics.median(times) if times else None, COMPILE_GOAL_MS)]
            for job, times in result["compiles"].items()]
    lines = table(["first compile of a kernel", "ms"], rows) + [""]
    rows = [["`run`, everything cached", against(result["run_ms"] - result["true_ms"], START_GOAL_MS)],
            ["`check`, everything cached", against(result["check_ms"] - result["true_ms"], START_GOAL_MS)]]
    for cc, first in result["first"].items():
        if first:
            rows.append([f"first start with {cc}, beyond the compiler's time", number(first["beyond_ms"])])
            rows.append([f"first start with {cc}, in all", number(first["total_ms"], 0)])
    return lines + table(["start of the whole tool, an empty process taken off", "ms"], rows) + [""]


DRAWERS = {"speed": speed, "check": check, "oclgrind": oclgrind, "start": start}


def newest(kind):
    files = sorted(RESULTS.glob(f"host-{kind}-*.json"))
    return json.loads(files[-1].read_text(encoding="utf-8")) if files else None


def drawn(page):
    for kind, draw in DRAWERS.items():
        result = newest(kind)
        lines = draw(result) + origin(result) if result else ["Not measured yet.", ""]
        between = re.compile(rf"(<!-- {kind} -->\n).*?(<!-- end {kind} -->)", re.S)
        text = "\n" + "\n".join(lines)
        page, count = between.subn(lambda m, text=text: m.group(1) + text + m.group(2), page)
        if count != 1:
            sys.exit(f"error: docs/performance.md has {count} places marked {kind}, not one")
    return page


def main():
    old = PAGE.read_text(encoding="utf-8")
    new = drawn(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            sys.exit("error: docs/performance.md is not in step with bench/results; run bench/host/tables.py")
        print("docs/performance.md is in step with bench/results")
    elif new != old:
        PAGE.write_text(new, encoding="utf-8")
        print("wrote docs/performance.md")


if __name__ == "__main__":
    main()
