# SPDX-License-Identifier: MIT
"""cuda.bindings: the two modules that contain the runtime, by the package's own setup. The others stay as they are."""
import shutil
from pathlib import Path

TITLE = "cuda.bindings"
TAKES = "3 minutes of processor time"
VERSION = None
DISTRIBUTIONS = ("cuda-bindings",)
NEEDS = {"nvcc": "a CUDA toolkit, with the headers of the package's version", "g++": "Debian's package g++",
         "git": "Debian's package git, or the sources of cuda-python with --source"}
HEADERS = ("cudaProfiler.h", "cuda_profiler_api.h")
URL = "https://github.com/NVIDIA/cuda-python"
BUILDERS = ("setuptools>=80", "setuptools_scm[simple]>=8", "cython>=3.2,<3.3", "pyclibrary>=0.1.7", "cuda-pathfinder>=1.5")


def missing(context):
    if not context.environment["versions"]:
        return ["cuda-bindings in the environment, two of whose modules are built again: pip install cuda-bindings"]
    toolkit = context.toolkit_source()
    version = context.cuda_version(toolkit) if toolkit else None
    wanted = ".".join(context.version.split(".")[:2])
    if version and wanted != f"{version[0]}.{version[1]}":
        return [f"the headers of CUDA {wanted}, whose functions cuda.bindings {context.version} has: {toolkit} is of CUDA "
                f"{version[0]}.{version[1]}. Name another toolkit with --toolkit, or pip install cuda-bindings=={version[0]}.{version[1]}.*"]
    return []


def build(context):
    source = context.clone(URL, f"v{context.version}")
    if (source / "cuda_bindings").is_dir():
        source = source / "cuda_bindings"
    builders = context.work / "builders"
    shutil.rmtree(builders, ignore_errors=True)
    context.pip("install", "--target", builders, *BUILDERS)
    context.run([context.python, Path(__file__).with_name("build_bindings.py"), source], PYTHONPATH=str(builders),
                SETUPTOOLS_SCM_PRETEND_VERSION=context.version, CUDA_PYTHON_PARALLEL_LEVEL=str(context.options.jobs))
    built = [*source.glob("cuda/bindings/_bindings/cyruntime*.so"), *source.glob("cuda/bindings/_internal/runtime*.so")]
    for module in built:
        shutil.copy2(module, context.packages / module.relative_to(source))
    return [context.packages / module.relative_to(source) for module in built]
