#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark runs at a tiny size: every rival gives right results, checking finds no error in its
kernels, and the tables can be drawn from what was measured. Times are not looked at."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOST = ROOT / "bench" / "host"
sys.path.insert(0, str(HOST))

import tables  # noqa: E402

TOOL = sys.argv.pop() if len(sys.argv) > 1 else None


class Bench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measured(self, kind, *options):
        out = self.folder / f"host-{kind}-2000-01-01.json"
        subprocess.run([sys.executable, HOST / "run.py", kind, "--warpfence", TOOL, "--rounds", "1", "--output", out,
                        *options], check=True, timeout=500, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text(encoding="utf-8"))

    def test_speed(self):
        result = self.measured("speed", "--log2n", "12")
        self.assertEqual(len(result["rows"]), 10)
        self.assertIn("| `scan_block` |", "\n".join(tables.speed(result)))
        self.assertEqual(result["command"], "python3 bench/host/run.py speed --rounds 1 --log2n 12")

    def test_check(self):
        result = self.measured("check", "--log2n", "12")
        self.assertEqual(len(result["rows"]), 16)
        self.assertEqual([r["job"] for r in result["rows"] if "error" in r], [])
        for name, end in result["programs"].items():
            self.assertEqual(end.get("exit_code"), 0, f"{name}: {end}")
        self.assertIn("geometric mean", "\n".join(tables.check(result)))

    @unittest.skipUnless(shutil.which("oclgrind"), "Oclgrind is not installed")
    def test_oclgrind(self):
        result = self.measured("oclgrind", "--log2n", "12", "--jobs", "vector_add")
        self.assertIn("`vector_add`", "\n".join(tables.oclgrind(result)))

    def test_marks(self):
        page = "\n".join(f"<!-- {kind} -->\n<!-- end {kind} -->" for kind in tables.DRAWERS)
        self.assertIn("<!-- end speed -->", tables.drawn(page))
        with self.assertRaises(SystemExit):
            tables.drawn(page.replace("<!-- end speed -->", ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
