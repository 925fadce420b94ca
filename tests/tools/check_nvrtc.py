#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libnvrtc over NVIDIA's: exported names, PTX as before, and cubins that load here. LTO-IR goes through libnvJitLink.
Skipped where NVIDIA's library is not installed.

usage: check_nvrtc.py LIBRARY_FOLDER
"""
import ctypes
import re
import subprocess
import sys

from tools import LIBRARY, Driver, check, finish

SOURCE = b'extern "C" __global__ void ask(unsigned *p) { *p = 42; }'
library = ctypes.CDLL(str(LIBRARY / "cubin" / "libnvrtc.so.13"))
major, minor = ctypes.c_int(), ctypes.c_int()
if library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)):
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    check(b"not found" in library.nvrtcGetErrorString(7), "the reason is told")
    print("NVIDIA's libnvrtc.so.13 is not installed")
    sys.exit(1 if b"not found" not in library.nvrtcGetErrorString(7) else 77)
check(major.value == 13, "the version is NVIDIA's")


def fetch(program, what):
    size = ctypes.c_size_t()
    result = getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    room = ctypes.create_string_buffer(size.value + 1)
    if result == 0 and size.value:
        result = getattr(library, f"nvrtcGet{what}")(program, room)
    return room.raw[:size.value] if result == 0 else b""


def compile_source(source, *options):
    program = ctypes.c_void_p()
    check(library.nvrtcCreateProgram(ctypes.byref(program), source, b"ask.cu", 0, None, None) == 0, "create")
    words = (ctypes.c_char_p * (len(options) or 1))(*[option.encode() for option in options])
    return library.nvrtcCompileProgram(program, len(options), words), program


driver = Driver()
for options in (["-arch=sm_90"], ["--gpu-architecture=sm_90", "-rdc=true"], ["-arch", "sm_80"], ["-arch=sm_90a"]):
    result, program = compile_source(SOURCE, *options)
    check(result == 0, f"{options}: {result} {fetch(program, 'ProgramLog')}")
    image = fetch(program, "CUBIN")
    check(image[:4] == b"\x7fELF" and driver.ask(image) == 42, f"{options}: the cubin runs")
    check(driver.ask(fetch(program, "PTX")) == 42, f"{options}: and the PTX")
    check(library.nvrtcDestroyProgram(ctypes.byref(program)) == 0 and not program, "destroy")
result, program = compile_source(SOURCE, "-arch=compute_90")
check(result == 0 and fetch(program, "CUBIN") == b"" and driver.ask(fetch(program, "PTX")) == 42,
      "a virtual architecture has no cubin")
result, program = compile_source(b"nonsense", "-arch=sm_90")
check(result == 6 and b"error" in fetch(program, "ProgramLog"), "an error of the source")
check(fetch(program, "CUBIN") == b"", "nothing was compiled")

jit = ctypes.CDLL(str(LIBRARY / "cubin" / "libnvJitLink.so.13"))
result, program = compile_source(SOURCE, "-arch=sm_90", "-dlto")
ltoir = fetch(program, "LTOIR")
check(result == 0 and ltoir, "LTO-IR")
link, size = ctypes.c_void_p(), ctypes.c_size_t()
options = (ctypes.c_char_p * 2)(b"-arch=sm_90", b"-lto")
check(jit.nvJitLinkCreate(ctypes.byref(link), 2, options) == 0, "a link")
check(jit.nvJitLinkAddData(link, 3, ltoir, ctypes.c_size_t(len(ltoir)), b"ltoir") == 0, "LTO-IR is added")
result = jit.nvJitLinkComplete(link)
if result != 5:  # 5: NVIDIA's libnvJitLink is not installed
    check(result == 0 and jit.nvJitLinkGetLinkedCubinSize(link, ctypes.byref(size)) == 0, f"LTO-IR is linked: {result}")
    image = ctypes.create_string_buffer(size.value)
    check(jit.nvJitLinkGetLinkedCubin(link, image) == 0 and driver.ask(image.raw) == 42, "and runs")

for version in (13, 12):
    name = f"libnvrtc.so.{version}"
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY / "cubin" / name], capture_output=True, text=True).stdout
    for function in ("Version", "GetErrorString", "CreateProgram", "CompileProgram", "GetCUBIN", "GetPCHHeapSize"):
        check(re.search(rf" nvrtc{function}@@{re.escape(name)}$", names, re.M), f"{name} exports nvrtc{function}")
finish()
