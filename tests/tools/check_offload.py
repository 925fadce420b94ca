#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""OpenMP's target regions and linked device code: every clang with our ptxas, nvlink and fatbinary, and GCC. A compiler
that is not installed, or not with its device runtime, is passed over; skipped if none is left.

usage: check_offload.py LIBRARY_FOLDER
"""
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from compilers import clangs  # noqa: E402
from tools import FOLDER, LIBRARY, check, finish, run, write  # noqa: E402

SOURCE = Path(__file__).resolve().parent
BIN = LIBRARY / "bin"
ROOT = SOURCE.parent.parent


def environment(**more):
    """Without a toolkit in PATH; OpenMP must not fall back to the host."""
    return {**os.environ, "PATH": f"{BIN}:/usr/bin:/bin", "OMP_TARGET_OFFLOAD": "MANDATORY", **more}


def root_of(clang):
    """The folder of this LLVM, with bin and lib."""
    _, out, _ = run(clang, "--print-resource-dir")
    return Path(out.strip()).parents[2]


def links_device_code(clang):
    """Whether the programs are there that clang leaves the objects to, one of them under another name since clang 22."""
    folder = root_of(clang) / "bin"
    return (folder / "clang-linker-wrapper").exists() and any(
        (folder / name).exists() for name in ("clang-offload-packager", "llvm-offload-binary"))


def device_runtime(clang):
    """The options that link clang's OpenMP runtime for nvptx, in the form of clang 19 or in that of 20 and later."""
    folder = root_of(clang) / "lib"
    if (folder / "libomptarget.devicertl.a").exists() and (folder / "libomptarget-nvptx-sm_90.bc").exists():
        return [f"-L{folder}", "-lomptarget.devicertl"]
    if (folder / "nvptx64-nvidia-cuda" / "libompdevice.a").exists():
        return [f"-L{folder}", "-Xoffload-linker", "-lompdevice", "-Wl,--device-compiler=--cuda-feature=+ptx80"]
    return None


def make_toolkit():
    """A folder of our tools, as a toolkit: it keeps clang from finding NVIDIA's."""
    (FOLDER / "bin").mkdir()
    for tool in ("ptxas", "nvlink", "fatbinary"):
        (FOLDER / "bin" / tool).symlink_to(BIN / tool)
    (FOLDER / "include").mkdir()
    write("include/cuda.h", "#define CUDA_VERSION 12050\n")


def check_program(what, program, **more):
    if not (FOLDER / program).exists():
        return  # it did not compile, which is said
    code, out, err = run(program, env=environment(**more))
    check(code == 0 and out.strip().endswith("passed"), f"{what}: {code} {out} {err}")


def check_clang(clang, libraries):
    # -nogpulib: there is no libdevice
    options = ["-O2", "-fopenmp", "--offload-arch=sm_90", "-nogpulib", "--cuda-path=" + str(FOLDER)]
    (FOLDER / "program").unlink(missing_ok=True)
    loads = {"LD_LIBRARY_PATH": f"{LIBRARY}:{root_of(clang) / 'lib'}"}
    sources = [SOURCE / "offload.c", SOURCE / "offload_part.c"]
    code, _, err = run(clang, *options, *sources, *libraries, "-o", "program", env=environment())
    check(code == 0, f"{clang} -fopenmp: {err}")
    check_program(f"what {clang} makes of target regions", "./program", **loads)
    for source in sources:
        run(clang, *options, "-c", source, env=environment())
    run("ar", "rc", "libpart.a", "offload_part.o")
    code, _, err = run(clang, *options, "offload.o", "-L.", "-lpart", *libraries, "-o", "program", env=environment())
    check(code == 0, f"{clang} links a library: {err}")
    check_program("a program with a library", "./program", **loads)


def check_clang_cuda(clang):
    """-fgpu-rdc: two files, one image, in a fatbin."""
    write("twice.cu", "__device__ int twice(int value) { return 2 * value; }\n")
    write("linked.cu", """
__device__ int twice(int value);
__global__ void kernel(int *p) { *p = twice(21); }
int main()
{
    int *p, value = 0;
    cudaMalloc((void **)&p, 4);
    kernel<<<1, 1>>>(p);
    cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
    return value == 42 ? puts("passed"), 0 : 1;
}
""")
    options = ["--offload-new-driver", f"-B{BIN}", "--cuda-path=" + str(FOLDER)]
    code, _, err = run(clang, "-x", "cuda", "--cuda-gpu-arch=sm_90", "-fgpu-rdc", "-nocudainc", "-nocudalib",
                       f"-I{ROOT / 'runtime' / 'include'}", f"-I{ROOT / 'include'}", "-include", "cuda_runtime.h",
                       "-include", "stdio.h", "-Xclang", "-target-sdk-version=12.5", *options, "-c", "twice.cu",
                       "linked.cu", env=environment())
    check(code == 0, f"{clang} -fgpu-rdc: {err}")
    code, _, err = run(clang, *options, "--offload-link", "twice.o", "linked.o", f"-L{LIBRARY}", "-lcudart_static",
                       "-ldl", "-lpthread", "-lrt", "-lstdc++", "-o", "linked", env=environment())
    check(code == 0, f"{clang} --offload-link: {err}")
    check_program("a program of -fgpu-rdc", "./linked", LD_LIBRARY_PATH=str(LIBRARY))


def find_gcc():
    """gcc that compiles target regions for nvptx; of aarch64 those before 15 cannot."""
    write("probe.c", "int main(void)\n{\n#pragma omp target\n    { }\n    return 0;\n}\n")
    for name in ("gcc-16", "gcc-15", "gcc-14", "gcc-13", "gcc-12", "gcc"):
        if shutil.which(name):
            code, _, _ = run(name, "-fopenmp", "-foffload=nvptx-none", "probe.c", "-o", "probe")
            if code == 0:
                return name
    return None


def check_gcc(gcc):
    options = ["-O2", "-fopenmp", "-foffload=nvptx-none", "-foffload-options=-latomic", "-fno-stack-protector"]
    _, version, _ = run(gcc, "-dumpversion")
    programs = [["offload.c", "offload_part.c"]]
    if int(version.split(".")[0]) >= 13:
        programs.append(["offload_reverse.c"])
    for names in programs:
        code, _, err = run(gcc, *options, *[SOURCE / name for name in names], "-o", "program")
        check(code == 0, f"{gcc} -fopenmp {names}: {err}")
        check_program(f"what GCC makes of {names}", "./program", LD_LIBRARY_PATH=str(LIBRARY))


make_toolkit()
tried = []
for clang in filter(links_device_code, clangs()):
    runtime = device_runtime(clang)
    if runtime:
        check_clang(clang, runtime)
    check_clang_cuda(clang)
    tried.append(f"{clang} ({'OpenMP and ' if runtime else ''}CUDA)")
gcc = find_gcc()
if gcc:
    check_gcc(gcc)
    tried.append(gcc)
if not tried:
    print("neither clang nor gcc links device code for nvptx")
    sys.exit(77)
print("compilers:", *tried)
finish()
