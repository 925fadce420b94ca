#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles sources/*.cu with every compiler of CUDA that is installed, and has the PTX read.

    check_compilers.py READER FOLDER

Exits with 77 when there is no compiler. A source that a compiler refuses is none for it."""
import glob
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from compilers import clangs, nvcc as find_nvcc  # noqa: E402

# Our own qualifiers: clang does without NVIDIA's headers so.
CLANG = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-S", "-O2", "-w",
         "-D__global__=__attribute__((global))", "-D__device__=__attribute__((device))",
         "-D__shared__=__attribute__((shared))", "-D__constant__=__attribute__((constant))"]


def commands():
    for name in clangs(oldest=14):
        for target, version in (("sm_60", 50), ("sm_86", 71)):
            yield [name, *CLANG, f"--cuda-gpu-arch={target}", f"--cuda-feature=+ptx{version}"]
    nvcc = find_nvcc()
    if nvcc:
        for options in (["-arch=sm_75", "-lineinfo"], ["-arch=sm_90", "-G"],
                        ["-arch=sm_100", "-rdc=true"]):
            yield [nvcc, "-ptx", "-w", *options]


def main():
    reader, folder = sys.argv[1:]
    made, number = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for command in commands():
            for source in sorted(glob.glob(os.path.join(folder, "sources", "*.cu"))):
                number += 1
                output = os.path.join(scratch, f"{number}.ptx")
                done = subprocess.run([*command, source, "-o", output], capture_output=True,
                                      text=True)
                if done.returncode == 0:
                    made.append(output)
                else:
                    print("#", " ".join(command), os.path.basename(source), "does not compile")
        if not made:
            return 77
        read = subprocess.run([reader, *made], capture_output=True, text=True)
        print(read.stdout)
        print(f"{len(made)} of {number} compiled")
        return read.returncode


if __name__ == "__main__":
    sys.exit(main())
