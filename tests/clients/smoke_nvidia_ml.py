# SPDX-License-Identifier: MIT
"""nvidia-ml-py: the device of NVML is the one of the driver."""
import ctypes

import pynvml

pynvml.nvmlInit()
cuda, name, total = ctypes.CDLL("libcuda.so.1"), ctypes.create_string_buffer(256), ctypes.c_size_t()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGetName(name, 256, 0) == 0 and cuda.cuDeviceTotalMem_v2(ctypes.byref(total), 0) == 0
device = pynvml.nvmlDeviceGetHandleByIndex(0)
assert pynvml.nvmlDeviceGetName(device) == name.value.decode()
assert pynvml.nvmlDeviceGetMemoryInfo(device).total == total.value
version = ctypes.c_int()
assert cuda.cuDriverGetVersion(ctypes.byref(version)) == 0 and pynvml.nvmlSystemGetCudaDriverVersion() == version.value
pynvml.nvmlShutdown()
