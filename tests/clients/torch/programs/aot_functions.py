# SPDX-License-Identifier: MIT
"""The C functions by which packages of AOTInductor call operators, one of each kind of parameters, by ctypes."""
# packages: torch
import ctypes

import torch

library = ctypes.CDLL(None)
unwrap, wrap = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_New
unwrap.restype, unwrap.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
wrap.restype, wrap.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def handle(value):
    return ctypes.c_void_p(unwrap(torch._C._aoti.unsafe_alloc_void_ptr_from_tensor(value), None))


def tensor(address):
    return torch._C._aoti.alloc_tensor_by_stealing_from_void_ptr(wrap(address, None, None))


def optional(value):
    return ctypes.byref(handle(value))


def integers(*values):
    return (ctypes.c_int64 * len(values))(*values), ctypes.c_int64(len(values))


def call(name, *arguments, results=0):
    places = [ctypes.c_void_p() for _ in range(results)]
    status = getattr(library, f"aoti_torch_cuda_{name}")(*arguments, *map(ctypes.byref, places))
    return status, [tensor(place.value) for place in places if place.value]


def check(name, expected, *arguments):
    status, results = call(name, *arguments, results=len(expected))
    assert status == 0, name
    for actual, wanted in zip(results, expected, strict=True):
        assert actual.is_cuda
        torch.testing.assert_close(actual.cpu(), wanted, rtol=1e-4, atol=1e-5)
    print(name, "right", flush=True)


torch.manual_seed(0)
a, b = torch.randn(4, 5), torch.randn(5, 6)
out = torch.empty(4, 6, device="cuda")
status, _ = call("mm_out", handle(out), handle(a.cuda()), handle(b.cuda()))    # the tensor for the result comes first
assert status == 0
torch.testing.assert_close(out.cpu(), a @ b, rtol=1e-4, atol=1e-5)
status, _ = call("addmm_out", handle(out), handle(torch.ones(6, device="cuda")), handle(a.cuda()), handle(b.cuda()), ctypes.c_double(2),
                 ctypes.c_double(0.5))
torch.testing.assert_close(out.cpu(), 2 + 0.5 * (a @ b), rtol=1e-4, atol=1e-5)
print("mm_out and addmm_out right", flush=True)
check("topk", torch.topk(a, 2), handle(a.cuda()), ctypes.c_int64(2), ctypes.c_int64(-1), ctypes.c_int32(1), ctypes.c_int32(1))
image, weight, bias = torch.randn(1, 3, 8, 8), torch.randn(4, 3, 3, 3), torch.randn(4)
check("convolution", [torch.conv2d(image, weight, bias, padding=1)], handle(image.cuda()), handle(weight.cuda()), optional(bias.cuda()),
      *integers(1, 1), *integers(1, 1), *integers(1, 1), ctypes.c_int32(0), *integers(0, 0), ctypes.c_int64(1))
check("convolution", [torch.conv2d(image, weight)], handle(image.cuda()), handle(weight.cuda()), None, *integers(1, 1), *integers(0, 0),
      *integers(1, 1), ctypes.c_int32(0), *integers(0, 0), ctypes.c_int64(1))
rows = torch.tensor([0, 2])
places = (ctypes.c_void_p * 2)(None, ctypes.addressof(given := handle(rows.cuda())))    # a[:, rows] = 7
check("index_put", [a.index_put((torch.arange(4)[:, None], rows), torch.tensor(7.0))], handle(a.cuda()), places, ctypes.c_int64(2),
      handle(torch.full((4, 2), 7.0, device="cuda")), ctypes.c_int32(0))
index = torch.tensor([[0, 1, 0, 1, 0]])
scattered = torch.empty(4, 5, device="cuda")
status, _ = call("scatter_reduce_two_out", handle(scattered), handle(a.cuda()), ctypes.c_int64(0), handle(index.cuda()),
                 handle(torch.ones(1, 5, device="cuda")), ctypes.c_char_p(b"sum"), ctypes.c_int32(1))
assert status == 0
torch.testing.assert_close(scattered.cpu(), a.scatter_reduce(0, index, torch.ones(1, 5), "sum"))
status, made = call("rand", *integers(3, 2), None, None, ctypes.byref(ctypes.c_int32(1)), ctypes.c_int32(0), None, results=1)
assert status == 0 and made[0].shape == (3, 2) and made[0].is_cuda
status, _ = call("mm_out", handle(out), handle(a.cuda()), handle(a.cuda()))
assert status != 0, "shapes that do not fit were multiplied"
print("functions of AOTInductor right")
