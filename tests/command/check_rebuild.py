#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe rebuild: its options and messages, and a whole build of sources made here; what cupipe doctor says of packages.

usage: check_rebuild.py BUILD SOURCE CC
"""
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

from command import (FOLDER, LIBRARY, NVCC, PTX, SOURCE, check, compile_c, cupipe, fatbin, finish,
                     run, with_device_code, write)

TOOLS = LIBRARY / "bin"


def rebuild(status, *words, parts=(), env=None):
    code, out, err = cupipe("rebuild", *words, env=env)
    check(code == status, f"rebuild {' '.join(map(str, words))}: {status}, not {code}: {out}{err}")
    for part in parts:
        check(part in out + err, f"rebuild {' '.join(map(str, words))}: says {part}: {out}{err}")
    return out + err


def environment(name, **versions):
    """An environment with distributions of these versions; the folder of its packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", FOLDER / name], check=True)
    packages = FOLDER / name / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages"
    (packages / "pip").mkdir()
    (packages / "pip" / "__init__.py").touch()
    for distribution, version in versions.items():
        write(packages / f"{distribution}-{version}.dist-info" / "METADATA",
              f"Metadata-Version: 2.1\nName: {distribution.replace('_', '-')}\nVersion: {version}\n")
    return FOLDER / name / "bin" / "python", packages


# The names are those that libcuda and cupipe doctor tell.
table = re.findall(r'^CUP_REBUILD\("([^"]+)"', (SOURCE / "src/core/rebuild.def").read_text(), re.M)
sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True
from cupipe_rebuild import RECIPES, recipe  # noqa: E402
check(set(table) == set(RECIPES), f"rebuild.def and the recipes have the same names: {set(table) ^ set(RECIPES)}")
listed = rebuild(0)
for name in RECIPES:
    check(f"  {name} " in listed, f"{name} is listed: {listed}")
    one = recipe(name)
    check(one.TITLE and one.TAKES and "nvcc" in one.NEEDS and one.DISTRIBUTIONS and callable(one.build), f"{name} is complete")
    check((TOOLS / "cupipe_rebuild" / f"{RECIPES[name]}.py").is_file(), f"{name} is in the build")

# Wrong use.
rebuild(125, "nosuch", parts=["there is no recipe for nosuch; there are cupy, xgboost, warp, cudf, cuda-bindings"])
rebuild(125, "cupy", "--nonsense", parts=["--nonsense", "cupipe rebuild --help"])
rebuild(125, "cupy", "--jobs", "0", parts=["0 is not a number from 1 on"])
rebuild(125, "cupy", "--ptx", "sm_90", parts=["sm_90 is not a number"])
rebuild(125, "cupy", "--source", "/no/such", parts=["/no/such is no folder"])
rebuild(125, "cupy", "--toolkit", "/no/such", parts=["/no/such is no folder"])
rebuild(0, "--help", parts=["usage: cupipe rebuild NAME", "--python", "--version", "--source", "--toolkit", "--work", "--ptx",
                            "--jobs", "--check"])
rebuild(1, "cupy", "--python", "no-such-python", parts=["there is no program no-such-python", "--python"])
rebuild(1, "cupy", "--python", "/bin/false", parts=["/bin/false is not an interpreter of Python"])

# What is missing, all of it at once.
bare, _ = environment("bare")
write("cuda12/bin/nvcc", "#!/bin/sh\n", 0o755)
write("cuda12/include/cuda.h", "#define CUDA_VERSION 12080\n")
said = rebuild(1, "cupy", "--python", bare, "--toolkit", FOLDER / "cuda12", "--check", parts=[
    "cuda12/include/cuda_runtime.h", "cuda12/include/cublas_v2.h", "a toolkit of CUDA 13", "is of CUDA 12.8"])
check("14.2.0" not in said, "a version is known without an installed one")
write("empty/file", "")
rebuild(1, "warp", "--python", bare, "--toolkit", FOLDER / "empty", "--check", parts=[
    "empty/bin/nvcc: name the folder of a toolkit with --toolkit", "pip install warp-lang", "name one with --version"])
rebuild(1, "cudf", "--python", bare, "--source", FOLDER / "empty", "--check", parts=[
    "--source names a folder with the repositories rmm and cudf"])
rebuild(1, "warp", "--python", bare, "--toolkit", FOLDER / "cuda12", "--check", parts=[
    "nvPTXCompiler.h: install the toolkit's package that has it, or have the toolkit of pip in the environment: "
    "pip install nvidia-cuda-nvcc nvidia-nvptxcompiler"])
piped, packages = environment("piped", warp_lang="1.16.0")
write(packages / "nvidia/cu13/bin/nvcc", "#!/bin/sh\n", 0o755)
rebuild(1, "warp", "--python", piped, "--check", parts=["nvPTXCompiler.h: pip install nvidia-nvptxcompiler into the environment"])
write(packages / "nvidia/cu13/include/cuda.h", "#define CUDA_VERSION 99010\n")
rebuild(1, "warp", "--python", piped, "--check", parts=["is of CUDA 99.1", "or older, as the driver", "pip install nvidia-cuda-runtime==13."])
bindings, packages = environment("bindings", cuda_bindings="13.5.0")
headers = ["cuda_runtime.h", "cudaProfiler.h", "cuda_profiler_api.h"]
write("cuda130/bin/nvcc", "#!/bin/sh\n", 0o755)
write("cuda130/include/cuda.h", "#define CUDA_VERSION 13000\n")
for header in headers:
    write(f"cuda130/include/{header}", "")
rebuild(1, "cuda-bindings", "--python", bindings, "--toolkit", FOLDER / "cuda130", "--check", parts=[
    "the headers of CUDA 13.5, whose functions cuda.bindings 13.5.0 has", "is of CUDA 13.0", "pip install cuda-bindings==13.0.*"])
(packages / "pip" / "__init__.py").unlink()
(packages / "pip").rmdir()
rebuild(1, "cuda-bindings", "--python", bindings, "--toolkit", FOLDER / "cuda130", "--check", "--version", "13.0.3",
        parts=["-m ensurepip"])

# Sources whose build fails: the message has the end of what it said, and the installed library stays.
if NVCC:
    warp, packages = environment("warp", warp_lang="1.16.0")
    library = write(packages / "warp" / "bin" / "warp.so", "the wheel's")
    toolkit = FOLDER / "toolkit"
    run(TOOLS / "cupipe-toolkit", toolkit, Path(NVCC).resolve().parents[1])
    for header in recipe("warp").HEADERS:
        if not (toolkit / "include" / header).is_file():    # what this toolkit's packages lack, the build here does not use
            write(toolkit / "include" / header, "")
    write("source/build_lib.py", "import sys\nprint('as it', 'fails')\nsys.exit(3)\n")
    words = ("warp", "--python", warp, "--source", FOLDER / "source", "--work", FOLDER / "work", "--jobs", "1")
    env = {"CUDA_HOME": str(toolkit)}
    rebuild(1, *words, parts=["failed, exit status 3", "as it fails", "work/build.log"], env=env)
    check(library.read_text() == "the wheel's", "a build that fails changes nothing")
    # One that ends well: it is compiled by the toolkit's nvcc, and gets cupipe's runtime.
    write("source/a.cu", 'extern "C" int count() { int n = 0; return cudaGetDeviceCount(&n) ? -1 : n; }\n')
    write("source/build_lib.py", """
import os, subprocess, sys
assert os.environ["CUDA_HOME"] == sys.argv[sys.argv.index("--cuda-path") + 1] and os.path.isfile("a.cu")
os.makedirs("warp/bin", exist_ok=True)
subprocess.run(["nvcc", "-shared", "-Xcompiler", "-fPIC", "-arch=compute_90", "-code=compute_90", "a.cu", "-o", "warp/bin/warp.so"],
               check=True)
""")
    rebuild(0, *words, parts=["building Warp 1.16.0", "Warp is built and installed"], env=env)
    check(b".note.cupipe.runtime" in library.read_bytes(), "the library has cupipe's runtime")
    check(not (FOLDER / "source" / "warp").exists(), "the sources that were given are not changed")
    write("count.py", f"import ctypes; print(ctypes.CDLL({str(library)!r}).count())\n")
    code, out, err = cupipe("run", warp, FOLDER / "count.py", env={"CUPIPE_DEVICES": "3"})
    check((code, out) == (0, "3\n"), f"it runs on cupipe: {code} {out} {err}")

# What cupipe doctor says of libraries with NVIDIA's runtime inside, by their packages.
python, packages = environment("doctor")
code = with_device_code(fatbin(1, PTX, 80)) + "int part(void);\nint part(void) { return 1; }\n"
for name in ("cupy_backends/one.so", "cupy/two.so", "other/three.so", "cupy/clean.so", "stub/four.so", "cuda/bindings/_internal/runtime.so"):
    (packages / name).parent.mkdir(parents=True, exist_ok=True)
    text = "int part;\n" if "clean" in name or "cuda/" in name else code
    text += "int cudart_stub(void);\nint cudart_stub(void) { return 0; }\n" if "stub" in name else ""
    compile_c(str((packages / name).relative_to(FOLDER)), text, "-shared", "-fPIC")
code, out, err = cupipe("doctor", python)
for part in ("CuPy has NVIDIA's CUDA runtime linked in", "and 1 more. To build it again with cupipe's: cupipe rebuild cupy",
             "note: other has NVIDIA's CUDA runtime", f"nvcc -L{LIBRARY}", "cupipe rebuild cuda-bindings"):
    check(part in out, f"doctor of a Python says {part}: {out}{err}")
check(code == 0 and "stub" not in out.replace("stub/", "") and "clean.so" not in out, f"and no more: {code} {out}")
code, out, err = cupipe("doctor", packages / "cupy/two.so")
check(code == 126 and "Build CuPy again with cupipe's: cupipe rebuild cupy." in out, f"doctor of a library: {code} {out}")
code, out, _ = cupipe("doctor", python, env={"LD_LIBRARY_PATH": str(LIBRARY)})
check(f"libcuda.so.1 without cupipe run: {LIBRARY}/libcuda.so.1, which is this cupipe's" in out, f"the driver: {out}")
(FOLDER / "elsewhere").mkdir()
compile_c("elsewhere/libcuda.so.1", "int cuInit;\n", "-shared", "-fPIC")
code, out, _ = cupipe("doctor", python, env={"LD_LIBRARY_PATH": str(FOLDER / "elsewhere")})
check("elsewhere/libcuda.so.1, which is not cupipe's: run programs by cupipe run" in out, f"another driver: {out}")

# A library that needs one that is not there.
write("lost.c", "int lost(void);\nint lost(void) { return 1; }\n")
compile_c("liblost.so.1", "int lost(void);\nint lost(void) { return 1; }\n", "-shared", "-fPIC", "-Wl,-soname,liblost.so.1")
compile_c("needs.so", "int lost(void);\nint part(void);\nint part(void) { return lost(); }\n", "-shared", "-fPIC", "./liblost.so.1")
(FOLDER / "liblost.so.1").unlink()
code, out, _ = cupipe("doctor", FOLDER / "needs.so")
check(code == 126 and "liblost.so.1 is missing" in out, f"doctor of a library lists what it needs: {code} {out}")
finish()
