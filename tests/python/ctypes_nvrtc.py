# SPDX-License-Identifier: Apache-2.0
# A program that has NVRTC make PTX of a source in a string, whose lines count from there. NVRTC is NVIDIA's and
# may not be there.
# expect: race-shared @17 @18
# allow: mem-uninit
# stdout: PASS
import ctypes
import ctypes.util
import glob
import shutil
import sys

SOURCE = """












extern "C" __global__ void turn(int *out)
{
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x + 100;
    out[threadIdx.x] = s[63 - threadIdx.x];
}
"""

names = ["libnvrtc.so.13", "libnvrtc.so.12", *glob.glob("/usr/local/cuda*/lib64/libnvrtc.so.1?")]
nvrtc = None
for name in names:
    try:
        nvrtc = ctypes.CDLL(name)
        break
    except OSError:
        pass
if not nvrtc:
    print("skipped: libnvrtc (NVIDIA's run-time compiler) is not installed")
    sys.exit(77)
cuda = ctypes.CDLL("libcuda.so.1")


def call(library, name, *args):
    error = getattr(library, name)(*args)
    assert error == 0, f"{name} gives {error}"


program, size = ctypes.c_void_p(), ctypes.c_size_t()
if not shutil.which("nvcc") and nvrtc.nvrtcVersion(ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_int())):
    print("skipped: no CUDA toolkit, whose run-time compiler Warpfence's libnvrtc hands programs on to")
    sys.exit(77)
call(nvrtc, "nvrtcCreateProgram", ctypes.byref(program), SOURCE.encode(), __file__.encode(), 0, None, None)
options = (ctypes.c_char_p * 2)(b"-arch=compute_90", b"-lineinfo")
call(nvrtc, "nvrtcCompileProgram", program, 2, options)
call(nvrtc, "nvrtcGetPTXSize", program, ctypes.byref(size))
ptx = ctypes.create_string_buffer(size.value)
call(nvrtc, "nvrtcGetPTX", program, ptx)

context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
out = ctypes.c_uint64()
call(cuda, "cuInit", 0)
call(cuda, "cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call(cuda, "cuCtxSetCurrent", context)
call(cuda, "cuModuleLoadData", ctypes.byref(module), ptx)
call(cuda, "cuModuleGetFunction", ctypes.byref(function), module, b"turn")
call(cuda, "cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(256))
args = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(out), ctypes.c_void_p))
call(cuda, "cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, args, None)
call(cuda, "cuCtxSynchronize")
print("PASS")
