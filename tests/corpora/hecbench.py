#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds every eighth program of HeCBench with nvcc and runs it under Warpfence.

    git clone https://github.com/zjin-lcf/HeCBench DIR
    tests/corpora/hecbench.py --warpfence build/bin/warpfence --work /tmp/hecbench DIR
    tests/corpora/hecbench.py --warpfence build/bin/warpfence --work /tmp/hecbench --mode check DIR

Chosen are src/*-cuda in alphabetical order, every eighth; where one does not build (it needs a library or data that is
not there), the next that does, before the next eighth. It is built by its own Makefile with CC="nvcc -cudart shared
-lineinfo" and ARCH=sm_90, and run with the arguments of the Makefile's target "run", or with smaller ones (SMALLER) and
smaller constants (EDITS) where those would take hours on a CPU. A program passes when it ends with 0 and does not print
that a test of its own failed; under `check` it must also have no finding at error level. The table is written to the
folder --work as run.tsv or check.tsv after each program. Exit code 1 if any program does not pass."""
import argparse
import collections
import os
import pathlib
import re
import shlex
import shutil
import sys

from cuda_samples import Result, call, findings_of, line_of, note_of, read_table, write_table

FAILED = re.compile(r"\bFAIL(ED|URE)?\b|[Tt]est failed|\b[Mm]ismatch\b(?!(es)?: 0)|\bERROR\b")

# What needs a library that Warpfence does not stand for, by the Makefile.
OUTSIDE = re.compile(r"-l(cublas|cudnn|cufft|curand|cusolver|cusparse|nccl|mpi|nvml|npp|cutensor)|mpicc|mpicxx|MPI_ROOT")

# Input that the repository does not hold, or holds in a form that needs another program.
ABSENT = {"aes": "URNG_Input.bmp", "bm3d": "PNG files, read with ImageMagick", "lzss": "QCLOUDf48.bin", "sptrsv": "lp1.mtx, packed",
          "diamond": "ARDB.dmnd", "bmf": "MNIST.in", "cmp": "simple-synthetic.su", "ccs": "its data set", "meanshift": "its data set",
          "mt": "its data set", "sssp": "NYR_input.dat", "voxelization": "its data set"}

# Arguments in place of the Makefile's: for each line that is run.
SMALLER = {
    "affine": ["data/CT-MONO2-16-brain.raw result.raw 2"], "accuracy": ["512 500 10 2"], "aobench": ["1"], "atomicCost": ["1 1", "16 1"], "attentionMultiHead": ["2"],
    "blockAccess": ["300 300 2"], "che": ["10"], "coordinates": ["10007 2"], "dct8x8": ["256 256 2"], "dropout": ["131072 2"], "eigenvalue": ["256 2"],
    "f16atomic": ["4096 2", "8190 2"], "fhd": ["500 2048 1"], "fpc": ["256 1"], "gamma-correction": ["320 200 256 2"],
    "gelu": ["2 64 512 2", "2 64 2048 2"], "gpp": ["test"], "hadamard": ["32 2"], "hellinger": ["1"],
    "intrinsics-simd": ["10000 2"], "kalman": ["100 20 3 1"], "kurtosis": ["100003 2"], "layout": ["1"], "loopback": ["0 1"],
    "matrixT": ["256 256 2"], "michalewicz": ["10000 2"], "minkowski": ["1"], "moe": ["128 384 1 2", "128 384 2 2", "128 384 4 2"],
    "nbody": ["512 3"], "nqueen": ["9 4 1"], "p4": ["1"], "pns": ["22 50 200"], "projectile": ["1"],
    "quantBnB": ["65536 2"], "reaction": ["10"], "reverse2D": ["256 256 2"], "rotary": ["1"], "s8n": ["150 128 1"],
    "scan3": ["1 65536"], "secp256k1": ["1"], "simpleMultiDevice": ["1"], "softmax-fused": ["1 2 64 64 2", "1 2 64 256 2"],
    "streamPriority": ["2"], "tensorAccessor": ["200 130 2"], "topk": ["8 1"], "unfold": ["10000 2"],
    "wordcount": ["1"], "zoom": ["1 3 64 96 1"], "concurrentKernels": ["4"], "bn": ["result 1"],
    "mtf": ["256 2"], "srad": ["3 0.5 502 458"], "stddev": ["256 128 2"], "warpexchange": ["256 256 2"],
}

# Constants of the sources: (file, pattern, replacement).
EDITS = {
    "bn": [("main.cu", "ITER = 100", "ITER = 1"), ("kernels.cu", "t1<DATA_N", "t1<2"),
           ("kernels.cu", r"node<NODE_N;node\+\+", "node<3;node++")],
    "hellinger": [("main.cu", r"m_size = 768 \* 8", "m_size = 128")],
    "dispatch": [("main.cu", "COUNT 100$", "COUNT 5"), ("main.cu", "COUNT 1000$", "COUNT 20"), ("main.cu", "SIZE 1000$", "SIZE 20")],
    "atomicCost": [("main.cu", "length = 922521600", "length = 1048576")],
    "loopback": [("loopback.h", "NUM_BLOCKS 4096", "NUM_BLOCKS 8"), ("loopback.h", "OUTPUTS_PER_RUN 2048", "OUTPUTS_PER_RUN 256")],
    "perlin": [("utils.hpp", "WIN_WIDTH  = 61440", "WIN_WIDTH  = 640"), ("utils.hpp", "WIN_HEIGHT = 34560", "WIN_HEIGHT = 384")],
    "sph": [("fluid.cu", "number_steps = 500", "number_steps = 2")],
    "minkowski": [("main.cu", r"m_size = 512 \* 8", "m_size = 256")],
    "streamPriority": [("main.cu", "1 << 24", "1 << 16")],
    "base64e": [("main.cu", "BASE_ARRAY_LENGTH 33554432", "BASE_ARRAY_LENGTH 32768"), ("main.cu", "BASE_LOOP_COUNT 32", "BASE_LOOP_COUNT 2")],
    "binomial": [("binomialOptions.h", "NUM_STEPS 2048", "NUM_STEPS 256"), ("binomialOptions.h", "MAX_OPTIONS 1024", "MAX_OPTIONS 64"),
                 ("binomialOptions.h", "NUM_ITERATIONS 1000", "NUM_ITERATIONS 2")],
    "bspline-vgh": [("kernel.h", "WSIZE = 12000", "WSIZE = 100")],
    "che": [("kernels.h", r"(DATA[XYZ]SIZE) 256", r"\1 32")],
    "hungarian": [("main.cu", "n_tests = 100", "n_tests = 1"), ("main.cu", "user_n = 1000", "user_n = 100")],
    "topk": [("main.cu", ", 32768, 65536, 131072", "")],
    "wordcount": [("../wordcount-sycl/main.cpp", "1e8", "1e6"), ("../wordcount-sycl/main.cpp", r"1024\*1024\*256", "1024*1024")],
    "lid-driven-cavity": [("main.cu", "NUM 512", "NUM 256"), ("main.cu", "it_max = 1000000", "it_max = 100")],
}


def chosen(root):
    """Groups of programs, eight in each: the first of a group that builds is taken."""
    names = sorted(p.name for p in (root / "src").glob("*-cuda") if (p / "Makefile").exists())
    return [names[i:i + 8] for i in range(0, len(names), 8)]


def copy(root, name, work):
    """The program's folder and those of its siblings that it names, laid out as in HeCBench."""
    place = work / "src" / name
    if place.exists():
        return place
    todo, done = [name], set()
    while todo:
        one = todo.pop()
        if one in done or not (root / "src" / one).is_dir():
            continue
        done.add(one)
        shutil.copytree(root / "src" / one, work / "src" / one, dirs_exist_ok=True)
        text = (root / "src" / one / "Makefile").read_text(errors="replace") if (root / "src" / one / "Makefile").exists() else ""
        for path in (root / "src" / one).glob("*.[ch]*"):
            if path.is_file():
                text += path.read_text(errors="replace")
        todo += re.findall(r"\.\./([\w+-]+)/", text)
    for file, pattern, new in EDITS.get(name.removesuffix("-cuda"), []):
        path = place / file
        path.write_text(re.sub(pattern, new, path.read_text(), flags=re.M))
    return place


def build(root, name, args):
    """(folder, arguments) or a sentence."""
    makefile = (root / "src" / name / "Makefile").read_text(errors="replace")
    if OUTSIDE.search(makefile):
        return None, "needs the library of " + OUTSIDE.search(makefile)[0]
    if name.removesuffix("-cuda") in ABSENT:
        return None, "its input is not there: " + ABSENT[name.removesuffix("-cuda")]
    place = copy(root, name, args.work)
    make = ["make", "CC=nvcc -cudart shared -lineinfo", "NVCC=nvcc -cudart shared -lineinfo", f"ARCH={args.arch}"]
    log = place / "build.log"
    if not log.exists() or args.rebuild:
        code, out, _ = call(make, place, args.build_seconds)
        log.write_text(f"{code}\n{out}")
    code, _, out = log.read_text().partition("\n")
    if code != "0":
        return None, "build: " + note_of(out)
    _, out, _ = call([*make, "-n", "run"], place, 60)
    lines = [shlex.split(line.split("|")[0]) for line in out.splitlines() if re.match(r"\s*(\./|time |\w+=\S+ \./)", line)]
    lines = [line for line in lines if line]
    if not lines:
        return None, "its Makefile runs nothing"
    return place, lines


def run(root, name, args):
    place, lines = build(root, name, args)
    if place is None:
        return Result(name, "no build", 0.0, lines)
    verdict, notes, total = "pass", [], 0.0
    smaller = SMALLER.get(name.removesuffix("-cuda"))
    if smaller:
        lines = [[lines[0][0], *shlex.split(one)] for one in smaller]
    if args.mode == "build":
        return Result(name, "pass", 0.0, " ; ".join(" ".join(line) for line in lines))
    for i, line in enumerate(lines[:args.lines]):
        report = place / f"{args.mode}{i}.json"
        report.unlink(missing_ok=True)
        argv = [args.warpfence, args.mode, *args.option]
        if args.mode == "check":
            argv += ["--format=json", f"--output={report}"]
        code, out, seconds = call(argv + line, place, args.seconds)
        (place / f"{args.mode}{i}.log").write_text(" ".join(line) + "\n" + out)
        total += seconds
        found = findings_of(report)
        if found:
            verdict, notes = "finding", sorted({line_of(f) for f in found})
        elif code is None:
            verdict, notes = "time", [f"more than {args.seconds:.0f} s"]
        elif FAILED.search(out) or code != 0:
            verdict, notes = "fail", [f"exit {code}: " + note_of(out)]
        if verdict != "pass":
            break
    return Result(name, verdict, total, "; ".join(notes))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--warpfence", required=True, type=os.path.abspath)
    parser.add_argument("--work", required=True, type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--mode", default="run", choices=("run", "check", "build"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--option", action="append", default=[], help="an option for warpfence")
    parser.add_argument("--only", default="", help="regular expression the name must match")
    parser.add_argument("--rebuild", action="store_true", help="build again")
    parser.add_argument("--missing", action="store_true", help="only programs that have not passed yet")
    parser.add_argument("--lines", type=int, default=3, help="of a Makefile's run lines, at most so many")
    parser.add_argument("--seconds", type=float, default=60, help="longest run of one program")
    parser.add_argument("--build-seconds", type=float, default=300)
    parser.add_argument("dir", type=lambda p: pathlib.Path(p).resolve())
    return parser.parse_args()


def main():
    args = parse()
    args.work.mkdir(parents=True, exist_ok=True)
    groups = chosen(args.dir)
    if not groups:
        sys.exit(f"{args.dir} holds no src/*-cuda")
    path = args.work / f"{args.mode}.tsv"
    rows = read_table(path)
    for group in groups:
        for name in group:
            old = rows.get(name)
            if old and args.missing and old.verdict == "pass" or not re.search(args.only, name):
                result = old
            else:
                result = run(args.dir, name, args)
                print(f"{result.verdict:9}{result.name:28}{result.seconds:7.1f} s  {result.note}", flush=True)
                rows[name] = result
                write_table(path, rows)
            if not result or result.verdict != "no build":
                break
    kinds = collections.Counter(r.verdict for r in rows.values())
    counted = sum(kinds.values()) - kinds["no build"]
    print(f"\n{counted} programs: " + ", ".join(f"{n} {v}" for v, n in kinds.most_common() if v != "no build"))
    return 0 if kinds["pass"] == counted else 1


if __name__ == "__main__":
    sys.exit(main())
