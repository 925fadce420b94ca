#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A package whose wheel has a copy of NVIDIA's runtime under a name of its own, as torchvision's has libcudart and
libnvjpeg: its extension is bound to cupipe's runtime.

usage: check_bundled.py BUILD SOURCE CC
"""
import sys

from command import CUPIPE, FOLDER, LIBRARY, check, compile_c, finish, run, write

# NVIDIA's of this test always answers 77.
RUNTIME = "int cudaGetDeviceCount(int *n);\nint cudaGetDeviceCount(int *n) { *n = 77; return 0; }\n"
EXTENSION = ("int cudaGetDeviceCount(int *n);\nint probe(void);\n"
             "int probe(void) { int n = -1; cudaGetDeviceCount(&n); return n; }\n")
USE = "import ctypes; print('runtime', ctypes.CDLL('./package/extension.so').probe())"
NAME = "libcudart.0123abcd.so.13"


def make_package():
    version = write("version.map", "libcudart.so.13 { global: *; };\n")
    (FOLDER / "package.libs").mkdir()
    (FOLDER / "package").mkdir()
    compile_c(f"package.libs/{NAME}", RUNTIME, "-shared", "-fPIC", f"-Wl,-soname,{NAME}", f"-Wl,--version-script={version}")
    compile_c("package/extension.so", EXTENSION, "-shared", "-fPIC", FOLDER / "package.libs" / NAME,
              "-Wl,-rpath,$ORIGIN/../package.libs", "-Wl,--enable-new-dtags")


def main():
    make_package()
    result = run(sys.executable, "-c", USE)
    check(result == (0, "runtime 77\n", ""), f"without cupipe: {result}")
    result = run(CUPIPE, "run", "--devices=2", sys.executable, "-c", USE)
    check(result == (0, "runtime 2\n", ""), f"cupipe run: {result}")
    enable = f"import sys; sys.path.insert(0, '{LIBRARY}/python'); import cupipe; cupipe.enable(devices=3); "
    result = run(sys.executable, "-c", enable + USE)
    check(result == (0, "runtime 3\n", ""), f"enable(): {result}")
    finish()


if __name__ == "__main__":
    main()
