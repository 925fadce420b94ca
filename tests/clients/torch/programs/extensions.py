# SPDX-License-Identifier: MIT
"""Users' own kernels: load_inline with cuda_sources, and a CUDAExtension that setuptools builds."""
# packages: torch setuptools ninja
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils.cpp_extension import load_inline

KERNEL = """
#include <cuda_runtime.h>
__global__ void square_kernel(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
void launch_square(const float *in, float *out, int n, cudaStream_t stream) {
    square_kernel<<<(n + 127) / 128, 128, 0, stream>>>(in, out, n);
}
"""
# In a file of its own, because nvcc takes minutes to read torch's headers.
BINDING = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
void launch_square(const float *in, float *out, int n, cudaStream_t stream);
torch::Tensor square(torch::Tensor x) {
    auto out = torch::empty_like(x);
    launch_square(x.data_ptr<float>(), out.data_ptr<float>(), x.numel(), c10::cuda::getCurrentCUDAStream());
    return out;
}
"""
SETUP = """
from glob import glob
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name="squares", ext_modules=[CUDAExtension("squares", glob("*.c*"))], cmdclass={"build_ext": BuildExtension})
"""
MODULE = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("square", &square); }'
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0+PTX")
os.environ.setdefault("MAX_JOBS", "1")
x = torch.randn(1000, device="cuda")
with tempfile.TemporaryDirectory() as folder:
    inline = load_inline("squares_inline", BINDING, KERNEL, functions=["square"], build_directory=folder, no_implicit_headers=True)
    torch.testing.assert_close(inline.square(x).cpu(), x.cpu() ** 2)
    print("load_inline right", flush=True)
with tempfile.TemporaryDirectory() as folder:
    for name, ending, text in (("kernel", ".cu", KERNEL), ("binding", ".cpp", BINDING + MODULE), ("setup", ".py", SETUP)):
        (Path(folder) / (name + ending)).write_text(text)
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True)
    sys.path.insert(0, folder)
    import squares
    torch.testing.assert_close(squares.square(x * 2).cpu(), (x.cpu() * 2) ** 2)
print("CUDAExtension right")
