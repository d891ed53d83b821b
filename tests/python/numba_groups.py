# SPDX-License-Identifier: Apache-2.0
# Cooperative groups: the grid's barrier orders what its blocks have written.
# needs: numba.cuda
# expect: clean
# stdout: PASS
import numpy as np
from numba import cuda


@cuda.jit
def two_phases(a, b):
    grid = cuda.cg.this_grid()
    i = cuda.grid(1)
    a[i] = i
    grid.sync()
    b[i] = a[a.size - 1 - i]


n = 512
a, b = cuda.device_array(n, np.int32), cuda.device_array(n, np.int32)
two_phases[4, 128](a, b)
assert (b.copy_to_host() == np.arange(n)[::-1]).all()
print("PASS")
