# SPDX-License-Identifier: Apache-2.0
"""Builds the rivals of the benchmark and talks to them. A rival is a process that answers one line a
command (serve.h), so that rivals take turns within one measurement."""
import contextlib
import datetime
import json
import os
import pathlib
import platform
import re
import selectors
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HOST = pathlib.Path(__file__).resolve().parent
ROOT = HOST.parents[1]
RESULTS = ROOT / "bench" / "results"
PAUSE_S = 0.03  # a rival's idle threads stop spinning before the next one runs

JOBS = ["vector_add", "count_positive", "reduce_basic", "reduce_optimized", "reduce_shuffle", "scan_block",
        "histogram_global", "histogram_shared", "transpose", "matrix_product"]
APPS = ["backprop", "gaussian", "srad", "black_scholes", "convolution_fft", "fast_walsh"]


class Silent(Exception):
    """A rival gave no answer, or a wrong one."""


class Rival:
    """One process; `ask` gives the times of some launches in milliseconds."""

    def __init__(self, name, command, env=None, patience_s=120.0):
        self.name, self.command, self.patience_s = name, [str(c) for c in command], patience_s
        self.env = {**os.environ, **(env or {})}
        self.process = self.errors = None
        self.buffer = b""

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.buffer = b""
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, env=self.env, bufsize=0)

    def said(self):
        """What it printed on standard error."""
        self.errors.seek(0)
        return self.errors.read().decode("utf-8", "replace")

    def line(self):
        deadline = time.monotonic() + self.patience_s
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    self.kill()
                    raise Silent(f"{self.name}: no answer in {self.patience_s:g} s")
                chunk = os.read(self.process.stdout.fileno(), 65536)
                if not chunk:
                    self.process.wait()
                    raise Silent(f"{self.name}: ended with {self.process.returncode}: {self.said()[-2000:]}")
                self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def command_line(self, text):
        if self.process is None or self.process.poll() is not None:
            self.start()
        self.process.stdin.write(text.encode() + b"\n")
        reply = self.line()
        if "error" in reply:
            raise Silent(f"{self.name}: {reply['error']}")
        return reply

    def ask(self, job, n, limit_ms, most):
        reply = self.command_line(f"{job} {n} {limit_ms} {most}")
        if not reply["ok"]:
            raise Silent(f"{self.name}: {job} of {n} gave a wrong result")
        time.sleep(PAUSE_S)
        return reply["ms"]

    def median(self, job, n, limit_ms, most):
        return statistics.median(self.ask(job, n, limit_ms, most))

    def peak_mib(self):
        return self.command_line("peak")["peak_kib"] / 1024

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def end(self):
        """Ends it in peace and gives its exit code."""
        if self.process is None or self.process.poll() is not None:
            return self.process and self.process.returncode
        self.process.stdin.close()
        try:
            return self.process.wait(self.patience_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Silent(f"{self.name}: did not end in {self.patience_s:g} s") from None


@contextlib.contextmanager
def gathered(*rivals):
    try:
        yield rivals
    finally:
        for rival in rivals:
            rival.kill()


def output_of(command, default=""):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                              check=False)
    except (OSError, subprocess.TimeoutExpired):
        return default
    return done.stdout.strip() if done.returncode == 0 else default


def find_warpfence(given):
    """The tool: as given, else the release build beside the sources, else on PATH."""
    if given:
        candidates = [pathlib.Path(given)]
    else:
        candidates = [ROOT / "build" / kind / "bin" / "warpfence" for kind in ("release", "dev")]
        candidates += [pathlib.Path(p) for p in [shutil.which("warpfence")] if p]
    for path in candidates:
        if path.is_file():
            return path.resolve()
    sys.exit("error: warpfence was not found; build it (cmake --preset release && cmake --build --preset "
             "release) or say --warpfence PATH")


def build_c(name, flags, libraries, folder):
    made = folder / name
    command = ["gcc", "-std=c17", "-D_GNU_SOURCE", *flags, HOST / f"{name}.c", "-o", made, *libraries, "-lm"]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    return made if done.returncode == 0 else None


def native(folder):
    made = build_c("native", ["-O3", "-march=native", "-fopenmp"], [], folder)
    if made is None:
        sys.exit("error: gcc could not build bench/host/native.c")
    return Rival("native", [made])


def opencl(name, folder, before=()):
    """None where OpenCL's headers or the platform are missing."""
    made = build_c("opencl", ["-O2"], ["-lOpenCL"], folder)
    if made is None:
        return None
    rival = Rival(name, [*before, made, HOST / "kernels.cl"])
    try:
        rival.command_line("peak")
    except Silent:
        return None
    return rival


def warpfence(name, tool, mode, source, cc, options=()):
    return Rival(name, [tool, mode, f"--cc={cc}", *options, HOST / source])


def facts(tool, command):
    """Where, when and with what a result was made."""
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
                if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    commit = output_of(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])
    nvcc = re.search(r"release [\d.]+, V([\d.]+)", output_of(["nvcc", "--version"]))
    changed = output_of(["git", "-C", str(ROOT), "status", "--porcelain", "-uno", "--", "src", "include"])
    return {
        "date": datetime.date.today().isoformat(),
        "command": command,
        "commit": commit + (" and changes" if changed else ""),
        "machine": {"cpu": cpu, "cores": len(os.sched_getaffinity(0)), "memory_gib": round(memory, 1),
                    "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())},
        "versions": {"warpfence": output_of([str(tool), "--version"]).split("\n")[0].replace("warpfence ", ""),
                     "gcc": output_of(["gcc", "-dumpfullversion"]),
                     "nvcc": nvcc.group(1) if nvcc else "",
                     "clang": output_of(["clang-19", "--version"]).split("\n")[0]},
        "load_before": round(os.getloadavg()[0], 2),
    }


def save(kind, result, where):
    result["load_after"] = round(os.getloadavg()[0], 2)
    path = pathlib.Path(where) if where else RESULTS / f"host-{kind}-{result['date']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"kind": kind, **result}, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {path}")


def geomean(values):
    return statistics.geometric_mean(values) if values else None
