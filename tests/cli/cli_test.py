#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line: every mistake gives one sentence and exit code 2, every command its help.
Usage: cli_test.py WARPFENCE [unittest arguments]"""
import os
import subprocess
import sys
import tempfile
import unittest

WARPFENCE = os.path.abspath(sys.argv[1])


def call(*words, env=None):
    done = subprocess.run([WARPFENCE, *words], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **(env or {})})
    return done.returncode, done.stdout, done.stderr


class Usage(unittest.TestCase):
    def mistake(self, *words, says, env=None):
        code, out, err = call(*words, env=env)
        self.assertEqual((code, out, err.count("\n")), (2, "", 1), (words, err))
        self.assertIn(says, err)
        self.assertTrue(err.startswith("warpfence: error: "), err)

    def test_mistakes(self):
        self.mistake("chek", "x.cu", says="no command chek")
        self.mistake("run", says="a program is missing")
        self.mistake("run", "--gpu=t4", says="a program is missing")
        self.mistake("run", "--gpu", "voodoo", "x.cu", says="voodoo")
        self.mistake("run", "--gpuu=t4", "x.cu", says="did you mean --gpu?")
        self.mistake("run", "--format=json", "x.cu", says="unknown option --format")
        self.mistake("check", "--format=xml", "x.cu", says="text|json|sarif|junit")
        self.mistake("check", "--error-exitcode=0", "x.cu", says="1..255")
        self.mistake("check", "--workers", "many", "x.cu", says="whole number")
        self.mistake("check", "--output", says="--output wants a value")
        self.mistake("check", "x.cu", env={"WARPFENCE_HANG_MS": "soon"}, says="WARPFENCE_HANG_MS")
        self.mistake("build", says="a source is missing")
        self.mistake("build", "-o", "x", says="a source is missing")
        self.mistake("ptx", says="a file is missing")
        self.mistake("ptx", "no-such-file.cu", says="no-such-file.cu")
        self.mistake("explain", "WF999", says="WF999")
        self.mistake("explain", "race", "shared", says="one finding at a time")
        self.mistake("doctor", "now", says="no arguments")

    def test_no_arguments(self):
        code, out, err = call()
        self.assertEqual((code, out), (2, ""))
        self.assertIn("warpfence check", err)

    def test_missing_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            lib = os.path.join(folder, "libcudart.so.13")
            with open(lib, "w", encoding="utf-8"):
                pass
            here = {"WARPFENCE_LIB_DIR": folder}
            self.mistake("run", "no-such-file.cu", env=here, says="no file no-such-file.cu")
            self.mistake("run", "no-such-file.ptx", env=here, says="no file no-such-file.ptx")
            self.mistake("run", "no-such-program", env=here, says="no file no-such-program")
            ptx = os.path.join(folder, "k.ptx")
            with open(ptx, "w", encoding="utf-8") as f:
                f.write(".version 8.0\n.target sm_90\n.address_size 64\n")
            self.mistake("run", ptx, "--grd=4", env=here, says="did you mean --grid?")
            self.mistake("run", ptx, "--grid=4", "12", env=here, says="by --arg, not as '12'")
            self.mistake("run", ptx, "--", "-O2", env=here, says="by --arg, not as '-O2'")
            self.mistake("run", folder, env=here, says="is no CUDA source")


class Help(unittest.TestCase):
    def test_help(self):
        for words in (["--help"], ["help"], ["-h"]):
            code, out, err = call(*words)
            self.assertEqual((code, err), (0, ""))
            self.assertIn("warpfence check", out)
        for command in ("run", "check", "build", "ptx", "explain", "doctor"):
            for words in ([command, "--help"], ["help", command], [command, "-h"]):
                code, out, err = call(*words)
                self.assertEqual((code, err), (0, ""), words)
                self.assertTrue(out.startswith(f"usage: warpfence {command}"), out)

    def test_version(self):
        code, out, _ = call("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^warpfence \d+\.\d+\.\d+\n$")

    def test_explain(self):
        code, listed, _ = call("explain")
        self.assertEqual(code, 0)
        for word in ("WF010", "wf10", "10", "barrier-divergence"):
            code, out, _ = call("explain", word)
            self.assertEqual(code, 0)
            self.assertIn("WF010", out)
        self.assertIn("barrier-divergence", listed)

    def test_doctor(self):
        code, out, _ = call("doctor")
        self.assertIn(code, (0, 3))
        self.assertIn("clang", out)
        self.assertEqual(code == 3, "cannot be run yet" in out)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
