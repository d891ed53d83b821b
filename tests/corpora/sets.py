# SPDX-License-Identifier: Apache-2.0
"""What the labelled public corpora hold: which files there are, how each is run, and what its authors
say about it. Nothing of a corpus stands here: labels follow from the names and header lines of its files.

label "racy": a race is to be found; "clean": none may be; "bounds": an index may leave its
array, no race may be found; "advice": the authors call it clean, but the reading side lacks an acquire by the PTX
model, so it is shown and not counted; "divergence", "mask": that fault is to be found;
"skip: why": not scored."""
import math
import pathlib
import re

RACES = ("race-", "fence-missing", "host-")


class Test:
    """name; source file; label; arguments; options of warpfence; options of the compiler; launch for
    files that hold a kernel alone: (grid, block); what it reads from standard input."""

    def __init__(self, name, source, label, args=(), options=(), compiler=(), launch=None, stdin=""):
        self.name, self.source, self.label = name, source, label
        self.args, self.options, self.compiler, self.launch, self.stdin = args, options, compiler, launch, stdin


def indigo(root, graph):
    """590 CUDA files. A name with a Bug other than boundsBug is racy."""
    base = next((p for p in (root / "indigo", root) if (p / "indigo_sources").is_dir()), None)
    if base is None:
        raise SystemExit(f"{root} has no folder indigo/indigo_sources")
    for path in sorted((base / "indigo_sources").rglob("*.cu")):
        bugs = set(re.findall(r"[a-z]+Bug", path.stem))
        label = "racy" if bugs - {"boundsBug"} else "bounds" if bugs else "clean"
        yield Test(path.stem, path, label, args=(str(base / "input" / graph), "256", "1024"),
                   compiler=("-I", str(base / "indigo_include")))


SCOR_ADVICE = ("interblock_fence_raw", "interwarp_fence_raw", "interwarp_blkfence_raw",
               "interwarp-block_fence_hrf-indirect", "interwarp-block_fence-atom_hrd-indirect")


def scor(root, _graph):
    """32 micro tests, named race_ or norace_, five of the latter without an acquire. Two of the races need another
    order of blocks than the usual one."""
    for path in sorted((root / "microbenchmarks" / "src").glob("*.cu")):
        kind, _, rest = path.stem.partition("_")
        label = "racy" if kind == "race" else "advice" if rest in SCOR_ADVICE else "clean"
        yield Test(path.stem, path, label, options=("--schedules=8",))


def numbers(n, below):
    return " ".join(str(i * 7919 % below) for i in range(n))


def graph_of(vertices, edges):
    """Vertices and edges, each edge between the next two numbers; no loops."""
    pairs = ((i * 31 % vertices, (i * 31 + 1 + i * 17 % (vertices - 1)) % vertices) for i in range(edges))
    return f"{vertices} {edges} " + " ".join(f"{a} {b}" for a, b in pairs)


# Folder: blocks, threads of a block, standard input. Small; all branches of the kernels are reached.
SCOR_APPS = {
    "1dconv": (4, 64, "5 300 " + numbers(305, 10)),
    "graph-coloring": (4, 64, graph_of(64, 200)),
    "graph-connectivity": (4, 64, graph_of(64, 100)),
    "matrix-multiplication": (4, 64, "4 96 40 " + numbers(4 * 96 + 96 * 40, 5)),
    "reduction": (4, 256, "3000 " + numbers(3000, 100)),
    "rule-110": (4, 64, "400 4 " + numbers(400, 2)),
    "uts": (2, 64, "4 2 7"),
}


def scor_apps(root, _graph):
    """Seven applications, each as written (clean) and with -DRACEY (racy). Two of them rely on lanes in lockstep."""
    for name, (blocks, threads, text) in SCOR_APPS.items():
        folder = root / "benchmarks" / name
        kernel, main = next(folder.glob("*_kernel.cu")), next(folder.glob("*_main.cu"))
        others = () if f'"{kernel.name}"' in main.read_text(encoding="utf-8") else (str(kernel),)
        for label, flags in (("lockstep" if name in ("reduction", "uts") else "clean", ()), ("racy", ("-DRACEY",))):
            yield Test(f"{name} {label}", main, label, stdin=text,
                       compiler=(f"-DNBLOCKS={blocks}", f"-DNTHREADS={threads}", f"-I{folder}", *flags, *others))


def number(text, name, default):
    found = re.search(rf"--{name}=(\S+)", text)
    if not found:
        return default
    return ",".join(re.findall(r"\d+", found[1])) or default


def gpuverify(root, _graph):
    """Kernels alone; line 1 is //pass or //xfail:NOT_ALL_VERIFIED, line 2 the launch."""
    base = root / "testsuite" / "CUDA"
    for path in sorted(base.rglob("*.cu")):
        text = path.read_text(encoding="utf-8", errors="replace")
        name = str(path.parent.relative_to(base))
        head = text[:600]
        if "--warp-sync" in head and head.startswith("//pass"):
            label = "skip: relies on lockstep"
        elif head.startswith("//pass"):
            label = "clean"
        elif head.startswith("//xfail:NOT_ALL_VERIFIED") and "divergence" in name:
            label = "divergence"
        elif head.startswith("//xfail:NOT_ALL_VERIFIED"):
            label = "racy" if re.search(r"\brac[ey]", text) or "race" in name else \
                "skip: fails for another reason than a race"
        else:
            label = "skip: not a verdict about the kernel"
        grid, block = number(head, "gridDim", "1"), number(head, "blockDim", "1")
        if math.prod(map(int, block.split(","))) > 1024:
            label = "skip: a block of more than 1024 threads"
        yield Test(name, path, label, launch=(grid, block))


def sanitizer(root, _graph):
    """NVIDIA's samples of racecheck and synccheck."""
    for file, label in (("Racecheck/block_error.cu", "racy"), ("Racecheck/warp_error.cu", "racy"),
                        ("Synccheck/divergent_threads.cu", "divergence"),
                        ("Synccheck/illegal_syncwarp.cu", "mask")):
        yield Test(pathlib.Path(file).stem, root / file, label)


def cusan(root, _graph):
    """CuSan's runtime tests that need no MPI. Each is built as it is and with -DCUSAN_SYNC; what is to be found stands in
    the CHECK lines of the prefix that the run of the build names."""
    for path in sorted((root / "test" / "runtime").glob("*.c")):
        text = path.read_text(encoding="utf-8", errors="replace")
        if re.search(r"^#include .*mpi", text, re.M):
            continue
        runs = re.findall(r"^//\s*RUN:(.*)", text, re.M)
        for build, run in zip(runs[::2], runs[1::2]):
            prefix = (re.search(r"--check-prefix[= ](\S+)", run) or [0, "CHECK"])[1]
            is_racy = re.search(rf"{prefix}(-DAG|-NEXT)?: .*data race", text)
            sync = "-DCUSAN_SYNC" in build
            yield Test(path.stem + ("-sync" if sync else ""), path, "racy" if is_racy else "clean",
                       compiler=("-include", "stdio.h", "--extended-lambda", *(["-DCUSAN_SYNC"] if sync else [])))


SETS = {"cusan": cusan, "indigo": indigo, "scor": scor, "scor-apps": scor_apps, "gpuverify": gpuverify, "sanitizer": sanitizer}


def wanted_slugs(label):
    return {"racy": RACES, "bounds": ("mem-bounds",), "divergence": ("barrier-", "deadlock-"),
            "mask": ("warp-mask",)}.get(label, ())
