# SPDX-License-Identifier: MIT
"""Warp: warp.so alone, by its own build script. The rest of the package stays as it is.

It is linked with shared libraries, which are cupipe's as it runs, so NVRTC compiles its kernels to PTX. It has no libmathdx,
whose device code is for NVIDIA's compiler alone: products and transforms of tiles want it.
"""
import shutil

TITLE = "Warp"
TAKES = "5 minutes of processor time"
VERSION = None
DISTRIBUTIONS = ("warp-lang",)
NEEDS = {"nvcc": "a CUDA toolkit", "g++": "Debian's package g++", "git": "Debian's package git, or its sources with --source"}
HEADERS = ("nvrtc.h", "nvPTXCompiler.h", "cub/cub.cuh")
URL = "https://github.com/NVIDIA/warp"


def missing(context):
    if not context.environment["versions"]:
        return ["warp-lang in the environment, whose warp.so is built again: pip install warp-lang"]
    toolkit = context.toolkit_source()
    version, driver = context.cuda_version(toolkit) if toolkit else None, context.driver_version()
    if version and version > driver:    # it runs on no driver that is older than its toolkit
        newest = ".".join(map(str, driver))
        return [f"a toolkit of CUDA {newest} or older, as the driver: {toolkit} is of CUDA {version[0]}.{version[1]}. Name another with "
                f"--toolkit, or, where it is pip's, pip install nvidia-cuda-runtime=={newest}.*"]
    return []


def build(context):
    source = context.clone(URL, f"v{context.version}")
    cubin = context.library / "cubin"
    context.put(cubin / "libnvrtc.so.13", "libnvrtc.so")
    context.put(cubin / "libnvptxcompiler_static.a", "libnvptxcompiler_static.a")
    context.run([context.python, "build_lib.py", "--cuda-path", context.toolkit, "--quick", "--use-dynamic-cuda", "--no-standalone",
                 "--no-use-libmathdx", "--jobs", context.options.jobs], folder=source, PYTHONPATH=str(source))
    target = context.packages / "warp" / "bin" / "warp.so"
    shutil.copy2(source / "warp" / "bin" / "warp.so", target)
    return [target]
