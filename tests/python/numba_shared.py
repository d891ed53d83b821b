# SPDX-License-Identifier: Apache-2.0
# Shared memory, atomics, barriers, cuda.grid; values against numpy.
# needs: numba.cuda
# expect: clean
# stdout: PASS
import numpy as np
from numba import cuda, int32


@cuda.jit
def histogram(x, out):
    i = cuda.grid(1)
    local = cuda.shared.array(16, int32)
    if cuda.threadIdx.x < 16:
        local[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    if i < x.size:
        cuda.atomic.add(local, x[i] % 16, 1)
    cuda.syncthreads()
    if cuda.threadIdx.x < 16:
        cuda.atomic.add(out, cuda.threadIdx.x, local[cuda.threadIdx.x])


@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((8, 8), int32)
    x, y = cuda.grid(2)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    cuda.syncthreads()
    b[cuda.blockIdx.x * 8 + cuda.threadIdx.y, cuda.blockIdx.y * 8 + cuda.threadIdx.x] = \
        tile[cuda.threadIdx.x, cuda.threadIdx.y]


@cuda.jit
def warp_sum(x, out):
    v = x[cuda.grid(1)]
    for offset in (16, 8, 4, 2, 1):
        v += cuda.shfl_down_sync(0xFFFFFFFF, v, offset)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, v)


@cuda.reduce
def total(a, b):
    return a + b


x = np.random.default_rng(1).integers(0, 1000, 4096).astype(np.int32)
bins = cuda.to_device(np.zeros(16, np.int32))
histogram[32, 128](cuda.to_device(x), bins)
assert (bins.copy_to_host() == np.bincount(x % 16, minlength=16)).all()

a = np.arange(16 * 24, dtype=np.int32).reshape(16, 24)
b = cuda.device_array((24, 16), np.int32)
transpose[(3, 2), (8, 8)](cuda.to_device(a), b)
assert (b.copy_to_host() == a.T).all()

s = cuda.to_device(np.zeros(1, np.int32))
warp_sum[8, 512](cuda.to_device(x), s)
assert s.copy_to_host()[0] == x.sum()
assert total(x) == x.sum()

stream = cuda.stream()
with stream.auto_synchronize():
    d = cuda.to_device(x, stream=stream)
    bins = cuda.to_device(np.zeros(16, np.int32), stream=stream)
    histogram[32, 128, stream](d, bins)
    back = bins.copy_to_host(stream=stream)
assert back.sum() == x.size
start, end = cuda.event(), cuda.event()
start.record()
end.record()
end.synchronize()
assert cuda.event_elapsed_time(start, end) >= 0
print("PASS")
