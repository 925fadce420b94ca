# SPDX-License-Identifier: MIT
"""The kernels of Triton's tutorials 01, 02, 03, 05, 06 (forward) and 09, unchanged, on arrays of numpy: the tutorials take
tensors of torch on a GPU, so their kernels are cut out of them.

usage: triton_tutorials.py FOLDER       # python/tutorials of triton-lang/triton

For sm_80 and for sm_90, or for what TRITON_OVERRIDE_ARCH says.
"""
import ast
import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import triton
from smoke_triton import Array
from triton.tools.tensor_descriptor import TensorDescriptor

HEAD = "import triton\nimport triton.language as tl\n\n"
VARIABLE = "TRITON_OVERRIDE_ARCH"
SCRATCH = tempfile.TemporaryDirectory()


def kernels(name):
    """A module with the functions of a tutorial that are compiled, without autotuning."""
    text = next(Path(sys.argv[1]).glob(name + "*.py")).read_text()
    lines, parts = text.splitlines(keepends=True), []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(d).startswith("triton.jit") for d in node.decorator_list):
            parts.append("@triton.jit\n" + "".join(lines[node.lineno - 1:node.end_lineno]) + "\n\n")
    path = Path(SCRATCH.name) / f"tutorial_{name}.py"
    path.write_text(HEAD + "".join(parts))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def random(*shape, kind=np.float32):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(kind)


def vector_add():
    x, y = random(98432), random(98432)
    out = Array(np.zeros_like(x))
    kernels("01").add_kernel[(triton.cdiv(x.size, 1024),)](Array(x), Array(y), out, x.size, BLOCK_SIZE=1024)
    assert np.array_equal(out.numpy(), x + y)


def softmax():
    x = random(183, 781)
    out = Array(np.zeros_like(x))
    kernels("02").softmax_kernel[(32, 1, 1)](out, Array(x), 781, 781, 183, 781, BLOCK_SIZE=1024, num_stages=2, num_warps=8)
    e = np.exp(x - x.max(1, keepdims=True))
    assert np.allclose(out.numpy(), e / e.sum(1, keepdims=True), atol=1e-6)


def matmul():
    a, b = random(128, 96, kind=np.float16), random(96, 160, kind=np.float16)
    out = Array(np.zeros((128, 160), np.float16))
    module, grid = kernels("03"), (triton.cdiv(128, 64) * triton.cdiv(160, 64),)
    for activation in ("", "leaky_relu"):
        module.matmul_kernel[grid](Array(a), Array(b), out, 128, 160, 96, 96, 1, 160, 1, 160, 1, BLOCK_SIZE_M=64,
                                   BLOCK_SIZE_N=64, BLOCK_SIZE_K=32, GROUP_SIZE_M=8, ACTIVATION=activation, num_warps=4,
                                   num_stages=3)
        wanted = a.astype(np.float32) @ b.astype(np.float32)
        if activation:
            wanted = np.where(wanted >= 0, wanted, 0.01 * wanted)
        assert np.allclose(out.numpy().astype(np.float32), wanted, atol=5e-2), activation


def layer_norm():
    rows, columns, group = 64, 512, 256
    x, dy, w, b = random(rows, columns), 0.1 * random(rows, columns), random(columns), random(columns)
    y, mean, rstd = Array(np.zeros_like(x)), Array(np.zeros(rows, np.float32)), Array(np.zeros(rows, np.float32))
    module = kernels("05")
    module._layer_norm_fwd_fused[(rows,)](Array(x), y, Array(w), Array(b), mean, rstd, columns, columns, 1e-5,
                                          BLOCK_SIZE=512, num_warps=2)
    hat = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    assert np.allclose(y.numpy(), hat * w + b, atol=1e-4)
    locks = Array(np.zeros(2 * group, np.int32))
    parts = [Array(np.zeros((group, columns), np.float32)) for _ in range(2)]
    dw, db, dx = Array(np.zeros_like(w)), Array(np.zeros_like(b)), Array(np.zeros_like(x))
    module._layer_norm_bwd_dx_fused[(rows,)](dx, Array(dy), *parts, Array(x), Array(w), mean, rstd, locks, columns, columns,
                                             BLOCK_SIZE_N=512, GROUP_SIZE_M=group, num_warps=2)
    module._layer_norm_bwd_dwdb[(columns // 128,)](*parts, dw, db, min(group, rows), columns, BLOCK_SIZE_M=32,
                                                   BLOCK_SIZE_N=128)
    wdy = w * dy
    wanted = (wdy - hat * (hat * wdy).mean(1, keepdims=True) - wdy.mean(1, keepdims=True)) / \
        np.sqrt(x.var(1, keepdims=True) + 1e-5)
    assert np.allclose(dx.numpy(), wanted, atol=1e-4)
    assert np.allclose(dw.numpy(), (dy * hat).sum(0), atol=1e-3) and np.allclose(db.numpy(), dy.sum(0), atol=1e-3)


def attention():
    batch, heads, length, width = 1, 2, 128, 64
    q, k, v = (0.5 * random(batch, heads, length, width, kind=np.float16) for _ in range(3))
    out, logs = Array(np.zeros_like(q)), Array(np.zeros((batch, heads, length), np.float32))
    module = kernels("06")
    triton.set_allocator(lambda size, alignment, stream: Array(np.zeros(size, np.int8)))
    for causal in (False, True):
        module._attn_fwd[(length // 64, batch * heads, 1)](
            0.5, logs, batch, heads, Array(q), Array(k), Array(v), out, N_CTX=length, HEAD_DIM=width, BLOCK_M=64, BLOCK_N=32,
            FP8_OUTPUT=False, STAGE=3 if causal else 1, warp_specialize=False, IS_HOPPER=False, num_warps=4, num_stages=2)
        scores = 0.5 * q.astype(np.float32) @ k.astype(np.float32).swapaxes(2, 3)
        if causal:
            scores = np.where(np.tril(np.ones((length, length), bool)), scores, -np.inf)
        e = np.exp(scores - scores.max(-1, keepdims=True))
        wanted = e / e.sum(-1, keepdims=True) @ v.astype(np.float32)
        assert np.allclose(out.numpy().astype(np.float32), wanted, atol=1e-2), causal


def persistent_matmul():
    """Tiles by addresses, by descriptors of the host and by descriptors that the kernel makes; each block takes several.
    Descriptors are those of sm_90."""
    m, n, k, blocks = 384, 512, 192, 4
    a, b = random(m, k, kind=np.float16), random(k, n, kind=np.float16).T.copy()
    left, right, turned = Array(a), Array(b), Array(b.T)
    wanted = a.astype(np.float32) @ b.T.astype(np.float32)
    module = kernels("09")
    triton.set_allocator(lambda size, alignment, stream: Array(np.zeros(size, np.int8)))

    def check(name, kernel, grid, sources, numbers, width=128, **options):
        out = Array(np.zeros((m, n), np.float16))
        shape = {"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 128, "BLOCK_SIZE_K": 64, "GROUP_SIZE_M": 8}
        if "FP8_OUTPUT" in options:
            sources = [descriptor(left, m, k, 128, 64), descriptor(right, n, k, 128, 64)]
            out_argument = descriptor(out, m, n, 128, width)
        else:
            out_argument = out
        kernel[(grid,)](*sources, out_argument, m, n, k, *numbers, **shape, **options, num_warps=8, num_stages=3)
        assert np.allclose(out.numpy().astype(np.float32), wanted, rtol=1e-3, atol=1e-2), name

    tiles, strides = (m // 128) * (n // 128), (k, 1, n, 1, n, 1)
    check("plain", module.matmul_kernel, tiles, [left, turned], strides)
    check("persistent", module.matmul_kernel_persistent, blocks, [left, turned], strides, NUM_SMS=blocks)
    if os.environ[VARIABLE] != "sm90":
        return
    check("tma", module.matmul_kernel_tma, tiles, None, (), FP8_OUTPUT=False, WARP_SPECIALIZE=False)
    for halves in (False, True):
        check("tma persistent", module.matmul_kernel_tma_persistent, blocks, None, (), width=64 if halves else 128,
              FP8_OUTPUT=False, EPILOGUE_SUBTILE=halves, NUM_SMS=blocks, WARP_SPECIALIZE=False)
    for flatten, halves in ((False, False), (True, False), (True, True)):
        check("descriptors of the kernel", module.matmul_kernel_descriptor_persistent, blocks, [left, right], (),
              EPILOGUE_SUBTILE=halves, NUM_SMS=blocks, WARP_SPECIALIZE=False, FLATTEN=flatten)


def descriptor(array, rows, columns, height, width):
    return TensorDescriptor(array, [rows, columns], [columns, 1], [height, width])


def run(architecture):
    """Runs all tutorials; the number of those that fail."""
    failed = 0
    for tutorial in TUTORIALS:
        try:
            tutorial()
            print(f"passed {tutorial.__name__} {architecture}", flush=True)
        except Exception as error:  # one tutorial says nothing about the next
            failed += 1
            print(f"failed {tutorial.__name__} {architecture}: {type(error).__name__}: {str(error)[-300:]}", flush=True)
    return failed


TUTORIALS = (vector_add, softmax, matmul, layer_norm, attention, persistent_matmul)
ARCHITECTURES = ("sm80", "sm90")
if VARIABLE in os.environ:
    sys.exit(run(os.environ[VARIABLE]))
# Triton reads the variable when it is imported: a process for each.
failed = sum(subprocess.run([sys.executable, *sys.argv], env={**os.environ, VARIABLE: architecture}, check=False).returncode
             for architecture in ARCHITECTURES)
print(f"{len(TUTORIALS) * len(ARCHITECTURES) - failed} passed, {failed} failed")
sys.exit(1 if failed else 0)
