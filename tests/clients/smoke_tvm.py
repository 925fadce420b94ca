# SPDX-License-Identifier: MIT
"""Apache TVM: a product of matrices on its device `cuda`. TVM_CUDA_COMPILE_MODE says whether NVRTC or nvcc compiles it."""
import numpy
import tvm
from tvm import te

SIZE = 64
a = te.placeholder((SIZE, SIZE), name="A", dtype="float32")
b = te.placeholder((SIZE, SIZE), name="B", dtype="float32")
k = te.reduce_axis((0, SIZE), name="k")
c = te.compute((SIZE, SIZE), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
schedule = tvm.s_tir.Schedule(tvm.IRModule({"main": te.create_prim_func([a, b, c])}))
i, j, k = schedule.get_loops(schedule.get_sblock("C"))
i_outer, i_inner = schedule.split(i, [None, 8])
j_outer, j_inner = schedule.split(j, [None, 32])
schedule.reorder(i_outer, j_outer, i_inner, j_inner, k)
for loop, thread in ((i_outer, "blockIdx.y"), (j_outer, "blockIdx.x"), (i_inner, "threadIdx.y"), (j_inner, "threadIdx.x")):
    schedule.bind(loop, thread)
program = tvm.compile(schedule.mod, target=tvm.target.Target({"kind": "cuda", "arch": "sm_90"}))
device = tvm.device("cuda", 0)
inputs = [numpy.random.default_rng(seed).random((SIZE, SIZE), dtype="float32") for seed in (1, 2)]
tensors = [tvm.runtime.tensor(x, device) for x in (*inputs, numpy.zeros((SIZE, SIZE), "float32"))]
program["main"](*tensors)
device.sync()
difference = abs(tensors[2].numpy() - inputs[0] @ inputs[1]).max()
print(f"TVM {tvm.__version__} on {device.device_name}: {SIZE} x {SIZE}, largest difference {difference}")
assert difference < 1e-4
