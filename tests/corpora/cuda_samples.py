#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the programs of NVIDIA's cuda-samples with nvcc and runs them under Warpfence.

    git clone https://github.com/NVIDIA/cuda-samples DIR
    tests/corpora/cuda_samples.py --warpfence build/bin/warpfence --work /tmp/samples DIR
    tests/corpora/cuda_samples.py --warpfence build/bin/warpfence --work /tmp/samples --mode check DIR

What is built, from which files and with which arguments it is run, is read from the samples' own CMakeLists.txt
and test_args.json. A program passes when it ends with 0 and does not print that a test of its own failed; under
`check` it must also have no finding at error level. Programs are kept in the folder --work and built once;
the table is written there as run.tsv or check.tsv, after each program: a run that was cut short goes on with
--missing, which leaves out what has passed. Exit code 1 if any counted program does not pass."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

# Why a program is not counted, by what its CMakeLists.txt or its path holds. The first that fits.
OUTSIDE = (("multi-GPU peer", r"\bMGPU\b|P2P|MultiDevice|p2pBandwidth|CrossGPU"),
           ("graphics", r"find_package\((OpenGL|GLUT|Vulkan|EGL)|[dD]3[dD]1[12]|simpleD3D|EGL/|EGLStream"),
           ("Tegra", r"8_Platform_Specific|NvSci|cudla"),
           ("library", r"CUDA::(cublas|cufft|curand|cusolver|cusparse|npp|nvjpeg|nvJitLink)|FreeImage|jitLto"),
           ("libNVVM", r"7_libNVVM|NVVM_LIB"),
           ("MPI", r"find_package\(MPI"),
           ("dynamic parallelism", r"cudadevrt|cdp[A-Z]"))
FAILED = re.compile(r"mismatch i=|\bFAILED\b|\bTest failed|Result = FAIL|TEST FAILED|Error: .*[Mm]ismatch|ERROR, results")

# Programs that compute for hours on a CPU, made smaller in the copy that is built: (pattern, replacement) for the
# lines of their sources. The matrix products check nothing unless CPU_DEBUG is set, so it is.
def tiles(n):
    return [(r"^#define ([MNK])_TILES\s+\d+", rf"#define \1_TILES {n}"),
            (r"^#define CPU_DEBUG\s+0", "#define CPU_DEBUG 1")]


SMALLER = {"cudaTensorCoreGemm": tiles(32), "bf16TensorCoreGemm": tiles(32), "tf32TensorCoreGemm": tiles(32),
           "immaTensorCoreGemm": tiles(32), "dmmaTensorCoreGemm": tiles(64),
           "globalToShmemAsyncCopy": [(r"int nIter = 100", "int nIter = 2")],
           "UnifiedMemoryPerf": [(r"maxSampleSizeInMb = 64", "maxSampleSizeInMb = 1"),
                                 (r"numKernelRuns\s+= \d+", "numKernelRuns = 2")],
           "simpleAttributes": [(r"0xAFFFF", "0xFF"), (r"deviceProp\.maxGridSize\[1\]", "1024")]}

# Under check also these, which do the same over and over or on much data; and arguments in place of none.
SHORTER = {"simplePitchLinearTexture": [("NUM_REPS 100", "NUM_REPS 2")], "transpose": [("NUM_REPS 100", "NUM_REPS 2")],
           "simpleStreams": [(r"nreps = 100", "nreps = 2"), (r"16 \* 1024 \* 1024", "1024 * 1024")],
           "convolutionTexture": [("iterations = 10", "iterations = 1"), (r"= 3072\b", "= 768")],
           "histogram": [("numRuns    = 16", "numRuns    = 1"), (r"64 \* 1048576", "4 * 1048576")],
           "HSOpticalFlow": [("nSolverIters = 500", "nSolverIters = 20")],
           "NV12toBGRandResize": [(r"TEST_LOOP +\d+", "TEST_LOOP 1")],
           "scan": [("iCycles = 100", "iCycles = 1"), (r"13 \* 1048576 / 2", "13 * 131072 / 2")],
           "alignedTypes": [("NUM_ITERATIONS = 32", "NUM_ITERATIONS = 2"), ("= 50000000", "= 5000000")]}
ARGUMENTS = {"radixSortThrust": ["--n=65536", "--iterations=1"], "reductionMultiBlockCG": ["--n=1048576"],
             "globalToShmemAsyncCopy": ["--wA=320", "--hA=320", "--wB=320", "--hB=320"]}

Sample = collections.namedtuple("Sample", "name folder outside cmake runs")
Result = collections.namedtuple("Result", "name verdict seconds note")


def samples(root):
    with open(root / "test_args.json", encoding="utf-8") as f:
        args = json.load(f)
    for path in sorted((root / "Samples").glob("*/**/CMakeLists.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        targets = re.findall(r"add_executable\(\s*(\w[\w-]*)", text)
        if not targets:
            continue
        where = str(path.relative_to(root))
        outside = next((why for why, what in OUTSIDE if re.search(what, where + "\n" + text)), None)
        own = args.get(targets[0], {})
        runs = [r.get("args", []) for r in own.get("runs", [own])]
        if own.get("min_gpus", 1) > 1:
            outside = "multi-GPU peer"
        yield Sample(targets[0], path.parent, outside, text, runs)


def build(sample, args):
    """The executable, or a sentence. A fat binary or PTX file that the program loads is put beside it."""
    is_short = args.mode == "check" and sample.name in SHORTER
    place = args.work / (sample.name + "-short" * is_short)
    exe = place / sample.name
    if exe.exists():
        return exe, None
    log = place / "build.log"
    if log.exists() and not args.rebuild:
        return None, note_of(log.read_text(encoding="utf-8", errors="replace"))
    shutil.copytree(sample.folder, place, dirs_exist_ok=True)
    for pattern, text in SMALLER.get(sample.name, []) + SHORTER.get(sample.name, []) * is_short:
        for path in (p for p in place.rglob("*.*") if p.suffix in (".cu", ".cpp", ".h")):
            old = path.read_text(encoding="utf-8", errors="replace")
            path.write_text(re.sub(pattern, text, old, flags=re.M), encoding="utf-8")
    target = re.search(r"add_executable\(\s*\S+([^)]*)\)", sample.cmake)
    sources = [s for s in target[1].split() if s.endswith((".cu", ".cpp", ".c"))]
    sources = [str((sample.folder / s).resolve()) if s.startswith("..") else s for s in sources]
    common = ["-std=c++17", "--extended-lambda", "-lineinfo", "-w", "-I", str(args.dir / "Common"), "-I", ".",
              "-I", "inc", "-I", str(args.dir / "Common" / "UtilNPP")]
    argv = ["nvcc", f"-arch={args.arch}", "-cudart", "shared", "-O2", *common, *sources, "-o", exe.name]
    if "CUDA_SEPARABLE_COMPILATION ON" in sample.cmake and \
            sum(s.endswith(".cu") for s in sources) > 1:
        argv.append("-rdc=true")
    for library, flags in (("cuda_driver", ["-L", f"{args.cuda}/lib64/stubs", "-lcuda"]), ("nvrtc", ["-lnvrtc"]),
                           ("OpenMP", ["-Xcompiler", "-fopenmp", "-lgomp"])):
        if f"CUDA::{library}" in sample.cmake or f"find_package({library}" in sample.cmake:
            argv += flags
    commands = [argv + ["-lpthread", "-lrt", "-ldl"]]
    for what in re.findall(r"\$\{CUDA_INCLUDE_DIR\}/([\w/.]+)", sample.cmake): # headers for NVRTC
        header = pathlib.Path(args.cuda) / "include" / what
        if header.is_dir():
            shutil.copytree(header, place / header.name, dirs_exist_ok=True)
        elif header.exists():
            shutil.copy(header, place)
    for option, suffix, source in re.findall(r"-(fatbin|ptx|cubin)\s+(?:-o\s+)?[^\n]*?()\$\{(\w+)\}\s*$", sample.cmake, re.M):
        file = re.search(rf"set\({source}\s+\"?\$\{{CMAKE_CURRENT_SOURCE_DIR\}}/([^\")]+)", sample.cmake)
        out = re.search(r"set\(\w*(?:FATBIN|PTX)\w*\s+\"?\$\{CMAKE_CURRENT_BINARY_DIR\}/([^\")]+)", sample.cmake)
        if file and out:
            arch = re.sub("sm_", "compute_", args.arch)
            commands.append(["nvcc", f"-arch={arch if option == 'ptx' else args.arch}", *common, f"-{option}", file[1],
                             "-o", out[1] + suffix])
    text = ""
    for command in commands:
        code, out, _ = call(command, place, args.build_seconds)
        text += " ".join(command) + "\n" + out
        if code != 0:
            log.write_text(text, encoding="utf-8")
            exe.unlink(missing_ok=True)
            return None, "build: " + note_of(out)
    return exe, None


def call(argv, folder, seconds, env=None):
    """Exit code (None: too long), output, seconds. All processes of the command end with it."""
    start = time.monotonic()
    with subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL, start_new_session=True, env=env) as child:
        try:
            out, _ = child.communicate(timeout=seconds)
            code = child.returncode
        except subprocess.TimeoutExpired:
            os.kill(child.pid, signal.SIGTERM) # a report of what was found so far is written then
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                pass
            try:
                os.killpg(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            out, _ = child.communicate()
            code = None
    return code, out, time.monotonic() - start


def note_of(out):
    """The line of an output that says most."""
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    for what in (r"is not supported", r"^warpfence", r"\berror\b", r"undefined reference", r"FAIL|failed", r"Waiv"):
        for line in lines:
            if re.search(what, line):
                return line[:200]
    return lines[-1][:200] if lines else ""


def findings_of(report):
    if not report.exists():
        return []
    with open(report, encoding="utf-8") as f:
        return [x for x in json.load(f)["findings"] if x["severity"] == "error"]


def line_of(finding):
    spots = [p["location"] for p in finding.get("parties", []) if p.get("location")]
    where = " ".join(f"{os.path.basename(s.get('file') or '?')}:{s.get('line')}" for s in spots)
    return f"{finding['slug']} {where}"


def run(sample, args):
    exe, why = build(sample, args)
    if exe is None:
        return Result(sample.name, "no build", 0.0, why)
    total, notes, verdict = 0.0, [], "pass"
    runs = [ARGUMENTS[sample.name]] if args.mode == "check" and sample.name in ARGUMENTS else sample.runs
    for i, arguments in enumerate(runs):
        report = exe.parent / f"{args.mode}{i}.json"
        report.unlink(missing_ok=True)
        argv = [args.warpfence, args.mode, *args.option]
        if args.mode == "check":
            argv += ["--format=json", f"--output={report}"]
        code, out, seconds = call([*argv, f"./{exe.name}", *arguments], exe.parent, args.seconds)
        (exe.parent / f"{args.mode}{i}.log").write_text(out, encoding="utf-8")
        total += seconds
        found = findings_of(report)
        if found:
            verdict = "finding"
            notes += sorted({line_of(f) for f in found})
        elif code is None:
            verdict = "time"
            notes = [f"more than {args.seconds:.0f} s" + ("; nothing found until then" if report.exists() else "")]
        elif code == 2 and re.search(r"[Ww]aiv", out):
            verdict, notes = "waived", notes + [note_of(out)]
        elif FAILED.search(out) or (code != 0 and sample.name not in ENDS_BADLY):
            verdict, notes = "fail", notes + [f"exit {code}: " + note_of(out)]
        if verdict != "pass":
            break
    return Result(sample.name, verdict, total, "; ".join(notes))


# Programs whose own exit code is not 0 when all is well.
ENDS_BADLY = ()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--warpfence", required=True, type=os.path.abspath)
    parser.add_argument("--work", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--mode", default="run", choices=("run", "check", "build"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--cuda", default=os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    parser.add_argument("--option", action="append", default=[], help="an option for warpfence")
    parser.add_argument("--only", default="", help="regular expression the name must match")
    parser.add_argument("--rebuild", action="store_true", help="try again what did not build")
    parser.add_argument("--missing", action="store_true", help="only programs that have not passed yet")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="longest run of one program")
    parser.add_argument("--build-seconds", type=float, default=600)
    parser.add_argument("dir", type=lambda p: pathlib.Path(p).resolve())
    return parser.parse_args()


def read_table(path):
    if not path.exists():
        return {}
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {r[0]: Result(r[0], r[1], float(r[2]), r[3]) for r in rows if len(r) == 4}


def write_table(path, rows):
    text = "".join(f"{r.name}\t{r.verdict}\t{r.seconds:.1f}\t{r.note}\n" for r in rows.values())
    path.write_text(text, encoding="utf-8")


def main():
    args = parse()
    every = list(samples(args.dir))
    counted = [s for s in every if not s.outside and re.search(args.only, s.name)]
    if not every:
        sys.exit(f"{args.dir} holds no samples")
    args.work.mkdir(parents=True, exist_ok=True)
    path = args.work / f"{args.mode}.tsv"
    rows = {s.name: Result(s.name, "not counted", 0.0, s.outside) for s in every if s.outside}
    rows |= {name: r for name, r in read_table(path).items() if name not in rows}
    if args.missing:
        counted = [s for s in counted if s.name not in rows or rows[s.name].verdict != "pass"]

    def one(sample):
        if args.mode != "build":
            return run(sample, args)
        exe, why = build(sample, args)
        return Result(sample.name, "pass" if exe else "no build", 0.0, why or "")

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for result in pool.map(one, counted):
            print(f"{result.verdict:9}{result.name:32}{result.seconds:7.1f} s  {result.note}", flush=True)
            rows[result.name] = result
            write_table(path, rows)
    write_table(path, rows)
    kinds = collections.Counter(r.verdict for r in rows.values() if r.verdict != "not counted")
    outside = collections.Counter(r.note for r in rows.values() if r.verdict == "not counted")
    print(f"\n{sum(kinds.values())} programs: " + ", ".join(f"{n} {v}" for v, n in kinds.most_common()))
    print("not counted: " + ", ".join(f"{n} {why}" for why, n in outside.most_common()))
    return 0 if kinds["pass"] == sum(kinds.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
