#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvcc in a folder where ptxas and nvlink are ours: --cubin, -fatbin and programs for sm_90 alone, of one file and of
several that are linked (-rdc). Skipped without nvcc.

usage: check_toolkit.py LIBRARY_FOLDER
"""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from compilers import nvcc as find_nvcc, toolkit_of  # noqa: E402
from tools import FOLDER, LIBRARY, OBJDUMP, Driver, check, finish, run, write  # noqa: E402

toolkit = LIBRARY / "bin" / "cupipe-toolkit"
installed = find_nvcc()
if not installed:
    print("nvcc is not installed")
    sys.exit(77)

code, out, err = run(toolkit, FOLDER / "cuda", toolkit_of(installed))
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

# Separate compilation: nvlink links the objects and a library, and names what the program registers.
write("twice.cu", "__device__ int bonus = 2; __device__ int twice(int value) { return 2 * value; }")
write("other.cu", """
extern __device__ int twice(int), bonus;
__global__ void other(int *p) { *p = twice(50); }
int run_other(int *p)
{
    int value = 0, symbol = 0;
    cudaMemcpyFromSymbol(&symbol, bonus, 4);
    other<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDefault);
    return value + symbol;
}
""")
write("linked.cu", """
extern __device__ int twice(int), bonus;
int run_other(int *p);
__global__ void kernel(int *p) { *p = twice(20) + bonus; }
int main()
{
    int *p, value = 0;
    cudaMalloc(&p, 4);
    kernel<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDefault);
    return value == 42 && run_other(p) == 102 ? 0 : 1;
}
""")
for code_option in ("sm_90", "compute_90"):
    options = ["-gencode", f"arch=compute_90,code={code_option}", "-rdc=true"]
    code, _, err = run(nvcc, *options, "-c", "twice.cu", "other.cu", "linked.cu")
    check(code == 0, f"nvcc -rdc=true {code_option}: {err}")
    (FOLDER / "libparts.a").unlink(missing_ok=True)
    run("ar", "rc", "libparts.a", "twice.o", "other.o")
    for inputs in (["twice.o", "other.o", "linked.o"], ["linked.o", "-L.", "-lparts"]):
        code, _, err = run(nvcc, *options, "-cudart", "shared", "-L", LIBRARY, *inputs, "-o", "linked")
        check(code == 0, f"nvcc links {inputs} for {code_option}: {err}")
        code, out, err = run("./linked", env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY)})
        check(code == 0, f"a program of {inputs} for {code_option} runs: {code} {out} {err}")
finish()
