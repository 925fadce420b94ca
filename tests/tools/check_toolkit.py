#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe-toolkit: which toolkit it takes and what its folder holds; then, where nvcc is installed, nvcc of that folder,
with our ptxas, nvlink and runtime: --cubin, -fatbin and programs for sm_90 alone, of one file and of several that are
linked (-rdc).

usage: check_toolkit.py LIBRARY_FOLDER
"""
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from compilers import nvcc as find_nvcc, toolkit_of  # noqa: E402
from tools import FOLDER, LIBRARY, OBJDUMP, Driver, check, finish, run, write  # noqa: E402

toolkit = LIBRARY / "bin" / "cupipe-toolkit"
RUNTIME = ("libcuda.so", "libcudart.so", "libcudart.so.13", "libcudart_static.a", "libcudadevrt.a")


def put(*names):
    for name in names:
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        write(name, "")
        (FOLDER / name).chmod(0o755)


def leads(folder, name, target):
    check((FOLDER / folder / name).resolve() == target.resolve(), f"{folder}/{name} is {target}")


def is_ours(folder, libraries, runtime=RUNTIME):
    for tool in ("ptxas", "nvlink"):
        leads(folder, f"bin/{tool}", LIBRARY / "bin" / tool)
    for name in runtime:
        leads(folder, f"{libraries}/{name}", LIBRARY / name)


def check_packages():
    """Toolkits as packages of Python hold them."""
    put("a/nvidia/cu13/bin/nvcc", "a/nvidia/cu13/bin/fatbinary", "a/nvidia/cu13/bin/ptxas", "a/nvidia/cu13/include/cuda.h",
        "a/nvidia/cu13/nvvm/libdevice/libdevice.10.bc", "a/nvidia/cu13/lib/libcudart.so.13", "a/nvidia/cu13/lib/libnvvm.so.4")
    environment = {**os.environ, "PYTHONPATH": str(FOLDER / "a"), "CUDA_HOME": "/none"}
    for folder, words in (("of-python", []), ("of-packages", [FOLDER / "a" / "nvidia"])):
        for _ in range(2):
            code, out, err = run(toolkit, folder, *words, env=environment)
            check(code == 0 and "nvidia/cu13" in out, f"{folder}: {code} {out} {err}")
        is_ours(folder, "lib")
        for name in ("bin/fatbinary", "include/cuda.h", "nvvm/libdevice/libdevice.10.bc", "lib/libnvvm.so.4"):
            leads(folder, name, FOLDER / "a" / "nvidia" / "cu13" / name)
        check(not (FOLDER / folder / "bin" / "nvcc").is_symlink(), "nvcc is a copy")
    check((FOLDER / "a/nvidia/cu13/lib/libcudart.so.13").stat().st_size == 0, "the packages are as they were")
    put("b/nvidia/cuda_nvcc/bin/ptxas", "b/nvidia/cuda_nvcc/include/crt/common.h", "b/nvidia/cuda_nvcc/include/__init__.py",
        "b/nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc", "b/nvidia/cuda_runtime/include/cuda.h",
        "b/nvidia/cuda_runtime/lib/libcudart.so.12", "b/nvidia/cuda_cccl/include/cub/cub.cuh")
    write("b/nvidia/cuda_runtime/include/cuda.h", "#define CUDA_VERSION 12050\n")
    code, out, err = run(toolkit, "of-parts", FOLDER / "b" / "nvidia")
    check(code == 0 and "no nvcc" in out, f"packages without nvcc: {code} {out} {err}")
    is_ours("of-parts", "lib", ("libcuda.so", "libcudart.so.12", "libcudadevrt.a"))
    leads("of-parts", "lib/libcudart.so", LIBRARY / "libcudart.so.12")
    check(not (FOLDER / "of-parts" / "lib" / "libcudart_static.a").exists(), "no static runtime of another version")
    leads("of-parts", "bin/fatbinary", LIBRARY / "bin" / "fatbinary")
    for name in ("include/crt", "include/cuda.h", "include/cub", "nvvm/libdevice/libdevice.10.bc"):
        check((FOLDER / "of-parts" / name).exists(), f"of-parts/{name}")
    check(not (FOLDER / "of-parts" / "include" / "__init__.py").exists(), "nothing of Python's is in the folder")


def check_older_folder():
    """A folder whose libraries are a link into the toolkit, as cupipe-toolkit made it once, leaves the toolkit alone."""
    (FOLDER / "older").mkdir()
    (FOLDER / "older" / "lib").symlink_to(FOLDER / "a" / "nvidia" / "cu13" / "lib")
    run(toolkit, "older", FOLDER / "a" / "nvidia" / "cu13")
    is_ours("older", "lib")
    check(not (FOLDER / "a/nvidia/cu13/lib/libcudart.so.13").is_symlink(), "the toolkit is as it was")


def check_wheel():
    """A wheel has scripts for the linker in place of links; the folder's names lead to the libraries themselves."""
    put("wheel/bin/ptxas", "wheel/bin/nvlink", "wheel/bin/fatbinary", "wheel/libcuda.so.1", "wheel/libcudart.so.13",
        "wheel/libcuda.so", "wheel/libcudart.so")
    shutil.copy(toolkit, FOLDER / "wheel" / "bin")
    run(FOLDER / "wheel" / "bin" / "cupipe-toolkit", "of-wheel", FOLDER / "a" / "nvidia" / "cu13")
    leads("of-wheel", "lib/libcuda.so", FOLDER / "wheel" / "libcuda.so.1")
    leads("of-wheel", "lib/libcudart.so", FOLDER / "wheel" / "libcudart.so.13")


def check_refusals():
    for words, text in ((["x", FOLDER / "a"], "is no toolkit"), (["x", FOLDER / "none"], "is no folder"),
                        ([FOLDER / "a/nvidia/cu13", FOLDER / "a/nvidia/cu13"], "name another folder")):
        code, _, err = run(toolkit, *words)
        check(code == 1 and text in err, f"{words}: {code} {err}")


check_packages()
check_older_folder()
check_wheel()
check_refusals()
installed = find_nvcc()
if not installed:
    print("nvcc is not installed")
    finish()

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
code, _, err = run(nvcc, *SM_90, "-DWITH_MAIN", "ask.cu", "-o", "program")
check(code == 0, f"nvcc with nothing named: {err}")
code, _, err = run("./program", env={**os.environ, "LD_LIBRARY_PATH": str(LIBRARY)})
check(code == 0, f"what nvcc of the folder links by itself is our runtime: {code} {err}")
code, _, err = run(nvcc, *SM_90, "-shared", "-Xcompiler", "-fPIC", "ask.cu", "-o", "libask.so")
check(code == 0, f"nvcc -shared: {err}")
code, out, _ = run(OBJDUMP, "libask.so")
check("carries PTX" in out, f"the library holds our image: {out}")

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
