# SPDX-License-Identifier: MIT
"""gpustat: this process and its memory are in its list."""
import ctypes
import os

import gpustat

cuda, context, memory = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0 and cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64 << 20)) == 0
gpu = gpustat.new_query()[0]
assert gpu.memory_used >= 64 and gpu.memory_total > gpu.memory_used
mine = [process for process in gpu.processes if process["pid"] == os.getpid()]
assert mine and mine[0]["gpu_memory_usage"] >= 64, gpu.processes
