# SPDX-License-Identifier: MIT
"""cuda.core: CUDA C++ to a cubin, and through PTX and a link; both launched."""
import numpy as np
from cuda.core import Device, LaunchConfig, Linker, LinkerOptions, Program, ProgramOptions, launch

SOURCE = 'extern "C" __global__ void twice(int *p) { p[threadIdx.x] *= 2; }'
device = Device()
device.set_current()
stream = device.create_stream()
arch = f"sm_{device.arch}"
cubin = Program(SOURCE, "c++", ProgramOptions(arch=arch)).compile("cubin", name_expressions=())
ptx = Program(SOURCE, "c++", ProgramOptions(arch=arch, relocatable_device_code=True)).compile("ptx")
linked = Linker(ptx, options=LinkerOptions(arch=arch)).link("cubin")
buffer = device.allocate(128, stream=stream)
host = np.arange(32, dtype=np.int32)
from cuda.bindings import driver
assert driver.cuMemcpyHtoD(int(buffer.handle), host.ctypes.data, 128)[0] == 0
for code in (cubin, linked):
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("twice"), buffer)
stream.sync()
assert driver.cuMemcpyDtoH(host.ctypes.data, int(buffer.handle), 128)[0] == 0
assert (host == 4 * np.arange(32)).all(), host
