# SPDX-License-Identifier: MIT
"""PyCUDA: nvcc --cubin with our ptxas."""
import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

module = SourceModule("__global__ void twice(float *p) { p[threadIdx.x] *= 2; }")
values = np.arange(32, dtype=np.float32)
module.get_function("twice")(drv.InOut(values), block=(32, 1, 1), grid=(1, 1))
assert (values == 2 * np.arange(32)).all()
