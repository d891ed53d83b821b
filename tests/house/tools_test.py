#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tools see what they are there to see: each check is shown a fault."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

import check_layers  # noqa: E402
import check_size  # noqa: E402
import check_symbols  # noqa: E402
import check_tables  # noqa: E402
import run_case  # noqa: E402
import wfdef  # noqa: E402


class Tree(unittest.TestCase):
    """A source tree of a few files, seen by a tool as the repository."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for tool in (check_layers, check_size, check_tables, wfdef):
            old = tool.ROOT
            tool.ROOT = self.root
            self.addCleanup(setattr, tool, "ROOT", old)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_layers(self):
        self.write("src/ptx/a.c", '#include "jit/jit.h"\n#include "base/err.h"\n#include <llvm-c/Core.h>\n')
        self.write("src/ptx/b.c", '#include "err.h"\n')
        self.write("src/new/c.h", "")
        found = "\n".join(check_layers.complaints({"ptx": {"base"}}))
        self.assertIn('src/ptx may not include "jit/jit.h"', found)
        self.assertIn("only src/jit may see LLVM", found)
        self.assertIn('includes "err.h" without its folder', found)
        self.assertIn("src/new has no row", found)
        self.assertEqual(found.count("\n"), 3)

    def test_sizes(self):
        head = "// SPDX-License-Identifier: Apache-2.0\n// What it is.\n"
        self.write("CMakeLists.txt", "\n" * 149)
        self.write("src/a/long.c", head + "\n" * 900)
        self.write("src/a/bare.c", "int x;\n")
        self.write("src/a/f.c", head + "static int f(int a,\n    int b)\n{\n" + "    a++;\n" * 80 + "}\n")
        self.write("src/a/fine.c", head + "int g(void)\n{\n" + "    h();\n" * 70 + "}\n")
        found = "\n".join(check_size.complaints())
        self.assertIn("long.c: 902 lines", found)
        self.assertIn("bare.c: begins without", found)
        self.assertIn("f has 84 lines", found)
        self.assertNotIn("fine.c", found)
        self.assertNotIn("CMakeLists", found)

    def test_rows(self):
        self.write("t.def", '// X(a)\nX(A, "a,b" "c", (1 + 2), \'q\', "say \\"x\\"")\nXY(B)\nX(C)\n')
        self.assertEqual(wfdef.rows("t.def", "X"), [["A", "a,bc", "(1 + 2)", "q", 'say "x"'], ["C"]])

    def test_instructions(self):
        self.write("src/ptx/op.def", 'PTX_OP(ADD, "add", FULL)\nPTX_OP(RET, "ret", FULL)\n'
                                     'PTX_OP(BRA, "bra", FULL)\n')
        tests = "// add this; it is no test\nret;\n bra.uni L;"
        self.assertEqual([m.split()[-1] for m in check_tables.missing_ops(tests)], ["add"])


class Symbols(unittest.TestCase):
    def test_version_script(self):
        with tempfile.NamedTemporaryFile("w", suffix=".map") as f:
            f.write("V1 { global: cudaMalloc; __cuda*;\n # c;\n local: *; };\nV2 { x; } V1;\n")
            f.flush()
            self.assertEqual(check_symbols.wanted(f.name), {"cudaMalloc", "__cuda*", "x"})


def finding(slug, *lines, severity="error"):
    return {"slug": slug, "severity": severity, "sentence": "s",
            "parties": [{"location": {"file": "/d/x.cu", "line": n, "inlined_at": []}} for n in lines]}


class Cases(unittest.TestCase):
    def case(self, text, compiler="clang"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.cu"
            path.write_text(text, encoding="utf-8")
            return run_case.Case(path, compiler)

    def verdict(self, text, *findings):
        return run_case.check_findings(self.case(text), list(findings))

    def test_right_ones_pass(self):
        two = "// expect: race-shared @14 @19-20\n"
        self.assertIsNone(self.verdict(two, finding("race-shared", 20, 14)))
        self.assertIsNone(self.verdict("// expect: a|dead* @3\n", finding("deadlock-spin", 3)))
        self.assertIsNone(self.verdict("// expect: clean\n", finding("contention", 1, severity="advice")))
        self.assertIsNone(self.verdict(two + "// allow: mem-uninit\n", finding("race-shared", 14, 19),
                                       finding("mem-uninit", 3)))

    def test_wrong_ones_fail(self):
        two = "// expect: race-shared @14 @19\n"
        self.assertIn("did not report", self.verdict(two))
        self.assertIn("did not report", self.verdict(two, finding("race-shared", 14)))
        self.assertIn("did not report", self.verdict(two, finding("race-global", 14, 19)))
        self.assertIn("reported more", self.verdict(two, finding("race-shared", 14, 19), finding("trap", 1)))
        self.assertIn("reported a fault", self.verdict("// expect: clean\n", finding("trap", 1)))

    def test_lines_for_one_compiler(self):
        text = "// expect: clean\n// xfail nvcc: #5\n"
        self.assertEqual(self.case(text).all("xfail"), [])
        self.assertEqual(self.case(text, "nvcc").all("xfail"), ["#5"])


if __name__ == "__main__":
    unittest.main()
