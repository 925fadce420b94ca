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

SOURCE = """
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>
__global__ void square_kernel(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}
torch::Tensor square(torch::Tensor x) {
    auto out = torch::empty_like(x);
    square_kernel<<<(x.numel() + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
    return out;
}
"""
SETUP = """
import os
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name="squares", ext_modules=[CUDAExtension("squares", [os.environ["SOURCE_FILE"]])], cmdclass={"build_ext": BuildExtension})
"""
BIND = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("square", &square); }'
os.environ.setdefault("TORCH_CUDA_ARCH_LIST", "9.0+PTX")
os.environ.setdefault("MAX_JOBS", "1")
x = torch.randn(1000, device="cuda")
with tempfile.TemporaryDirectory() as folder:
    inline = load_inline("squares_inline", "torch::Tensor square(torch::Tensor x);", SOURCE, functions=["square"], build_directory=folder)
    torch.testing.assert_close(inline.square(x).cpu(), x.cpu() ** 2)
    print("load_inline right", flush=True)
with tempfile.TemporaryDirectory() as folder:
    source = Path(folder) / "squares.cu"
    source.write_text(SOURCE + BIND)
    (Path(folder) / "setup.py").write_text(SETUP)
    subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=folder, check=True,
                   env={**os.environ, "SOURCE_FILE": source.name})
    sys.path.insert(0, folder)
    import squares
    torch.testing.assert_close(squares.square(x * 2).cpu(), (x.cpu() * 2) ** 2)
print("CUDAExtension right")
