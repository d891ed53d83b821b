# SPDX-License-Identifier: Apache-2.0
# The driver API by Python's own foreign-function module, with a kernel in PTX: loaded late, checked all the same.
# The kernel's line table names this file.
# expect: race-shared @9 @10
# allow: mem-uninit
# stdout: PASS
#
# s[i] = i
# out[i] = s[63 - i]
import ctypes

PTX = f""".version 7.8
.target sm_70
.address_size 64
.visible .entry turn(.param .u64 out)
{{
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  .shared .align 4 .b8 s[256];
  .loc 1 9 1
  ld.param.u64 %d0, [out];
  cvta.to.global.u64 %d0, %d0;
  mov.u32 %r0, %tid.x;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, s;
  add.s32 %r3, %r2, %r1;
  st.shared.u32 [%r3], %r0;
  .loc 1 10 1
  sub.s32 %r4, 252, %r1;
  add.s32 %r5, %r2, %r4;
  ld.shared.u32 %r6, [%r5];
  mul.wide.u32 %d1, %r0, 4;
  add.s64 %d2, %d0, %d1;
  st.global.u32 [%d2], %r6;
  ret;
}}
.file 1 "{__file__}"
"""

cuda = ctypes.CDLL("libcuda.so.1")
SIZE = 256


def call(name, *args):
    error = getattr(cuda, name)(*args)
    assert error == 0, f"{name} gives {error}"


context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
out = ctypes.c_uint64()
assert cuda.cuCtxSynchronize() == 3  # not initialised
call("cuInit", 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
call("cuModuleLoadData", ctypes.byref(module), PTX.encode())
call("cuModuleGetFunction", ctypes.byref(function), module, b"turn")
call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(SIZE))
args = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(out), ctypes.c_void_p))
call("cuLaunchKernel", function, 1, 1, 1, 64, 1, 1, 0, None, args, None)
call("cuCtxSynchronize")
print("PASS")
