#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""libnvptxcompiler_static.a: exported names, options, logs and results, which are those of NVIDIA's library, and the
kernel runs.

usage: check_nvptxcompiler.py LIBRARY_FOLDER
"""
import ctypes
import shutil
import subprocess
import sys

from tools import FOLDER, HEAD, LIBRARY, WHOLE, Driver, check, finish, run

SUCCESS, HANDLE, INVALID, FAILED, INCOMPLETE, VERSION, CANCELLED = 0, 1, 2, 3, 6, 7, 9
FUNCTIONS = ["GetVersion", "GetNumSupportedVersions", "GetSupportedVersions", "Create", "Destroy", "Compile",
             "GetCompiledProgramSize", "GetCompiledProgram", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize",
             "GetInfoLog", "SetFlowCallback"]
ARCHIVE = LIBRARY / "cubin" / "libnvptxcompiler_static.a"
HIGHER = "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n"

compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
if not compiler:
    print("skipped: no C compiler")
    sys.exit(77)
names = subprocess.run(["nm", "-g", "--defined-only", ARCHIVE], capture_output=True, text=True).stdout
found = sorted(line.split()[2] for line in names.splitlines() if len(line.split()) == 3)
check(found == sorted("nvPTXCompiler" + name for name in FUNCTIONS), f"exported names: {found}")
# A library that links it may have much data of threads, as Warp's has, and is loaded late.
(FOLDER / "threads.c").write_text("_Thread_local char much[16 << 20];\nchar *touch(void);\nchar *touch(void) { return much; }\n")
code, _, errors = run(compiler, "-shared", "-fPIC", "-o", "compiler.so", FOLDER / "threads.c", "-Wl,--whole-archive", ARCHIVE,
                      "-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm")
check(code == 0, f"the archive links: {errors}")
library = ctypes.CDLL(str(FOLDER / "compiler.so"))


class Compiler:
    def __init__(self, text):
        self.handle = ctypes.c_void_p()
        text = text.encode()
        self.created = library.nvPTXCompilerCreate(ctypes.byref(self.handle), ctypes.c_size_t(len(text)), text)

    def compile(self, *options):
        words = (ctypes.c_char_p * (len(options) or 1))(*[option.encode() for option in options])
        return library.nvPTXCompilerCompile(self.handle, len(options), words)

    def fetch(self, what):
        size = ctypes.c_size_t(77)
        result = getattr(library, f"nvPTXCompilerGet{what}Size")(self.handle, ctypes.byref(size))
        if result != SUCCESS:
            return result, size.value
        room = ctypes.create_string_buffer(size.value + 1)
        result = getattr(library, f"nvPTXCompilerGet{what}")(self.handle, room)
        return result, room.raw[:size.value]

    def destroy(self):
        return library.nvPTXCompilerDestroy(ctypes.byref(self.handle))


def check_versions():
    major, minor, count = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_int()
    check(library.nvPTXCompilerGetVersion(ctypes.byref(major), ctypes.byref(minor)) == SUCCESS, "version")
    check((major.value, minor.value) == (13, 4), "version 13.4")
    check(library.nvPTXCompilerGetVersion(None, None) == INVALID, "version without a place")
    library.nvPTXCompilerGetNumSupportedVersions(ctypes.byref(count))
    check(count.value == 49, "49 versions of the ISA")
    pairs = (ctypes.c_int * (2 * count.value))()
    library.nvPTXCompilerGetSupportedVersions(pairs)
    check(list(pairs[:2]) == [1, 0] and list(pairs[-4:]) == [9, 4, 9, 5], "the first and the last versions")


def check_kernel():
    one = Compiler(WHOLE)
    check(one.fetch("CompiledProgram") == (INCOMPLETE, 77), "no program before it is compiled")
    for options in (["--gpu-name=sm_80"], ["--gpu-name", "sm_90"], ["-arch=sm_90a", "-O3", "--maxrregcount=64"]):
        check(one.compile(*options) == SUCCESS, f"{options}")
        check(one.fetch("ErrorLog") == (SUCCESS, b"") and one.fetch("InfoLog") == (SUCCESS, b""), "logs are empty")
        result, image = one.fetch("CompiledProgram")
        check(result == SUCCESS and image[:4] == b"\x7fELF", "an image in the form of a cubin")
        check(Driver().ask(image) == 42, "the kernel runs")
    check(one.compile("--gpu-name=sm_80", "--verbose") == SUCCESS, "--verbose")
    check(b"Compiling entry function 'ask' for 'sm_80'" in one.fetch("InfoLog")[1], "the log of --verbose")
    check(one.destroy() == SUCCESS and not one.handle, "the handle is NULL afterwards")
    check(one.destroy() == HANDLE, "destroyed twice")


def check_newer():
    one = Compiler(WHOLE.replace(".version 8.0", ".version 9.9"))
    check(one.compile("--gpu-name=sm_80") == SUCCESS, "a version that is not known yet")
    check(Driver().ask(one.fetch("CompiledProgram")[1]) == 42, "its image runs")
    one.destroy()


def check_failures():
    wrong, unsupported = HEAD.replace("8.0", "8.9"), "ptxas application ptx input, line 1; fatal   : Unsupported .version "
    for text, options, wanted, log in (
            (WHOLE, [], FAILED, HIGHER),
            (WHOLE.replace("sm_80", "sm_90"), ["--gpu-name=sm_80"], FAILED, HIGHER),
            (WHOLE, ["--gpu-name=compute_80"], FAILED, ""),
            (WHOLE, ["--gpu-name=sm_80", "--nope"], FAILED, "ptxas fatal   : Unknown option '-nope'\n"),
            (WHOLE, ["--gpu-name=sm_80 -v"], FAILED, None),
            (WHOLE.replace("add.s32", "foo.bar"), ["--gpu-name=sm_80"], FAILED, None),
            (wrong, ["--gpu-name=sm_80"], VERSION, unsupported + "8.9; current version is '9.5'\n"),
            (".version 99.99", ["--gpu-name=sm_80"], VERSION, unsupported + "99.99; current version is '9.5'\n")):
        one = Compiler(text)
        check(one.compile(*options) == wanted, f"{options}: {wanted}")
        result, said = one.fetch("ErrorLog")
        check(log is None or said.rstrip(b"\0").decode() == log, f"{options}: {said}")
        check(log == "" or said.endswith(b"\n\0"), f"{options}: the size counts the NUL")
        check(one.fetch("CompiledProgram") == (INCOMPLETE, 77), f"{options}: no program")
        one.destroy()
    check(library.nvPTXCompilerCompile(None, 0, None) == HANDLE, "no handle")


def check_callback():
    asked = []
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)

    def answer(payload, reserved):
        asked.append((payload, reserved))
        return payload == 1

    callback = kind(answer)
    one = Compiler(WHOLE)
    for payload, wanted in ((1, CANCELLED), (2, SUCCESS)):
        check(library.nvPTXCompilerSetFlowCallback(one.handle, callback, ctypes.c_void_p(payload)) == SUCCESS, "callback")
        check(one.compile("--gpu-name=sm_80") == wanted, f"callback with {payload}")
        check(asked[-1] == (payload, None), "the callback's arguments")
    check(library.nvPTXCompilerSetFlowCallback(one.handle, None, None) == INVALID, "no callback")


check_versions()
check_kernel()
check_newer()
check_failures()
check_callback()
finish()
