#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvcc in a folder where ptxas is ours: --cubin, -fatbin and programs for sm_90 alone. Skipped without nvcc.

usage: check_toolkit.py LIBRARY_FOLDER
"""
import os
import shutil
import sys

from tools import FOLDER, LIBRARY, OBJDUMP, Driver, check, finish, run, write

toolkit = LIBRARY / "bin" / "cupipe-toolkit"
if not shutil.which("nvcc"):
    print("nvcc is not installed")
    sys.exit(77)

code, out, err = run(toolkit, FOLDER / "cuda")
check(code == 0, f"{toolkit}: {out} {err}")
nvcc = FOLDER / "cuda" / "bin" / "nvcc"
write("ask.cu", """
extern "C" __global__ void ask(unsigned *p) { *p = 42 + threadIdx.x; }
#ifdef WITH_MAIN
int main()
{
    unsigned *p, value = 0;
    cudaMalloc(&p, 4);
    ask<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDefault);
    return value == 42 ? 0 : 1;
}
#endif
""")
driver = Driver()
SM_90 = ["-gencode", "arch=compute_90,code=sm_90"]
for option in ("-cubin", "-fatbin"):
    code, _, err = run(nvcc, *SM_90, option, "ask.cu", "-o", "ask" + option)
    check(code == 0, f"nvcc {option}: {err}")
    check(driver.ask((FOLDER / ("ask" + option)).read_bytes()) == 42, f"what nvcc {option} made runs")
code, _, err = run(nvcc, *SM_90, "-DWITH_MAIN", "-cudart", "shared", "-L", LIBRARY, "ask.cu", "-o", "program")
check(code == 0, f"nvcc: {err}")
code, out, _ = run(OBJDUMP, "program")
check("carries PTX" in out, f"the program holds our image: {out}")
code, _, err = run("./program", env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY)})
check(code == 0, f"a program for sm_90 alone runs: {code} {err}")
finish()
