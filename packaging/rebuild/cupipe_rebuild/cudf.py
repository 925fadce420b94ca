# SPDX-License-Identifier: MIT
"""cuDF and RMM, on which it stands: wheels of their C++ libraries and of the modules that use these, one after the other.

Their builds fetch the sources of many other libraries.
"""
import shutil

TITLE = "cuDF"
TAKES = "many hours of processor time, 30 GB of disk"
VERSION = None
DISTRIBUTIONS = ("libcudf-cu13", "pylibcudf-cu13", "cudf-cu13", "librmm-cu13", "rmm-cu13")
NEEDS = {"nvcc": "a CUDA toolkit", "g++": "Debian's package g++", "git": "Debian's package git",
         "cmake": "pip install cmake, 3.30 or later", "ninja": "Debian's package ninja-build, or pip install ninja"}
HEADERS = ("cub/cub.cuh", "cufile.h", "nvrtc.h")
URLS = {"rmm": "https://github.com/rapidsai/rmm", "cudf": "https://github.com/rapidsai/cudf"}
WHEELS = {"rmm": ("librmm", "rmm"), "cudf": ("libcudf", "pylibcudf", "cudf")}


def missing(context):
    if context.options.source:
        lost = [name for name in WHEELS if not (context.options.source / name / "python").is_dir()]
        return [f"{context.options.source}/{name}: --source names a folder with the repositories rmm and cudf" for name in lost]
    if not context.environment["versions"]:
        return ["cuDF in the environment, which is built again: pip install cudf-cu13"]
    return []


def build(context):
    wheels = context.work / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    for name, packages in WHEELS.items():
        source = context.options.source / name if context.options.source else context.work / name
        if not context.options.source:
            shutil.rmtree(source, ignore_errors=True)
            context.run(["git", "clone", "--depth", "1", "--branch", f"v{context.version}", URLS[name], source])
        for package in packages:
            context.pip("wheel", "-v", "--no-deps", "--find-links", wheels, "-w", wheels, source / "python" / package,
                        SKBUILD_CMAKE_ARGS=f"-DCMAKE_CUDA_ARCHITECTURES={context.options.ptx}-virtual",
                        RAPIDS_CUDA_VERSION=".".join(map(str, context.cuda_version(context.toolkit))))
            context.pip("install", "--no-deps", "--force-reinstall", *wheels.glob(f"{package}_cu13-*.whl"))
    return [*context.packages.glob("libcudf/lib*/libcudf.so"), *context.packages.glob("librmm/lib*/librmm.so")]
