#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutation score of `warpfence check`: in the PTX of each driver one barrier, fence, order, scope, mask lane
or atomic at a time is removed or weakened, and a finding must follow: in the plain order, else in one of ORDERS others.
Mutants that live are listed with a reason in patterns/PROOFS.md or HARMLESS.md here; any other one is a failure. What bounds
a count orders nothing: such a mutant may also be told by the driver's own result being wrong in one of the orders.

    run.py --warpfence build/bin/warpfence            all mutants of all drivers: patterns, examples, and the
                                                      correct programs among the kernels of the tests
    run.py ... --share 1/6                            every sixth, from the first, and of every sixth kernel all
    run.py ... --only scan --verbose                  the drivers whose name has "scan"
    run.py ... --mutant wf_lookback_serve             the mutants whose name has it
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

from mutants import mutants_of
from ptx_exe import PtxExecutable, Unusable

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import run_case

LISTS = (ROOT / "patterns/PROOFS.md", HERE / "HARMLESS.md")
SKIP = 77
ORDERS = 16
RESULT = "wrong result"
# Small enough as they are; the others have templates for many types and get a driver of their own.
PATTERN_TESTS = ("last_block", "grid_barrier", "mailbox", "ticket_lock", "warp")


class Driver:
    """A correct program; of one with a file of its own (lone) mutants are named by file and line."""

    def __init__(self, name, source, arguments, compiler=(), options=(), lone=False):
        self.name, self.source, self.arguments = name, source, list(arguments)
        self.compiler, self.options, self.lone = list(compiler), list(options), lone

    def mutant_name(self, mutant):
        if not self.lone:
            return mutant.name()
        file, line = mutant.place.own
        return f"{mutant.operator}, {pathlib.Path(file).name}:{line}"


def kernel_drivers():
    """Cases, seeds and idioms that must be clean, as they are or as the twin without the fault."""
    for folder in ("cases", "seeds", "idioms"):
        for path in sorted((ROOT / "tests/kernels" / folder).glob("*.cu")):
            case = run_case.Case(path, "clang")
            if case.all("twin"):
                case = case.twin()
            elif case.all("expect") != ["clean"]:
                continue
            if not case.all("xfail") and not case.all("only"):
                yield Driver(path.stem, path, case.words("args"), case.words("compiler"),
                             case.words("options") + case.words("check-options"), True)


def drivers():
    for path in sorted((HERE / "drivers").glob("*.cu")):
        yield Driver(path.stem, path, [])
    for name in PATTERN_TESTS:
        yield Driver(name, ROOT / f"patterns/tests/test_{name}.cu", ["small"])
    for path in sorted((ROOT / "examples").glob("*/fixed.cu")):
        yield Driver(f"example {path.parent.name}", path, [])
    yield from kernel_drivers()


def build(args, driver, folder):
    exe = folder / "driver"
    done = subprocess.run([args.warpfence, "build", "--check-build", "--cc=clang", str(driver.source), "-o", str(exe),
                           "--", f"-I{ROOT / 'patterns/include'}", *driver.compiler], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{driver.name} does not build:\n{done.stderr}")
    return exe


def findings_of(args, exe, driver, schedules):
    """{slug: level} of what is reported, advice included, or a word that says why there is nothing to read."""
    report = exe.with_suffix(f".{schedules}.json")
    try:
        done = subprocess.run([args.warpfence, "check", "--format=json", f"--output={report}", "--cas-guesses",
                               f"--schedules={schedules}", *driver.options, str(exe), *driver.arguments], capture_output=True, text=True, errors="replace",
                              timeout=args.seconds)
    except subprocess.TimeoutExpired:
        return "did not end"
    if not report.exists():
        return f"no report, exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    with open(report, encoding="utf-8") as f:
        found = {f["slug"]: f["severity"] for f in json.load(f)["findings"]}
    if done.returncode == 1 or "its result depends on the order" in done.stderr:
        found[RESULT] = "error"
    return found


def listed():
    """The mutants that the two tables name."""
    return {name for path in LISTS
            for name in re.findall(r"^\| `([^`]+)` \|", path.read_text(encoding="utf-8"), re.MULTILINE)}


class Built:
    """A driver's executable, its PTX and what is reported without any change."""

    def __init__(self, args, driver, folder):
        folder.mkdir()
        self.driver, self.exe = driver, build(args, driver, folder)
        self.lines, self.mutants = mutants_of(PtxExecutable(self.exe).text)
        self.before, self.lock = {}, threading.Lock()

    def slugs_without_change(self, args, schedules=1):
        with self.lock:
            if schedules not in self.before:
                self.before[schedules] = findings_of(args, self.exe, self.driver, schedules)
            return self.before[schedules]

    def slugs(self, args, mutant, schedules):
        """What is reported of the mutant alone; a word if there is no report."""
        copy = self.exe.with_name(f"mutant{self.mutants.index(mutant)}")
        PtxExecutable(self.exe).write(copy, mutant.apply(self.lines))
        os.chmod(copy, 0o755)
        found = findings_of(args, copy, self.driver, schedules)
        copy.unlink()
        return found if isinstance(found, str) else sorted(set(found) - set(self.slugs_without_change(args, schedules)))


def all_built(args, folder):
    first, step = args.share
    chosen = [d for d in drivers() if args.only in d.name]
    chosen = [d for d in chosen if not d.lone] + [d for d in chosen if d.lone][first - 1::step]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        return list(pool.map(lambda i: Built(args, chosen[i], folder / str(i)), range(len(chosen))))


def judged(args, chances):
    """(what was found, driver) of the first driver that finds the mutant, else ([], None) or (a word, driver). What the
    plain order does not show is looked for in others, unless a reason is known."""
    name = chances[0][0].driver.mutant_name(chances[0][1])
    for schedules in (1,) if name in args.reasons else (1, ORDERS):
        for built, mutant in chances:
            found = built.slugs(args, mutant, schedules)
            if found:
                return found, built.driver.name
    return [], None


def run_all(args, folder):
    first, step = args.share
    built, by_place, chosen = all_built(args, folder), {}, []
    for b in built:
        for mutant in b.mutants:
            if b.driver.lone:
                chosen.append([(b, mutant)])
            else:
                by_place.setdefault((mutant.operator, *mutant.place.key()), []).append((b, mutant))
    chosen += list(by_place.values())[first - 1::step]
    chosen = [c for c in chosen if args.mutant in c[0][0].driver.mutant_name(c[0][1])]
    if args.list:
        print("\n".join(sorted({chances[0][0].driver.mutant_name(chances[0][1]) for chances in chosen})))
        return 0
    wrong = []
    for b in built:
        before = b.slugs_without_change(args)
        if isinstance(before, str) or any(level != "advice" for slug, level in before.items() if slug != RESULT):
            wrong.append(f"{b.driver.name} without a change: {before}")
    found, by_result, known, lives = 0, 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for chances, (result, by) in zip(chosen, pool.map(lambda c: judged(args, c), chosen)):
            name = chances[0][0].driver.mutant_name(chances[0][1])
            if args.verbose:
                said = ", ".join(result) if isinstance(result, list) else result
                print(f"{name}: {said or 'nothing'} ({by or ', '.join(b.driver.name for b, _ in chances)})", flush=True)
            if isinstance(result, str):
                wrong.append(f"{name} ({by}): {result}")
            elif result:
                found += 1
                by_result += result == [RESULT]
            elif name in args.reasons:
                known += 1
            else:
                lives.append(name)
    share = f", every {step}th" if step > 1 else ""
    print(f"{found} of {found + known + len(lives)} mutants found{share} ({by_result} of them by a wrong result alone); "
          f"{known} live for a reason that PROOFS.md or HARMLESS.md gives")
    for title, names in (("lives and is not listed", lives), ("wrong", wrong)):
        for name in names:
            print(f"{title}: {name}")
    return 1 if lives or wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--warpfence", required=True)
    parser.add_argument("--only", default="", help="drivers whose name holds this")
    parser.add_argument("--mutant", default="", help="mutants whose name holds this")
    parser.add_argument("--share", default="1/1", help="K/N: every Nth mutant, from the Kth")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60, help="for one mutant")
    parser.add_argument("--again", action="store_true", help="look for those with a reason as for any other")
    parser.add_argument("--list", action="store_true", help="name the mutants and end")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    args.warpfence = os.path.abspath(args.warpfence)
    args.reasons = set() if args.again else listed()
    args.share = [int(x) for x in args.share.split("/")]
    os.environ.setdefault("WARPFENCE_INCLUDE_DIR", str(ROOT / "include/cuda"))
    with tempfile.TemporaryDirectory(prefix="wf-mutants-") as folder:
        try:
            return run_all(args, pathlib.Path(folder))
        except Unusable as e:
            print(f"skipped: {e}")
            return SKIP


if __name__ == "__main__":
    sys.exit(main())
