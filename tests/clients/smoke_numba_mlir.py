# SPDX-License-Identifier: MIT
"""numba-cuda-mlir: the kernel of smoke_numba.py, which MLIR compiles."""
import numpy as np
from numba_cuda_mlir import cuda


@cuda.jit
def sums(values, total):
    part = cuda.shared.array(1, np.int32)
    if cuda.threadIdx.x == 0:
        part[0] = 0
    cuda.syncthreads()
    at = cuda.grid(1)
    if at < values.size:
        cuda.atomic.add(part, 0, values[at])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cuda.atomic.add(total, 0, part[0])


values = np.arange(1000, dtype=np.int32)
total = cuda.to_device(np.zeros(1, np.int32))
sums[8, 128](cuda.to_device(values), total)
assert total.copy_to_host()[0] == values.sum()
