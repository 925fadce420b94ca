#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the two modules of cuda.bindings that contain the CUDA runtime, with our libcudart_static.a in them.

usage: rebuild_bindings.py SOURCE LIBRARY_FOLDER CUDA_HOME TARGET

SOURCE is cuda_bindings of NVIDIA/cuda-python at the version that is installed, CUDA_HOME a toolkit whose headers have
that version, TARGET the folder cuda/bindings/_bindings of the installed package. The source's own setup.py builds the
modules; the others of the package stay as they are. SOURCE is not changed. Needs Cython, pyclibrary and setuptools.
"""
import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

MODULES = "cuda.bindings._bindings.cyruntime"    # and cyruntime_ptds


def build(source):
    """Runs setup.py for those modules alone: the others take many minutes to compile."""
    import Cython.Build
    whole = Cython.Build.cythonize
    Cython.Build.cythonize = lambda extensions, **options: whole(
        [extension for extension in extensions if extension.name.startswith(MODULES)], **options)
    os.chdir(source)
    sys.path.insert(0, str(source))
    sys.argv = ["setup.py", "build_ext", "--inplace"]
    runpy.run_path("setup.py", run_name="__main__")


def main():
    source, library, toolkit, target = (Path(word).resolve() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as scratch:
        ours = Path(scratch) / "ours"
        (ours / "lib").mkdir(parents=True)
        (ours / "lib" / "libcudart_static.a").symlink_to(library / "libcudart_static.a")
        # Libraries are looked for in all of these folders in turn, headers too.
        os.environ["CUDA_HOME"] = f"{ours}{os.pathsep}{toolkit}"
        copy = Path(scratch) / "source"
        shutil.copytree(source, copy)
        build(copy)
        built = list((copy / "cuda/bindings/_bindings").glob("cyruntime*.so"))
        for module in built:
            shutil.copy2(module, target)
        os.chdir("/")
    return 0 if len(built) == 2 else 1


if __name__ == "__main__":
    sys.exit(main())
