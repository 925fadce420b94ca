# SPDX-License-Identifier: MIT
"""Compares what CUDA computed with what the CPU computed, for the databases of torch.testing.

A reference is computed on copies of the same arguments on the CPU. Values are compared by torch.testing.assert_close
with its tolerances for the dtype, or with those that the database gives for the operator where they are wider.
"""
import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.utils._pytree import tree_flatten, tree_map

# The tests of torch for which databases widen tolerances and which compare devices as we do.
TESTS = (("TestCommon", "test_compare_cpu"), ("TestCommon", "test_noncontiguous_samples"), ("TestCommon", "test_out"),
         ("TestConsistency", "test_output_match"), ("TestModule", "test_cpu_gpu_parity"), ("TestUnaryUfuncs", "test_contig_vs_every_other"))
# Where the CPU has no kernel for a dtype, it computes in a wider one.
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
COMPLEX_OF_BFLOAT16 = getattr(torch, "bcomplex32", None)    # since PyTorch 2.15
if COMPLEX_OF_BFLOAT16:
    WIDER[COMPLEX_OF_BFLOAT16] = torch.complex64
# Where the CPU has NaN and CUDA has none, because it compares values that it rounded in two ways, it computes in these.
DOUBLE = {torch.float32: torch.float64, torch.complex64: torch.complex128}
# What torch's own comparison of a card with the CPU (test_compare_cpu) allows; the default is less than two units in the
# last place of these, which another order of additions takes.
NARROW = {torch.float16: 1e-3, torch.bfloat16: 1.6e-2}
# With such a reference, the distance is that of rounding every step.
ROUNDED = {torch.float16: (1e-2, 1e-2), torch.bfloat16: (5e-2, 5e-2), torch.complex32: (1e-2, 1e-2), COMPLEX_OF_BFLOAT16: (5e-2, 5e-2)}


class Mismatch(Exception):
    pass


def on_cpu(value, wider=()):
    """The same structure with its tensors copied to the CPU, and converted if wider dtypes are given."""
    known, storages = {}, {}    # tensors and storages that are given twice stay one

    def copy_tensor(leaf):
        made = copy_strided(leaf.detach(), storages) if leaf.layout == torch.strided and not leaf.is_nested else leaf.detach().cpu().clone()
        if made.dtype in wider:
            made = made.to(wider[made.dtype])
        return made.requires_grad_(leaf.requires_grad)

    def copy(leaf):
        if isinstance(leaf, torch.Tensor):
            if id(leaf) not in known:
                known[id(leaf)] = copy_tensor(leaf)
            return known[id(leaf)]
        if isinstance(leaf, torch.dtype) and leaf in wider:
            return wider[leaf]
        if isinstance(leaf, torch.device) and leaf.type == "cuda" or isinstance(leaf, str) and leaf.startswith("cuda"):
            return "cpu"
        if isinstance(leaf, torch.Generator) and leaf.device.type == "cuda":
            return torch.Generator().manual_seed(leaf.initial_seed())
        return leaf
    return tree_map(copy, value)


def copy_strided(tensor, storages, device="cpu"):
    """A copy with the same offset and strides, in a copy of the whole storage."""
    storage = tensor.untyped_storage()
    if storage.data_ptr() not in storages:
        storages[storage.data_ptr()] = storage.clone() if storage.device.type == device else storage.cpu()
    made = torch.empty(0, dtype=tensor.dtype, device=device).set_(storages[storage.data_ptr()], tensor.storage_offset(), tensor.size(), tensor.stride())
    made = made.conj() if tensor.is_conj() else made
    return made._neg_view() if tensor.is_neg() else made


def tensors(value):
    return [leaf for leaf in tree_flatten(value)[0] if isinstance(leaf, torch.Tensor)]


def tolerances(entry, dtype, widened):
    """rtol and atol for results of the dtype."""
    if not (dtype.is_floating_point or dtype.is_complex):
        return 0, 0
    rtol, atol = torch.testing._comparison.default_tolerances(dtype) if dtype != COMPLEX_OF_BFLOAT16 else ROUNDED[dtype]
    if dtype in NARROW:
        rtol, atol = max(rtol, NARROW[dtype]), max(atol, 1e-3)
    if widened:
        rtol, atol = max(rtol, ROUNDED[dtype][0]), max(atol, ROUNDED[dtype][1])
    for test in TESTS:
        for decorator in entry.get_decorators(*test, "cuda", dtype, {}):
            if isinstance(decorator, toleranceOverride) and dtype in decorator.d:
                wider = decorator.d[dtype]
                rtol, atol = max(rtol, wider.rtol), max(atol, wider.atol)
    return rtol, atol


def left_out(entry, test, dtype):
    """Whether the database says that a test of torch is not to be run, or fails, on a card for this entry."""
    for decorator in entry.get_decorators("TestCommon", test, "cuda", dtype, {}):
        if callable(decorator) and not isinstance(decorator, toleranceOverride):
            made = decorator(lambda *_: None)
            if getattr(made, "__unittest_skip__", False) or getattr(made, "__unittest_expecting_failure__", False):
                return True
    return False


def check_same(entry, actual, expected, what, dtype, values=True):
    """Raises Mismatch unless actual, of CUDA, is what expected, of the CPU, is. dtype is the one that was asked for."""
    ours, theirs = tensors(actual), tensors(expected)
    if len(ours) != len(theirs):
        raise Mismatch(f"{what}: {len(ours)} tensors, the CPU has {len(theirs)}")
    for here, there in zip(ours, theirs, strict=True):
        check_tensor(entry, here, there, what, dtype, values)


def check_tensor(entry, here, there, what, dtype, values):
    widened = dtype in WIDER and WIDER.get(here.dtype) == there.dtype
    if here.device.type != "cuda" and there.numel() and not entry.name.startswith(("to", "cpu")):
        raise Mismatch(f"{what}: the result is on {here.device}")
    if here.dtype != there.dtype and not widened:
        raise Mismatch(f"{what}: dtype {here.dtype}, the CPU has {there.dtype}")
    if here.shape != there.shape:
        raise Mismatch(f"{what}: shape {tuple(here.shape)}, the CPU has {tuple(there.shape)}")
    if here.layout != there.layout:
        raise Mismatch(f"{what}: layout {here.layout}, the CPU has {there.layout}")
    if not values:
        return
    rtol, atol = tolerances(entry, here.dtype, widened)
    here, there = here.detach(), there.detach()
    if here.layout != torch.strided:
        here, there = here.to_dense(), there.to_dense()
    try:
        same = there.dtype if widened else here.dtype    # a comparison in half precision would round the reference
        torch.testing.assert_close(here.cpu().to(same), there.to(same), rtol=rtol, atol=atol, equal_nan=True)
    except AssertionError as error:
        raise Mismatch(f"{what}: " + "; ".join(line.strip() for line in str(error).splitlines() if "difference" in line or "ismatched" in line)) from None


def cotangents(outputs, rounded):
    """A fixed gradient for each output that has one: uneven, so that sums that hide an error are rare."""
    made = []
    for output in outputs:
        ramp = torch.linspace(-1, 1, max(output.numel(), 1), dtype=torch.float64)[:output.numel()].reshape(output.shape)
        made.append((ramp + 0.5).to(rounded(output.dtype)).to(output.dtype).to(output.device))
    return made


def gradients(outputs, inputs, rounded=lambda dtype: dtype):
    """The gradients of inputs, from a fixed gradient of all outputs, which has the values of the rounded dtype; None if no
    output depends on an input."""
    outputs = [t for t in tensors(outputs) if t.requires_grad and (t.is_floating_point() or t.is_complex())]
    inputs = [t for t in tensors(inputs) if t.requires_grad]
    if not outputs or not inputs:
        return None
    return torch.autograd.grad(outputs, inputs, cotangents(outputs, rounded), allow_unused=True)
