#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libnvJitLink: exported names, options, inputs, logs and results. LTO-IR only where NVIDIA's library is installed.

usage: check_nvjitlink.py LIBRARY_FOLDER
"""
import ctypes
import os
import re
import subprocess
import sys

from tools import ASK, FOLDER, HEAD, LIBRARY, PTXAS, TWICE, WHOLE, Driver, check, finish, run, write

SUCCESS, OPTION, ARCH, INVALID, PTX_ERROR, NVVM_ERROR, INTERNAL, NULL, INCOMPATIBLE, WRONG_TYPE = 0, 1, 2, 3, 4, 5, 6, 10, 11, 12
CUBIN, PTX, LTOIR, FATBIN, OBJECT, ARCHIVE, ANY = 1, 2, 3, 4, 5, 6, 10
FUNCTIONS = ["Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubin", "GetLinkedCubinSize",
             "GetLinkedPtx", "GetLinkedPtxSize", "GetErrorLog", "GetErrorLogSize", "GetInfoLog", "GetInfoLogSize"]


class Link:
    def __init__(self, *options):
        self.handle = ctypes.c_void_p()
        words = (ctypes.c_char_p * (len(options) or 1))(*[option.encode() for option in options])
        self.created = library.nvJitLinkCreate(ctypes.byref(self.handle), len(options), words)

    def add(self, kind, data, name=b"input"):
        data = data.encode() if isinstance(data, str) else data
        return library.nvJitLinkAddData(self.handle, kind, data, ctypes.c_size_t(len(data)), name)

    def complete(self):
        return library.nvJitLinkComplete(self.handle)

    def fetch(self, what):
        size = ctypes.c_size_t()
        result = getattr(library, f"nvJitLinkGet{what}Size")(self.handle, ctypes.byref(size))
        room = ctypes.create_string_buffer(size.value + 1)
        if result == SUCCESS:
            result = getattr(library, f"nvJitLinkGet{what}")(self.handle, room)
        return result, room.raw[:size.value]

    def log(self):
        return self.fetch("ErrorLog")[1].decode().rstrip("\0")

    def destroy(self):
        return library.nvJitLinkDestroy(ctypes.byref(self.handle))


for version, minors in ((13, 6), (12, 10)):
    name = f"libnvJitLink.so.{version}"
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY / "cubin" / name], capture_output=True, text=True).stdout
    for function in FUNCTIONS:
        for symbol in [f"nvJitLink{function}"] + [f"__nvJitLink{function}_{version}_{minor}" for minor in range(minors)]:
            check(re.search(rf" {symbol}@@{re.escape(name)}$", names, re.M), f"{name} exports {symbol}")
library = ctypes.CDLL(str(LIBRARY / "cubin" / "libnvJitLink.so.13"))
driver = Driver()

major, minor = ctypes.c_uint(), ctypes.c_uint()
check(library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)) == 0 and major.value == 13, "version")
for options, result, text in (([], ARCH, ""), (["-arch=sm_XX"], OPTION, "-arch=sm_XX"), (["-arch=sm_90", "-foo"], OPTION, "unrecognized option: -foo"),
                              (["-arch=sm_90", "-ptx"], INCOMPATIBLE, "-ptx requires -lto"),
                              (["-arch=compute_90"], INCOMPATIBLE, "virtual arch requires -ptx"),
                              (["-arch=sm_90", "-O7"], OPTION, "unsupported value of -O: 7"),
                              (["-arch=sm_90a", "-O3", "-g", "-lineinfo", "-maxrregcount=32", "-ftz=true",
                                "-kernels-used=ask", "-Xptxas=-v", "-split-compile=2", "-no-cache"], SUCCESS, "")):
    link = Link(*options)
    check(link.created == result and text in link.log(), f"{options}: {link.created} {link.log()}")
    check(link.destroy() == SUCCESS and not link.handle, "destroy")

link = Link("-arch=sm_90")
check(link.fetch("LinkedCubin")[0] == INTERNAL, "no cubin before it is complete")
check(link.add(PTX, ASK + "\0") == SUCCESS and link.add(ANY, TWICE) == SUCCESS, "texts are added")
check(link.complete() == SUCCESS and link.log() == "" and link.complete() == INTERNAL, "complete, once")
result, cubin = link.fetch("LinkedCubin")
check(result == SUCCESS and driver.ask(cubin) == 42, "the linked image runs")
check(link.fetch("LinkedPtx")[0] == INVALID, "no PTX without -ptx")
link.destroy()

run(PTXAS, "-arch=sm_90", "-c", write("twice.ptx", TWICE), "-o", "twice.cubin")
link = Link("-arch=sm_90")
check(link.add(CUBIN, (FOLDER / "twice.cubin").read_bytes()) == SUCCESS, "an image of ptxas as a cubin")
check(library.nvJitLinkAddFile(link.handle, PTX, str(write("ask.ptx", ASK)).encode()) == SUCCESS, "a file")
check(link.complete() == SUCCESS and driver.ask(link.fetch("LinkedCubin")[1]) == 42, "cubin and PTX are linked")
check(library.nvJitLinkAddFile(link.handle, PTX, b"/nonexistent") == INVALID, "a file that is not there")
link.destroy()

link = Link("-arch=sm_90")
check(link.add(PTX, WHOLE.replace(".version 8.0", ".version 9.9")) == SUCCESS and link.complete() == SUCCESS and
      driver.ask(link.fetch("LinkedCubin")[1]) == 42, f"a version of PTX that is not known yet: {link.log()}")
link.destroy()

link = Link("-arch=sm_90")
check(link.add(PTX, HEAD + ".visible .entry k()\n{\n    add.f33 %r1;\n}\n", b"wrong.ptx") == PTX_ERROR and
      re.search(r"^ptxas application ptx input, line 6; error   : ", link.log(), re.M) and
      "JIT the PTX (wrong.ptx)" in link.log() and link.log().count("aborted due to errors") == 1,
      f"an error has a line and a name: {link.log()}")
link.destroy()
link = Link("-arch=sm_90")
check(link.add(PTX, ASK) == SUCCESS and link.complete() == INTERNAL and
      "error   : Undefined reference to 'twice' in 'input'" in link.log(),
      f"an undefined function is named: {link.log()}")
link.destroy()
for kind in (CUBIN, LTOIR, FATBIN, OBJECT, ARCHIVE):
    link = Link("-arch=sm_90")
    check(link.add(kind, WHOLE) == WRONG_TYPE and "does not match type" in link.log(), f"PTX as type {kind}")
    link.destroy()
machine = bytearray(64)
machine[:9], machine[18], machine[49] = b"\x7fELF\2\1\1\x41\x08", 190, 89
link = Link("-arch=sm_90")
check(link.add(CUBIN, bytes(machine)) == INVALID and "sm_89" in link.log(), f"machine code: {link.log()}")
link.destroy()
# A library whose only member is machine code: nothing is taken, and what stays undefined is named.
member = b"\x50\xed\x55\xba\1\0\x10\0" + (64 + len(machine)).to_bytes(8, "little") + bytes([2, 0, 1, 1, 64, 0, 0, 0]) + \
    len(machine).to_bytes(8, "little") + bytes(12) + bytes([89]) + bytes(35) + bytes(machine)
archive = b"!<arch>\n" + f"{'a.o/':16}{0:<12}{0:<6}{0:<6}{644:<8}{len(member):<10}`\n".encode() + member
link = Link("-arch=sm_90")
check(link.add(ARCHIVE, archive) == SUCCESS and link.add(PTX, WHOLE) == SUCCESS and link.complete() == SUCCESS and
      driver.ask(link.fetch("LinkedCubin")[1]) == 42, f"a library of machine code is passed over: {link.log()}")
link.destroy()
# Of the device runtime, which NVIDIA's library has as machine code, cupipe has the part that numba calls.
GRID = HEAD + """
.extern .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope);
.visible .entry grid()
{
    .reg .b64 %rd<2>;
    { .param .b32 scope; .param .b64 handle; st.param.b32 [scope], 1;
      call.uni (handle), cudaCGGetIntrinsicHandle, (scope); ld.param.b64 %rd1, [handle]; }
    ret;
}
"""
for inputs, result in (([], INTERNAL), ([archive], SUCCESS)):
    link = Link("-arch=sm_90")
    check(link.add(PTX, GRID) == SUCCESS and all(link.add(ARCHIVE, data) == SUCCESS for data in inputs) and
          link.complete() == result, f"the device runtime comes with its library: {link.log()}")
    link.destroy()
# Our own library of that name has no functions, since the driver has them; both linkers take it.
state, archive, LIBRARY_INPUT = ctypes.c_void_p(), str(LIBRARY / "libcudadevrt.a").encode(), 4
driver.call("cuLinkCreate_v2", 0, None, None, ctypes.byref(state))
driver.call("cuLinkAddFile_v2", state, LIBRARY_INPUT, archive, 0, None, None)
driver.call("cuLinkDestroy", state)
link = Link("-arch=sm_90")
check(library.nvJitLinkAddFile(link.handle, ARCHIVE, archive) == SUCCESS and link.add(PTX, WHOLE) == SUCCESS and
      link.complete() == SUCCESS and driver.ask(link.fetch("LinkedCubin")[1]) == 42, f"our device runtime: {link.log()}")
link.destroy()

check(library.nvJitLinkComplete(None) == NULL and library.nvJitLinkDestroy(None) == NULL, "no handle")

if len(sys.argv) == 2:
    # In a process of its own, since the library is looked for once.
    code, out, err = run(sys.executable, os.path.abspath(__file__), LIBRARY, "without",
                         env={**os.environ, "CUPIPE_NVJITLINK": "/nonexistent"})
    check(code == 0, f"without NVIDIA's library: {out} {err}")
else:
    link = Link("-arch=sm_90", "-lto")
    check(link.add(LTOIR, b"\xedCN\x7f" + bytes(60)) == SUCCESS and link.complete() == NVVM_ERROR and
          "CUPIPE_NVJITLINK" in link.log(), f"LTO-IR without NVIDIA's library: {link.log()}")
finish()
