# SPDX-License-Identifier: Apache-2.0
# A missing barrier and a lost update; the findings name lines of this file.
# needs: numba.cuda
# expect: race-shared @16 @17
# expect: race-global|race-warp @22
import numpy as np
from numba import cuda, int32


@cuda.jit(lineinfo=True)
def turn(a):
    s = cuda.shared.array(64, int32)
    i = cuda.threadIdx.x
    s[i] = 0
    cuda.syncthreads()
    s[i] = a[i]
    a[i] = s[63 - i]


@cuda.jit(lineinfo=True)
def count(out):
    out[0] += 1


d = cuda.to_device(np.arange(64, dtype=np.int32))
turn[1, 64](d)
count[2, 64](d)
cuda.synchronize()
