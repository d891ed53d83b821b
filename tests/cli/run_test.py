#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run, check, build and ptx as a user calls them. Usage: run_test.py WARPFENCE [unittest arguments]"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

WARPFENCE = os.path.abspath(sys.argv[1])
DATA = pathlib.Path(__file__).resolve().parent / "data"
NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


PRELOAD = os.environ.get("WF_TEST_PRELOAD") # a sanitizer, which programs that are started without the command need


def call(*words, env=None, cwd=DATA):
    preload = {"LD_PRELOAD": PRELOAD, "ASAN_OPTIONS": "detect_leaks=0"} if PRELOAD and isinstance(words[0], pathlib.Path) else {}
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=100, cwd=cwd,
                          env={**os.environ, "WARPFENCE_CC": "clang", **preload, **(env or {})})
    # The linker has an opinion on a sanitizer's library.
    err = "".join(line for line in done.stderr.splitlines(True) if "/libasan.so" not in line)
    return done.returncode, done.stdout, err


def warpfence(*words, **more):
    return call(WARPFENCE, *words, **more)


def on_terminal(*words):
    """Runs with a terminal for standard error; what came there."""
    ours, theirs = os.openpty()
    env = {**os.environ, "WARPFENCE_CC": "clang", "NO_COLOR": "1"}
    with subprocess.Popen([str(w) for w in words], stderr=theirs, cwd=DATA, env=env) as child:
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 4096):
                said += piece
        except OSError: # the other end is closed
            pass
        os.close(ours)
        child.wait(timeout=100)
    return said.decode()


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Progress(unittest.TestCase):
    LINE = r"warpfence: 2 s, launch 1 \(\w*fill\w*\), block 4 of 4, 0 findings so far"

    def test_asked_for(self):
        code, _, err = warpfence("check", "--progress=always", "slow.cu")
        self.assertEqual(code, 0)
        self.assertRegex(err, self.LINE + r"\n")
        self.assertTrue(err.endswith("warpfence: no findings in 1 launch\n"), err)

    def test_on_a_terminal(self):
        said = on_terminal(WARPFENCE, "check", "slow.cu")
        self.assertRegex(said, r"\r\x1b\[K" + self.LINE)
        self.assertRegex(said, r"\r\x1b\[Kwarpfence: no findings in 1 launch") # the line is gone

    def test_elsewhere(self):
        self.assertEqual(warpfence("check", "slow.cu")[2], "warpfence: no findings in 1 launch\n")
        self.assertNotIn(" s, launch", on_terminal(WARPFENCE, "check", "--progress=never", "slow.cu"))


class Run(Folder):
    def test_arguments(self):
        self.assertEqual(warpfence("run", "args.cu"), (0, "sum 64, word 0, other 0:\n", ""))
        self.assertEqual(warpfence("run", "args.cu", "7", "--gpu", "a b"),
                         (7, "sum 256, word 0, other 0: [7] [--gpu] [a b]\n", ""))
        self.assertEqual(warpfence("run", "args.cu", "0", "--", "-DWORD=5"),
                         (0, "sum 128, word 5, other 0: [0]\n", ""))
        self.assertEqual(warpfence("run", "args.cu", "0", "--", "x", "--", "-DWORD=5"),
                         (0, "sum 256, word 5, other 0: [0] [--] [x]\n", ""))

    def test_several_sources(self):
        self.assertEqual(warpfence("run", "args.cu", "--", "-DOTHER", "other.cpp", "-D", "WORD=3"),
                         (0, "sum 64, word 3, other 17:\n", ""))

    def test_build(self):
        app = self.folder / "app"
        self.assertEqual(warpfence("build", "args.cu", "-o", app, "--", "-DWORD=9"), (0, "", ""))
        self.assertEqual(call(app, "3"), (3, "sum 128, word 9, other 0: [3]\n", ""))
        self.assertEqual(warpfence("run", app, "4"), (4, "sum 128, word 9, other 0: [4]\n", ""))
        self.assertEqual(warpfence("run", "./app", cwd=self.folder)[0], 0)
        self.assertEqual(warpfence("run", "app", cwd=self.folder)[0], 0)

    def test_script(self):
        app, script = self.folder / "app", self.folder / "script"
        warpfence("build", "args.cu", "-o", app)
        script.write_text(f"#!/bin/sh\n{app} 0 \"$@\"\n")
        script.chmod(0o755)
        self.assertEqual(warpfence("run", script, "z")[1], "sum 192, word 0, other 0: [0] [z]\n")

    def test_broken_source(self):
        bad = self.folder / "bad.cu"
        bad.write_text("int main( { }\n")
        code, out, err = warpfence("run", bad)
        self.assertEqual((code, out), (3, ""))
        self.assertIn("bad.cu:1:", err)
        self.assertIn("warpfence: ", err)

    @unittest.skipUnless(NVCC, "nvcc is not installed")
    def test_nvcc_programs(self):
        app = self.folder / "app"
        nvcc = [NVCC, "-arch=sm_90", DATA / "args.cu", "-o", app]
        self.assertEqual(call(*nvcc)[0], 0)
        code, _, err = warpfence("run", app)
        self.assertEqual(code, 3)
        self.assertIn("-cudart shared", err)
        self.assertEqual(call(*nvcc, "-cudart", "shared")[0], 0)
        self.assertEqual(warpfence("run", app, "2"), (2, "sum 128, word 0, other 0: [2]\n", ""))


class Ptx(Folder):
    def scale(self, *words):
        return warpfence("run", "kernels.ptx", "--kernel", "scale", "--arg", "buf:8xf32=iota", "--arg",
                         "out:8xf32", "--arg", "f32:0.5", *words)

    def test_kernel(self):
        self.assertEqual(self.scale("--grid", "2", "--block", "4"),
                         (0, "argument 2: 0 1.5 3 4.5 6 7.5 9 10.5\n", ""))

    def test_mistakes(self):
        for words, says in ((["--grid", "0"], "--grid"), (["--block", "2000"], "1024"),
                            (["--arg", "s32:1"], "3 arguments"), (["--kernel", "nope"], "nope")):
            code, out, err = self.scale(*words)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(says, err)
        code, _, err = warpfence("run", "kernels.ptx")
        self.assertEqual(code, 2)
        self.assertIn("--kernel", err)

    def test_fault(self):
        words = ["kernels.ptx", "--kernel=beyond", "--arg=buf:16xu32"]
        code, _, err = warpfence("run", *words)
        self.assertEqual(code, 1, err)
        self.assertIn("mem-bounds", err)
        self.assertEqual(warpfence("check", *words)[0], 66)

    def test_bad_text(self):
        bad = self.folder / "bad.ptx"
        bad.write_text(".version 8.0\n.target sm_90\n.address_size 64\n.entry f() { addd.s32 1; }\n")
        code, out, err = warpfence("run", bad)
        self.assertEqual((code, out, err.count("\n")), (3, "", 1), err)
        self.assertIn("bad.ptx:4:", err)

    def test_show(self):
        code, out, _ = warpfence("ptx", "args.cu")
        self.assertEqual(code, 0)
        self.assertIn(".entry _Z3addPii", out)
        code, _, err = warpfence("ptx", "--dump=ir", "args.cu")
        self.assertEqual(code, 0)
        self.assertIn("_Z3addPii", err)
        code, _, err = warpfence("ptx", "--dump=asm", "args.cu")
        self.assertEqual(code, 0)
        self.assertIn(".globl", err)


class Check(Folder):
    def report(self, *words):
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        result = warpfence("check", "--format=json", f"--output={path}", *words)
        return result, json.loads(path.read_text()) if path.exists() else None

    def test_codes(self):
        self.assertEqual(warpfence("check", "args.cu")[0], 0)
        self.assertEqual(warpfence("check", "args.cu", "5")[0], 5)
        self.assertEqual(warpfence("check", "ends.cu")[0], 66)
        self.assertEqual(warpfence("check", "ends.cu", "5")[0], 66)
        self.assertEqual(warpfence("check", "--error-exitcode=12", "ends.cu")[0], 12)

    def test_run_tells_too(self):
        code, out, err = warpfence("run", "ends.cu")
        self.assertEqual(out, "done\n")
        self.assertIn("barrier-divergence", err)
        self.assertEqual(code, 0)

    def test_finding(self):
        (code, out, _), report = self.report("ends.cu")
        self.assertEqual((code, out), (66, "done\n"))
        self.assertEqual([f["slug"] for f in report["findings"]], ["barrier-divergence"])

    def test_ends(self):
        for how in ("abort", "segv"):
            (code, out, _), report = self.report("ends.cu", how)
            self.assertEqual((code, out), (66, "done\n"), how)
            self.assertEqual(len(report["findings"]), 1)
        (code, _, _), report = self.report("ends.cu", "int")
        self.assertEqual(code, -signal.SIGINT)
        self.assertEqual(len(report["findings"]), 1)
        (code, _, _), report = self.report("ends.cu", "fork")
        self.assertEqual(code, 66)
        code, out, err = warpfence("check", "ends.cu", "fork")
        self.assertEqual(err.count("barrier-divergence"), 1)

    def test_formats(self):
        for form, mark in (("json", "{"), ("sarif", "{"), ("junit", "<?xml"), ("text", "done")):
            code, out, _ = warpfence("check", f"--format={form}", "ends.cu")
            self.assertEqual(code, 66)
            self.assertTrue(out.removeprefix("done\n").startswith(mark) or form == "text", out)

    def test_suppressed(self):
        rules = self.folder / "rules"
        rules.write_text("barrier-divergence ends.cu\n")
        self.assertEqual(warpfence("check", f"--suppressions={rules}", "ends.cu")[0], 0)
        rules.write_text("no-such-slug\n")
        code, _, err = warpfence("check", f"--suppressions={rules}", "ends.cu")
        self.assertEqual(code, 2)
        self.assertIn("rules:1", err)

    def test_same_report_twice(self):
        first, second = (warpfence("check", "--no-cache", f"-j{n}", "ends.cu")[2] for n in (1, 2))
        self.assertEqual(first, second)

    def test_without_the_command(self):
        app = self.folder / "app"
        warpfence("build", "--check-build", "ends.cu", "-o", app)
        self.assertEqual(call(app, env={"WARPFENCE_MODE": "check"})[0], 66)
        code, _, err = call(app, env={"WARPFENCE_MODE": "chek"})
        self.assertEqual(code, 2)
        self.assertIn("WARPFENCE_MODE", err)

    def test_output_is_found_from_any_folder(self):
        code, _, err = warpfence("check", "--output=/no/such/folder/x.json", "args.cu")
        self.assertEqual(code, 3)
        self.assertIn("/no/such/folder/x.json", err)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
