# SPDX-License-Identifier: MIT
"""Builds the modules of cuda.bindings that contain the CUDA runtime, by the package's own setup.py.

usage: build_bindings.py SOURCE

SOURCE is the folder cuda_bindings of NVIDIA/cuda-python, in which they are built. CUDA_HOME is the toolkit, whose headers
have the same version and whose static runtime they get. Needs Cython, pyclibrary and setuptools.
"""
import os
import runpy
import sys
from pathlib import Path

# Each with a second one, whose name ends in _ptds; the first ones before 13.4.
MODULES = "cuda.bindings._bindings.cyruntime", "cuda.bindings._internal.runtime"


def main():
    source = Path(sys.argv[1]).resolve()
    import Cython.Build
    whole = Cython.Build.cythonize
    # The others take many minutes to compile.
    Cython.Build.cythonize = lambda extensions, **options: whole(
        [extension for extension in extensions if extension.name.startswith(MODULES)], **options)
    os.chdir(source)
    sys.path.insert(0, str(source))
    if (source / "build_hooks.py").is_file():    # since 13.2 setup.py takes what these have made
        import build_hooks
        build_hooks._build_cuda_bindings()
    sys.argv = ["setup.py", "build_ext", "--inplace"]
    runpy.run_path("setup.py", run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
