# SPDX-License-Identifier: MIT
"""cuda.bindings: NVRTC makes LTO-IR of two sources, nvJitLink links them, and the driver launches the cubin."""
import numpy as np
from cuda.bindings import driver, nvjitlink, nvrtc

KERNEL = b'extern "C" __device__ int thrice(int); extern "C" __global__ void go(int *p) { p[threadIdx.x] = thrice(p[threadIdx.x]); }'
FUNCTION = b'extern "C" __device__ int thrice(int x) { return 3 * x; }'
SIZE = 32


def ask(result, *values):
    assert result == 0, result
    return values[0] if len(values) == 1 else values


def compile_lto(source):
    program = ask(*nvrtc.nvrtcCreateProgram(source, b"source.cu", 0, [], []))
    options = [b"-arch=sm_80", b"-dlto", b"-rdc=true"]
    ask(*nvrtc.nvrtcCompileProgram(program, len(options), options))
    image = b" " * ask(*nvrtc.nvrtcGetLTOIRSize(program))
    ask(*nvrtc.nvrtcGetLTOIR(program, image))
    ask(*nvrtc.nvrtcDestroyProgram(program))
    return image


assert nvjitlink.version()[0] == ask(*nvrtc.nvrtcVersion())[0]
link = nvjitlink.create(2, ["-arch=sm_80", "-lto"])
for source in (KERNEL, FUNCTION):
    image = compile_lto(source)
    nvjitlink.add_data(link, nvjitlink.InputType.LTOIR, image, len(image), "source")
nvjitlink.complete(link)
cubin = bytearray(nvjitlink.get_linked_cubin_size(link))
nvjitlink.get_linked_cubin(link, cubin)
nvjitlink.destroy(link)

ask(*driver.cuInit(0))
ask(*driver.cuCtxSetCurrent(ask(*driver.cuDevicePrimaryCtxRetain(0))))
function = ask(*driver.cuModuleGetFunction(ask(*driver.cuModuleLoadData(bytes(cubin))), b"go"))
values = np.arange(SIZE, dtype=np.int32)
memory = ask(*driver.cuMemAlloc(values.nbytes))
ask(*driver.cuMemcpyHtoD(memory, values.ctypes.data, values.nbytes))
argument = np.array([int(memory)], dtype=np.uint64)
ask(*driver.cuLaunchKernel(function, 1, 1, 1, SIZE, 1, 1, 0, 0, np.array([argument.ctypes.data], dtype=np.uint64), 0))
ask(*driver.cuMemcpyDtoH(values.ctypes.data, memory, values.nbytes))
assert (values == 3 * np.arange(SIZE)).all(), values
