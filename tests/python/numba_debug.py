# SPDX-License-Identifier: Apache-2.0
# debug=True: nothing is optimized, and errors of the kernel reach Python; the race is named by line.
# needs: numba.cuda
# expect: race-global @15
# allow: race-warp
# stdout: PASS
import numpy as np
from numba import cuda


@cuda.jit(debug=True, opt=False)
def last(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[0] = a[i]


d = cuda.to_device(np.full(64, 7, np.int32))
out = cuda.device_array(1, np.int32)
last[2, 32](d, out)
assert out.copy_to_host()[0] == 7
print("PASS")
