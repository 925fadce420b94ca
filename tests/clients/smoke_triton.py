# SPDX-License-Identifier: MIT
"""Triton without torch: a sum of vectors and a product of matrices, on memory that the driver allocates."""
import ctypes

import numpy as np
import triton
import triton.language as tl

cuda = ctypes.CDLL("libcuda.so.1")


class Array:
    """What Triton asks of a tensor: an address and a type."""

    def __init__(self, values):
        self.values = np.ascontiguousarray(values)
        self.dtype = getattr(tl, str(values.dtype))
        self.address = ctypes.c_uint64()
        assert cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.values.nbytes)) == 0
        assert cuda.cuMemcpyHtoD_v2(self.address, ctypes.c_void_p(self.values.ctypes.data),
                                    ctypes.c_size_t(self.values.nbytes)) == 0

    def data_ptr(self):
        return self.address.value

    def numpy(self):
        assert cuda.cuMemcpyDtoH_v2(ctypes.c_void_p(self.values.ctypes.data), self.address,
                                    ctypes.c_size_t(self.values.nbytes)) == 0
        return self.values


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def matmul(x, y, out, N: tl.constexpr):
    row, column = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    product = tl.dot(tl.load(x + row * N + column), tl.load(y + row * N + column))
    tl.store(out + row * N + column, product)


cuda.cuInit(0)
context = ctypes.c_void_p()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
a, b = np.random.rand(1000).astype(np.float32), np.random.rand(1000).astype(np.float32)
x, y, out = Array(a), Array(b), Array(np.zeros_like(a))
add[(8,)](x, y, out, 1000, BLOCK=128)
assert np.array_equal(out.numpy(), a + b)
a, b = np.random.rand(32, 32).astype(np.float16), np.random.rand(32, 32).astype(np.float16)
x, y, out = Array(a), Array(b), Array(np.zeros((32, 32), np.float32))
matmul[(1,)](x, y, out, N=32)
assert np.allclose(out.numpy(), a.astype(np.float32) @ b.astype(np.float32), atol=1e-3)
