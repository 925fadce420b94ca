#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Libraries refuse a driver of another build of cupipe, and say so; the driver so refuses a compiler of kernels.

usage: check_other_build.py LIBRARY_FOLDER

Each library that knows the driver's private tables is loaded beside a copy of the driver whose CUPIPE_INTERFACE is another
one. A call of it must fail and name both files on standard error; beside the driver as built it must succeed silently. A
library that is built and for which no call is known here fails the test.
"""
import ctypes
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MESSAGE = "is not of the same build of cupipe as the driver"
PLACE, NOTHING = object(), None
# Library: a function that needs the driver, its arguments, and what of its answer says that it failed.
FAILED, NO_POINTER, SILENT = "status", "pointer", "silent"
CALLS = {
    "cublas": ("cublasCreate_v2", [PLACE], FAILED),
    "cublasLt": ("cublasLtCreate", [PLACE], FAILED),
    "cudnn": ("cudnnCreate", [PLACE], FAILED),
    "cufft": ("cufftPlan1d", [PLACE, 8, 0x29, 1], FAILED),
    "cupti": ("cuptiSubscribe", [PLACE, PLACE, NOTHING], FAILED),
    "curand": ("curandCreateGenerator", [PLACE, 100], FAILED),
    "cusolver": ("cusolverDnCreate", [PLACE], FAILED),
    "cusolverMg": ("cusolverMgCreate", [PLACE], FAILED),
    "cusparse": ("cusparseCreate", [PLACE], FAILED),
    "nccl": ("ncclCommInitAll", [PLACE, 1, NOTHING], FAILED),
    "nppc": ("nppGetStreamContext", [PLACE], FAILED),
    "npps": ("nppsMalloc_8u", [64], NO_POINTER),
    "nppisu": ("nppiMalloc_8u_C1", [64, 64, PLACE], NO_POINTER),
    "nvidia-ml": ("nvmlInit_v2", [], FAILED),
    "nvjpeg": ("nvjpegCreateSimple", [PLACE], FAILED),
    "nvToolsExt": ("nvtxMarkA", [b"mark"], SILENT),
}
# What reaches the driver through one of these, or by the same engine.
ENGINES = {"cufftw", "nppial", "nppicc", "nppidei", "nppif", "nppig", "nppim", "nppist", "nppitc"}


def interface():
    found = re.search(r'^#define CUPIPE_INTERFACE "(\w+)"$', (ROOT / "include" / "cupipe.h").read_text(), re.MULTILINE)
    return found.group(1).encode()


def call(folder, name):
    """In a process of its own: the call, and what it answered on standard output."""
    function, arguments, kind = CALLS[name.removeprefix("lib").split(".so")[0]]
    driver = ctypes.CDLL(f"{folder}/libcuda.so.1", os.RTLD_NOW | os.RTLD_GLOBAL)
    if kind is SILENT:
        driver.cuInit(0)
    function = getattr(ctypes.CDLL(f"{folder}/{name}"), function)
    function.restype = ctypes.c_void_p if kind is NO_POINTER else ctypes.c_int
    answer = function(*[ctypes.create_string_buffer(4096) if a is PLACE else a for a in arguments])
    print("failed" if kind is FAILED and answer or kind is NO_POINTER and not answer else "fine")


def ask(folder, name):
    done = subprocess.run([sys.executable, __file__, folder, name], capture_output=True, text=True, check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": str(folder), "CUPIPE_LOG": "none"})
    if done.returncode != 0:
        sys.exit(f"{name}: the call ends with {done.returncode}: {done.stderr}")
    return done.stdout.strip(), done.stderr


def copy_with(libraries, folder, driver):
    for path in libraries.glob("*.so*"):
        Path(folder, path.name).symlink_to(path)
    Path(folder, "libcuda.so.1").unlink()
    Path(folder, "libcuda.so.1").write_bytes(driver)
    return folder


def check(libraries, name, other):
    _, _, kind = CALLS[name.removeprefix("lib").split(".so")[0]]
    answer, text = ask(libraries, name)
    if answer != "fine" or MESSAGE in text:
        sys.exit(f"{name}, beside its own driver: {answer}, {text}")
    answer, text = ask(other, name)
    if answer == "fine" and kind is not SILENT:
        sys.exit(f"{name}, beside another driver, does not fail: {text}")
    if text.count(MESSAGE) != 1:
        sys.exit(f"{name}, beside another driver, does not say so, once: {text}")


def main():
    libraries = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        call(libraries, sys.argv[2])
        return
    own, checked = interface(), 0
    driver = (libraries / "libcuda.so.1").read_bytes()
    if driver.count(own) == 0:
        sys.exit("the driver does not have the interface of cupipe.h")
    with tempfile.TemporaryDirectory() as folder:
        other = copy_with(libraries, folder, driver.replace(own, b"f" * len(own)))
        for path in sorted(libraries.glob("lib*.so.[0-9]*")):
            name = path.name.removeprefix("lib").split(".so")[0]
            if name in ENGINES | {"cuda", "cudart"} or own not in path.read_bytes():
                continue
            if name not in CALLS:
                sys.exit(f"{path.name} knows the driver's tables, and this test has no call of it")
            check(libraries, path.name, other)
            checked += 1
    print(f"{checked} libraries")


if __name__ == "__main__":
    main()
