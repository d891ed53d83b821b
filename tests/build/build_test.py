#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Warpfence in nvcc's place: the projects of examples/ci, by CMake and by make, and nvcc's command line word by word.
Usage: build_test.py WARPFENCE nvcc|clang CMAKE"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

WARPFENCE, WAY, CMAKE = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
CI = pathlib.Path(__file__).resolve().parents[2] / "examples/ci"
SKIP = 77


def environment():
    env = {k: v for k, v in os.environ.items() if not k.startswith("WARPFENCE_") and k not in ("CUDACXX", "NVCC")}
    env["PATH"] = os.path.dirname(WARPFENCE) + os.pathsep + env["PATH"]
    if WAY == "clang": # as on a machine without nvcc
        keep = [d for d in env["PATH"].split(os.pathsep) if not os.path.exists(os.path.join(d, "nvcc"))]
        env["PATH"] = os.pathsep.join(keep)
    elif not shutil.which("nvcc"):
        env["PATH"] += os.pathsep + "/usr/local/cuda/bin"
    return env


ENV = environment()


def call(*words, cwd, code=0, **extra):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300, env={**ENV, **extra})
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}, not {code}\n"
                             f"{done.stdout[-2500:]}\n{done.stderr[-2500:]}")
    return done


TOOLKIT = call(WARPFENCE, "toolkit", cwd="/").stdout.strip()
NVCC = TOOLKIT + "/bin/nvcc"


class Build(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="wf-build-"))
        self.addCleanup(shutil.rmtree, self.dir)
        shutil.copytree(CI, self.dir / "ci")
        self.cmake, self.make = self.dir / "ci/cmake", self.dir / "ci/make"

    def configure(self, *more):
        call(CMAKE, "-S", self.cmake, "-B", self.dir / "b", f"-DCMAKE_CUDA_COMPILER={NVCC}",
             "-DCMAKE_CROSSCOMPILING_EMULATOR=warpfence;check", "-DCMAKE_TEST_LAUNCHER=warpfence;check", *more,
             cwd=self.dir)
        call(CMAKE, "--build", self.dir / "b", cwd=self.dir)

    def ctest(self, code=0, **extra):
        return call("ctest", "--test-dir", self.dir / "b", "--output-on-failure", cwd=self.dir, code=code, **extra)

    def test_cmake(self):
        self.configure("-DCMAKE_BUILD_TYPE=Release")
        self.ctest()
        call("warpfence", "run", self.dir / "b/sum_test", cwd=self.dir)

    def test_cmake_finds_the_fault(self):
        self.configure("-DCMAKE_CUDA_FLAGS=-DBREAK_IT")
        out = self.ctest(code=8, WARPFENCE_FORMAT="sarif", WARPFENCE_OUTPUT=str(self.dir / "%p.sarif"))
        self.assertIn("Failed", out.stdout)
        reports = list(self.dir.glob("*.sarif"))
        self.assertEqual(len(reports), 1)
        results = json.loads(reports[0].read_text())["runs"][0]["results"]
        self.assertEqual({r["level"] for r in results if r["level"] == "error"}, {"error"})
        place = results[0]["locations"][0]["physicalLocation"]
        self.assertTrue(place["artifactLocation"]["uri"].endswith("sum.cu"))

    def test_cmake_static_runtime(self):
        self.configure("-DCMAKE_CUDA_RUNTIME_LIBRARY=Static", "-DCMAKE_CUDA_ARCHITECTURES=75;90")
        self.ctest()

    def test_cmake_toolkit(self):
        with open(self.cmake / "CMakeLists.txt", "a", encoding="utf-8") as f:
            f.write("find_package(CUDAToolkit REQUIRED)\ntarget_link_libraries(sum PUBLIC CUDA::cudart)\n")
        self.configure()
        self.ctest()

    def test_cmake_separable(self):
        with open(self.cmake / "CMakeLists.txt", "a", encoding="utf-8") as f:
            f.write("set_target_properties(sum sum_test PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n")
            f.write("target_sources(sum PRIVATE half.cu)\n")
        kernel = (self.cmake / "sum.cu").read_text()
        kernel = kernel.replace("part[t] += part[t + half];", "part[t] += other_half(part, t, half);")
        (self.cmake / "sum.cu").write_text(kernel.replace("__global__", "__device__ int other_half(int *, int, int);\n__global__", 1))
        (self.cmake / "half.cu").write_text("__device__ int other_half(int *part, int t, int half) { return part[t + half]; }\n")
        self.configure()
        self.ctest()

    def test_headers_are_dependencies(self):
        self.configure("-G", "Ninja" if shutil.which("ninja") else "Unix Makefiles")
        before = (self.dir / "b/sum_test").stat().st_mtime_ns
        call(CMAKE, "--build", self.dir / "b", cwd=self.dir)
        self.assertEqual(before, (self.dir / "b/sum_test").stat().st_mtime_ns)
        time.sleep(1.1)
        (self.cmake / "sum.h").touch()
        out = call(CMAKE, "--build", self.dir / "b", cwd=self.dir).stdout
        self.assertIn("CUDA object", out)

    def test_static_binary_is_told(self):
        if WAY != "nvcc":
            self.skipTest("needs NVIDIA's static runtime")
        call(shutil.which("nvcc", path=ENV["PATH"]), "-I", self.cmake, "-x", "cu", self.cmake / "main.c",
             self.cmake / "sum.cu", "-o", "plain", cwd=self.dir)
        for command in ("run", "check"):
            err = call("warpfence", command, "./plain", cwd=self.dir, code=3).stderr
            self.assertIn("NVIDIA's runtime library, linked statically", err)
            self.assertIn("-cudart shared", err)
            self.assertIn("warpfence build", err)
        direct = {**ENV, "LD_LIBRARY_PATH": TOOLKIT + "/lib64"}
        if "WF_TEST_PRELOAD" in ENV: # a sanitizer, which the command would have preloaded
            direct["LD_PRELOAD"] = ENV["WF_TEST_PRELOAD"]
        err = subprocess.run(["./plain"], cwd=self.dir, capture_output=True, text=True, timeout=60, env=direct).stderr
        self.assertIn("-cudart shared", err) # by our libcuda, when started without the command

    def test_make(self):
        for words in (["NVCC=warpfence build"], [f"CUDA_PATH={TOOLKIT}"]):
            call("make", *words, "RUN=warpfence check", "test", cwd=self.make)
            call("make", "clean", cwd=self.make)
        call("make", "NVCC=warpfence build", "NVCCFLAGS=-DBREAK_IT", "RUN=warpfence check", "test", cwd=self.make, code=2)

    def test_words(self):
        source = self.cmake / "sum.cu"
        out = call(NVCC, "--version", cwd=self.dir).stdout
        self.assertRegex(out, r"nvcc: NVIDIA \(R\) Cuda compiler driver")
        self.assertRegex(out, r"release \d+\.\d+, V\d+\.\d+\.\d+")
        out = call(NVCC, "-dryrun", source, cwd=self.dir).stderr
        self.assertIn("#$ TOP=", out)
        self.assertIn("#$ LIBRARIES=", out)
        self.assertFalse((self.dir / "a.out").exists())
        (self.dir / "words").write_text(f'-I"{self.cmake}" -DONE=\'1\'\n -c\n')
        call(NVCC, "--options-file", "words", "-x", "cu", source, cwd=self.dir)
        self.assertTrue((self.dir / "sum.o").exists())
        call(NVCC, "-MD", "-MF", "d", "-MT", "target", "-c", source, "-o", "x.o", "-Xcompiler=-fPIC,-Wall",
             f"-isystem={self.cmake}", "-std=c++17", "--generate-code=arch=compute_75,code=[compute_75,sm_75]", cwd=self.dir)
        text = (self.dir / "d").read_text()
        self.assertTrue(text.startswith("target"))
        self.assertIn("sum.h", text)
        self.assertIn("sum.h", call(NVCC, "-M", source, cwd=self.dir).stdout)
        call(NVCC, "-ptx", source, "-arch=sm_90", cwd=self.dir)
        self.assertIn(".entry", (self.dir / "sum.ptx").read_text())
        call(NVCC, "-cubin", source, "-o", "sum.cubin", cwd=self.dir)
        self.assertEqual((self.dir / "sum.cubin").read_bytes()[:4], b"\x50\xed\x55\xba") # a fat binary, with PTX
        self.assertIn("sum_kernel", call(NVCC, "-E", source, cwd=self.dir).stdout)
        call(NVCC, "-lib", "-o", "libsum.a", "x.o", cwd=self.dir)
        (self.dir / "main.cu").write_text((self.cmake / "main.c").read_text())
        call(NVCC, "-I", self.cmake, "main.cu", "libsum.a", "-o", "prog", "-lcudart", cwd=self.dir)
        call("warpfence", "check", "./prog", cwd=self.dir)
        call(NVCC, "-shared", "-Xcompiler", "-fPIC", "-o", "libsum.so", source, cwd=self.dir)
        call(NVCC, "-c", "none.cu", cwd=self.dir, code=1 if WAY == "nvcc" else 3)


if __name__ == "__main__":
    if WAY == "nvcc" and not shutil.which("nvcc", path=ENV["PATH"]):
        print("skipped: nvcc is not installed")
        sys.exit(SKIP)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
