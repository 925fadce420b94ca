# SPDX-License-Identifier: MIT
"""nvitop: this process and its memory are in its list."""
import ctypes
import os

import nvitop

cuda, context, memory = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0 and cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64 << 20)) == 0
device = nvitop.Device(0)
assert device.memory_used() >= 64 << 20 and device.memory_total() > device.memory_used()
assert device.processes()[os.getpid()].gpu_memory() >= 64 << 20
