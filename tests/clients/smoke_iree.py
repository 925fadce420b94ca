# SPDX-License-Identifier: MIT
"""IREE: a product of matrices, compiled to PTX for sm_80 and run on its CUDA device."""
import iree.compiler as compiler
import iree.runtime as runtime
import numpy as np

SOURCE = """
func.func @product(%a: tensor<16x32xf32>, %b: tensor<32x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x8xf32>) -> tensor<16x8xf32>
  %c = linalg.matmul ins(%a, %b : tensor<16x32xf32>, tensor<32x8xf32>) outs(%start : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}
"""
code = compiler.compile_str(SOURCE, target_backends=["cuda"], extra_args=["--iree-cuda-target=sm_80"])
config = runtime.Config("cuda")
context = runtime.SystemContext(config=config)
context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, code))
a, b = np.random.rand(16, 32).astype(np.float32), np.random.rand(32, 8).astype(np.float32)
assert np.allclose(context.modules.module["product"](a, b).to_host(), a @ b, atol=1e-5)
