# SPDX-License-Identifier: MIT
"""Launches a kernel by way of ctypes alone and compares what it wrote. Prints the path of libcuda.so.1 and "right".

usage: kernel.py [OPTION=VALUE...]       with options it calls cupipe.enable first
"""
import ctypes
import sys

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry triple(.param .u64 out)
{
    .reg .u32 %r<3>;
    .reg .u64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    mul.lo.u32 %r2, %r1, 3;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""
COUNT = 64
NAMES = ("libcuda.so.1", "libcuda.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so", "libnvidia-ml.so.1",
         "libnvidia-ml.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvJitLink.so.13", "libnvJitLink.so.12")


def loaded(name):
    with open("/proc/self/maps") as maps:
        return sorted({line.split(None, 5)[5].strip() for line in maps if line.rstrip().endswith("/" + name)})


def call(function, *arguments):
    result = function(*arguments)
    assert result == 0, f"{function.__name__} answers {result}"


def launch(cuda):
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    memory, numbers = ctypes.c_uint64(), (ctypes.c_uint32 * COUNT)()
    call(cuda.cuInit, 0)
    call(cuda.cuDeviceGet, ctypes.byref(device), 0)
    call(cuda.cuDevicePrimaryCtxRetain, ctypes.byref(context), device)
    call(cuda.cuCtxSetCurrent, context)
    call(cuda.cuModuleLoadData, ctypes.byref(module), PTX)
    call(cuda.cuModuleGetFunction, ctypes.byref(kernel), module, b"triple")
    call(cuda.cuMemAlloc_v2, ctypes.byref(memory), ctypes.sizeof(numbers))
    parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(memory), ctypes.c_void_p))
    call(cuda.cuLaunchKernel, kernel, 1, 1, 1, COUNT, 1, 1, 0, None, parameters, None)
    call(cuda.cuMemcpyDtoH_v2, numbers, memory, ctypes.sizeof(numbers))
    assert list(numbers) == [3 * i for i in range(COUNT)], list(numbers)


def main():
    if sys.argv[1:]:
        import cupipe
        cupipe.enable(**dict(word.split("=") for word in sys.argv[1:]))
    for name in NAMES:
        ctypes.CDLL(name)
    cuda = ctypes.CDLL("libcuda.so.1")
    launch(cuda)
    count = ctypes.c_int()
    call(cuda.cuDeviceGetCount, ctypes.byref(count))
    print(*loaded("libcuda.so.1"))
    print(count.value, "right")


main()
