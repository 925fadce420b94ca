# SPDX-License-Identifier: MIT
"""The operators of torch's database (op_db, the foreach operators, sparse samples): each sample on CUDA against the CPU.

What is checked of a sample: the result, gradients, the in-place form, out= with a tensor of the right shape and with one
that is resized, the same with strides that are not contiguous. Of the database's wrong arguments: that the error is the
one that torch raises on a card, by type and text.
"""
import re
import unittest
import warnings
from unittest import mock

import torch
from compare import COMPLEX_OF_BFLOAT16, DOUBLE, WIDER, Mismatch, check_same, copy_strided, gradients, left_out, on_cpu, tensors
from torch.testing._internal import common_methods_invocations as database
from torch.testing._internal.common_device_type import onlyCPU, onlyCUDA
from torch.utils._pytree import tree_map

FOREACH = ("unary", "binary", "pointwise", "reduce", "other")
LAYOUTS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")
UNDEFINED = re.compile("empty")    # operators whose values are whatever the memory held
# Here as on a card these compute in single precision and round the result; the CPU rounds each step to half precision. Their
# half precision is compared with single precision, rounded, with the same tolerances.
ROUNDED_ONCE = ("grid_sampler_2d", "grid_sampler_3d", "nn.functional.grid_sample")


def entries(kind):
    if kind == "foreach":
        return [op for family in FOREACH for op in getattr(database, f"foreach_{family}_op_db")]
    if kind == "sparse":
        return [op for op in database.op_db if any(op.supports_sparse_layout(getattr(torch, layout)) for layout in LAYOUTS)]
    return list(database.op_db)


def name_of(op):
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def applies(op, dtype):
    return dtype in op.supported_dtypes("cuda") and onlyCPU not in op.decorators


def samples_of(kind, op, dtype, gradient, limit):
    """Pairs of a word for the sample and the sample."""
    if kind != "sparse":
        for index, sample in enumerate(op.sample_inputs("cuda", dtype, requires_grad=gradient)):
            if limit and index >= limit:
                return
            yield f"sample {index}", sample
        return
    for layout in LAYOUTS:
        if not op.supports_sparse_layout(getattr(torch, layout)):
            continue
        for index, sample in enumerate(sparse_samples(op, layout, dtype, gradient)):
            if limit and index >= limit:
                break
            yield f"{layout} sample {index}", sample


def sparse_samples(op, layout, dtype, gradient):
    try:
        yield from op.sample_inputs_sparse(getattr(torch, layout), "cuda", dtype, requires_grad=gradient)
    except (NotImplementedError, unittest.SkipTest):    # the database has none of this layout
        return


class Reference:
    """What the CPU gives for a sample, once in the sample's dtype, or in a wider one where the CPU has no kernel."""

    def __init__(self, op, function, sample, dtype, only_wider=False):
        self.error = None
        for wider in (WIDER,) if only_wider else ({}, WIDER) if dtype in WIDER else ({},):
            self.widened = bool(wider)
            self.arguments = on_cpu((sample.input, sample.args, sample.kwargs), wider)
            try:
                self.result = call(function, self.arguments)
            except Exception as error:    # whatever a kernel says is the answer
                self.error = self.error or error
                if not isinstance(error, NotImplementedError) and dtype in op.supported_dtypes("cpu"):
                    return
                continue
            self.error = None
            self.random = self.differs(function, on_cpu((sample.input, sample.args, sample.kwargs), wider))
            return

    def differs(self, function, arguments):
        """Whether another seed gives other values: then only shapes and dtypes can be compared. Some entries of the
        database set the seed themselves."""
        seed = torch.manual_seed
        with mock.patch.object(torch, "manual_seed", lambda value: seed(value + 1)):
            second = call(function, arguments)
        return any(a.layout == torch.strided and not a.is_nested and not same_values(a.detach(), b.detach())
                   for a, b in zip(tensors(self.result), tensors(second), strict=True))


def narrow(wide, dtype):
    """What a dtype of a reference, which was computed in a wider one, is for the dtype that was asked for."""
    complex_half = COMPLEX_OF_BFLOAT16 if dtype == torch.bfloat16 else torch.complex32
    return next((each for each in (dtype, complex_half) if WIDER.get(each) == wide), wide)


def same_values(a, b):
    if a.dtype == torch.complex32:
        a, b = a.to(torch.complex64), b.to(torch.complex64)
    return a.shape == b.shape and bool(((a == b) | (a != a) & (b != b)).all())


def call(function, arguments):
    head, args, kwargs = arguments
    return function(head, *args, **kwargs)


def on_this_device(sample):
    """Some samples of the database are of the CPU whatever device is asked for."""
    given = tensors((sample.input, sample.args, sample.kwargs))
    return "cpu" not in str(sample.kwargs.get("device", "cuda")) and (not given or any(t.is_cuda for t in given))


def on_numpy(function):
    """The database's own function for entries that the CPU does not have, on tensors. Results have the type of the first
    tensor, where numpy promotes types."""
    def compute(head, *args, **kwargs):
        dtype, args = head.dtype, (head, *args)
        if any(t.dtype in WIDER for t in tensors((args, kwargs))):
            raise NotImplementedError("numpy has no such type")
        args, kwargs = tree_map(lambda t: t.detach().numpy() if isinstance(t, torch.Tensor) else t, (args, kwargs))
        return tree_map(lambda result: torch.as_tensor(result).to(dtype), function(*args, **kwargs))
    return compute


def check_sample(op, sample, what, dtype, gradient):
    if not on_this_device(sample):
        return
    rounded = op.name in ROUNDED_ONCE and dtype in WIDER
    function = on_numpy(op.ref) if onlyCUDA in op.decorators and op.ref else op.op
    check_against(Reference(op, function, sample, dtype, only_wider=rounded), op, sample, what, dtype, gradient, rounded)


def rounded_to(dtype, values):
    return tree_map(lambda t: t.to(narrow(t.dtype, dtype)) if isinstance(t, torch.Tensor) else t, values)


def check_against(reference, op, sample, what, dtype, gradient, rounded):
    try:
        result = call(op.op, (sample.input, sample.args, sample.kwargs))
    except Exception as error:
        if reference.error is not None and dtype in op.supported_dtypes("cpu") and onlyCUDA not in op.decorators:
            return    # a sample that no device takes
        raise Mismatch(f"{what}: {type(error).__name__}: {first_line(error)}") from None
    if reference.error is not None:
        return
    values = not reference.random and not UNDEFINED.search(op.name)
    check_same(op, result, rounded_to(dtype, reference.result) if rounded else reference.result, what, dtype, values)
    if gradient and op.supports_autograd and dtype in op.supported_backward_dtypes("cuda"):
        check_gradients(op, sample, reference, result, what, dtype, values, rounded)


def check_gradients(op, sample, reference, result, what, dtype, values, rounded):
    process = sample.output_process_fn_grad
    try:
        expected = gradients(process(reference.result), reference.arguments, lambda t: narrow(t, dtype) if rounded else t)
    except Exception as error:    # an operator without a gradient on the CPU has no reference
        if rounded:
            raise Mismatch(f"{what}, gradient: the reference raises {type(error).__name__}: {first_line(error)}") from None
        return
    try:
        actual = gradients(process(result), (sample.input, sample.args, sample.kwargs))
    except Exception as error:
        raise Mismatch(f"{what}, gradient: {type(error).__name__}: {first_line(error)}") from None
    if actual is None and expected is None:
        return
    if actual is None or expected is None:
        raise Mismatch(f"{what}, gradient: {'CUDA' if actual is None else 'the CPU'} has none")
    if [t is None for t in actual] != [t is None for t in expected]:
        raise Mismatch(f"{what}, gradient: some are missing")
    expected = rounded_to(dtype, expected) if rounded else expected
    actual, expected = [t for t in actual if t is not None], [t for t in expected if t is not None]
    if has_nan(expected) and not has_nan(actual) and dtype in DOUBLE:
        arguments = on_cpu((sample.input, sample.args, sample.kwargs), DOUBLE)
        doubled = gradients(process(call(op.op, arguments)), arguments)
        expected = [d.to(e.dtype) for d, e in zip((t for t in doubled if t is not None), expected, strict=True)]
    check_same(op, actual, expected, f"{what}, gradient", dtype, values)


def has_nan(values):
    return any(t.layout == torch.strided and bool(t.isnan().any()) for t in values)


def check_inplace(op, sample, what, dtype):
    function = op.get_inplace()
    if function is None or sample.broadcasts_input or not on_this_device(sample) or not isinstance(sample.input, torch.Tensor):
        return
    reference = Reference(op, function, sample, dtype)
    if reference.error is not None or reference.result.dtype != reference.arguments[0].dtype:
        return
    target = copy_strided(sample.input.detach(), {}, "cuda") if sample.input.layout == torch.strided else sample.input.detach().clone()
    try:
        result = call(function, (target, sample.args, sample.kwargs))
    except Exception as error:
        raise Mismatch(f"{what}, in place: {type(error).__name__}: {first_line(error)}") from None
    if result is not target:
        raise Mismatch(f"{what}, in place: another tensor is returned")
    check_same(op, target, reference.result, f"{what}, in place", dtype, not reference.random)


def check_foreach_inplace(op, sample, what, dtype):
    function = op.inplace_variant
    if function is None or not isinstance(sample.input, (list, tuple)):
        return
    reference = Reference(op, function, sample, dtype)
    if reference.error is not None:
        return
    targets = [t.detach().clone() for t in sample.input]
    try:
        call(function, (targets, sample.args, sample.kwargs))
    except Exception as error:
        raise Mismatch(f"{what}, in place: {type(error).__name__}: {first_line(error)}") from None
    check_same(op, targets, reference.arguments[0], f"{what}, in place", dtype, not reference.random)


def check_out(op, sample, what, dtype):
    if not op.supports_out or not on_this_device(sample):
        return
    reference = Reference(op, op.op, sample, dtype)
    if reference.error is not None or not isinstance(reference.result, (torch.Tensor, tuple)):
        return
    single = isinstance(reference.result, torch.Tensor)
    wanted = [reference.result] if single else list(reference.result)
    if not all(isinstance(t, torch.Tensor) and t.layout == torch.strided and t.device.type == "cpu" for t in wanted):
        return
    for resized in (False, True):
        given = [torch.empty((0,) if resized else t.shape, dtype=narrow(t.dtype, dtype) if reference.widened else t.dtype, device="cuda")
                 for t in wanted]
        places = [t.data_ptr() for t in given]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call(op.op, (sample.input, sample.args, {**sample.kwargs, "out": given[0] if single else tuple(given)}))
        except Exception as error:
            raise Mismatch(f"{what}, out=: {type(error).__name__}: {first_line(error)}") from None
        values = not reference.random and not UNDEFINED.search(op.name)
        check_same(op, given, wanted, f"{what}, out=" + (" resized" if resized else ""), dtype, values)
        if not resized and places != [t.data_ptr() for t in given]:
            raise Mismatch(f"{what}, out=: the memory of the tensor was replaced")


def check_errors(op):
    for index, wrong in enumerate(op.error_inputs("cuda")):
        sample, what = wrong.sample_input, f"wrong arguments {index}"
        try:
            if call(op.op, (sample.input, sample.args, sample.kwargs)) is NotImplemented:
                continue    # Python raises for a method that says so
        except wrong.error_type as error:
            if not re.search(wrong.error_regex, str(error)):
                raise Mismatch(f"{what}: says {first_line(error)!r}, not {wrong.error_regex!r}") from None
            continue
        except Exception as error:
            raise Mismatch(f"{what}: {type(error).__name__}, not {wrong.error_type.__name__}: {first_line(error)}") from None
        raise Mismatch(f"{what}: no error, not {wrong.error_type.__name__} {wrong.error_regex!r}")


def first_line(error):
    return (str(error).strip().splitlines() or [""])[0][:160]


def check(kind, op, dtype, options):
    """Yields a reason for each of the checks, None where it holds; several may fail."""
    gradient = options.gradient and (dtype.is_floating_point or dtype.is_complex)
    for what, sample in samples_of(kind, op, dtype, gradient, options.samples):
        yield attempt(check_sample, op, sample, what, dtype, gradient and op.op is not op.inplace_variant)
        if kind == "foreach" and "inplace" in options.checks:
            with torch.no_grad():
                yield attempt(check_foreach_inplace, op, sample, what, dtype)
        if kind != "operators":
            continue
        with torch.no_grad():
            if "inplace" in options.checks:
                yield attempt(check_inplace, op, sample, what, dtype)
            if "out" in options.checks and not left_out(op, "test_out", dtype):
                yield attempt(check_out, op, sample, what, dtype)
        if "strides" in options.checks and all(t.layout == torch.strided for t in tensors((sample.input, sample.args, sample.kwargs))):
            yield attempt(check_sample, op, sample.noncontiguous(), f"{what}, strided", dtype, gradient)
    if kind == "operators" and "errors" in options.checks and op.error_inputs_func is not None and not left_out(op, "test_errors", dtype):
        yield attempt(check_errors, op)


def attempt(function, *arguments):
    try:
        function(*arguments)
        return None
    except Mismatch as mismatch:
        return str(mismatch)
