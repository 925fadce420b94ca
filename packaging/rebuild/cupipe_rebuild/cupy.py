# SPDX-License-Identifier: MIT
"""CuPy, from its source distribution on PyPI."""
TITLE = "CuPy"
TAKES = "15 minutes of processor time"
VERSION = "14.2.0"
DISTRIBUTIONS = ("cupy-cuda13x", "cupy-cuda12x", "cupy")
NEEDS = {"nvcc": "a CUDA toolkit", "g++": "Debian's package g++"}
HEADERS = ("cublas_v2.h", "cufft.h", "curand.h", "cusolverDn.h", "cusparse.h", "nvrtc.h")


def build(context):
    options = context.options
    wheel = context.wheel("cupy", CUPY_NVCC_GENERATE_CODE=f"arch=compute_{options.ptx},code=compute_{options.ptx}",
                          CUPY_NUM_BUILD_JOBS=str(options.jobs), CUPY_NUM_NVCC_THREADS="1", CXXFLAGS="-O1 -g0 -w")
    context.install(wheel)
    return [*context.packages.glob("cupy_backends/cuda/api/runtime*.so"), *context.packages.glob("cupy/cuda/*.so")]
