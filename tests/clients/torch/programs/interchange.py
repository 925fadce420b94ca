# SPDX-License-Identifier: MIT
"""Other packages on torch's memory, without copies: DLPack, __cuda_array_interface__, numba's kernels, streams of cuda.bindings."""
# packages: torch numba-cuda[cu13]
import numba
import torch
from numba import cuda

x = torch.arange(8.0, device="cuda")
again = torch.from_dlpack(x)
assert again.data_ptr() == x.data_ptr() and again.device == x.device
assert x.__dlpack_device__() == (2, 0)
interface = x[2:].__cuda_array_interface__
assert interface["data"][0] == x.data_ptr() + 8 and interface["shape"] == (6,) and interface["typestr"] == "<f4"
array = cuda.as_cuda_array(x)


@cuda.jit
def double(values):
    i = cuda.grid(1)
    if i < values.size:
        values[i] *= 2


double[1, 32](array)
cuda.synchronize()
assert x.tolist() == [0, 2, 4, 6, 8, 10, 12, 14], x
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    x += 1    # an operator and a kernel of numba on one stream
    double[1, 32, cuda.external_stream(stream.cuda_stream)](array)
    y = x - 1
stream.synchronize()
assert y.tolist() == [1, 5, 9, 13, 17, 21, 25, 29], y
theirs = cuda.to_device(torch.arange(5).numpy())
tensor = torch.as_tensor(theirs, device="cuda")
assert tensor.data_ptr() == theirs.__cuda_array_interface__["data"][0] and tensor.sum().item() == 10
tensor += 1
torch.cuda.synchronize()
assert theirs.copy_to_host().tolist() == [1, 2, 3, 4, 5]
assert torch.equal(torch.from_dlpack(torch.ones(3)).cuda(), torch.ones(3, device="cuda"))
print("interchange right, numba", numba.__version__)
