#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a small program of a client of CUDA on this build, with known answers; 77 if the client is not installed.

usage: smoke.py LIBRARY_FOLDER NAME [PYTHON]        # PYTHON: $CUPIPE_TEST_PYTHON, or the one that runs this
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
# Client: the module that must be importable, and variables beyond those that all have. {lib} is the library folder,
# {toolkit} a folder with nvcc and our ptxas.
CLIENTS = {
    "numba": ("numba_cuda", {}),
    # Its tests have nvcc make an object for all GPUs, with PTX for the newest alone: PTX for this one is added.
    "numba_mlir": ("numba_cuda_mlir", {}),
    "cuda_bindings": ("cuda.bindings", {}),
    "cuda_core": ("cuda.core", {"NVCC_APPEND_FLAGS": "-gencode arch=compute_90,code=compute_90"}),
    "tinygrad": ("tinygrad", {"DEV": "CUDA:PTX"}),
    "triton": ("triton", {"TRITON_LIBCUDA_PATH": "{lib}", "TRITON_PTXAS_PATH": "{lib}/bin/ptxas",
                          "TRITON_PTXAS_BLACKWELL_PATH": "{lib}/bin/ptxas",
                          "TRITON_CACHE_DIR": "{scratch}"}),
    "halide": ("halide", {}),
    "drjit": ("drjit", {}),
    "tvm": ("tvm", {"TVM_CUDA_COMPILE_MODE": "nvrtc"}),
    "mojo": ("max", {"MODULAR_NVPTX_COMPILER_PATH": "{lib}/bin/ptxas"}),
    "openmm": ("openmm", {}),
    "faiss": ("faiss", {}),
    "jax": ("jax_cuda13_plugin", {}),
    "tensorflow": ("tensorflow", {}),
    "nvidia_ml": ("pynvml", {}),
    "gpustat": ("gpustat", {}),
    "nvitop": ("nvitop", {}),
    "iree": ("iree.compiler", {}),
    "quadrants": ("quadrants", {}),
    "slangpy": ("slangpy", {}),
    "pycuda": ("pycuda", {"PATH": "{toolkit}/bin:" + os.environ.get("PATH", "")}),
}
# Run by `cupipe run`, which preloads more libraries than others want. Faiss opens NVIDIA's by their paths.
BY_COMMAND = ("jax", "tensorflow", "faiss")
# Where a client may be installed that the given interpreter does not have: the distribution's own.
OTHERS = ("/usr/bin/python3",)
PRELOADED = ("libnvrtc.so.13", "libnvJitLink.so.13")


def environment(library, scratch, name):
    values = {"lib": library, "scratch": scratch, "toolkit": scratch / "cuda"}
    made = {**os.environ,
            "LD_LIBRARY_PATH": f"{library}:" + os.environ.get("LD_LIBRARY_PATH", ""),
            "LD_PRELOAD": ":".join(str(library / "cubin" / file) for file in PRELOADED)}
    if "{toolkit}" in str(CLIENTS[name][1]):
        if not shutil.which("nvcc"):
            return None
        subprocess.run([library / "bin" / "cupipe-toolkit", scratch / "cuda"], check=True, stdout=subprocess.DEVNULL)
    made.update({variable: value.format(**values) for variable, value in CLIENTS[name][1].items()})
    return made


def program_of(name):
    return Path(__file__).resolve().parent / f"smoke_{name}.py"


def interpreter(python, module):
    """The given one, or another that has the module; None if none has it."""
    find = f"import importlib.util as u, sys; sys.exit(not u.find_spec({module!r}))"
    for candidate in (python, *OTHERS):
        if shutil.which(candidate) and not subprocess.run([candidate, "-c", find], stderr=subprocess.DEVNULL).returncode:
            return candidate
    return None


def main():
    library, name = Path(sys.argv[1]).resolve(), sys.argv[2]
    python = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("CUPIPE_TEST_PYTHON", sys.executable)
    module = CLIENTS[name][0]
    python = interpreter(python, module)
    if not python:
        print(f"{module} is not installed")
        return SKIP
    with tempfile.TemporaryDirectory() as folder:
        made = environment(library, Path(folder), name)
        if made is None:
            print("nvcc is not installed")
            return SKIP
        program = program_of(name)
        words = [python, program]
        if name in BY_COMMAND:
            words = [library.parent / "bin" / "cupipe", "run", *words]
            made = {**os.environ, **CLIENTS[name][1]}
        return subprocess.run(words, env=made, cwd=folder).returncode


if __name__ == "__main__":
    sys.exit(main())
