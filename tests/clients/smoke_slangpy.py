# SPDX-License-Identifier: MIT
"""slangpy: a compute shader, which Slang turns into CUDA C++ and NVRTC into PTX."""
import numpy as np
import slangpy as spy

SOURCE = """
RWStructuredBuffer<uint> values;

[shader("compute")]
[numthreads(16, 1, 1)]
void twice(uint3 thread: SV_DispatchThreadID)
{
    values[thread.x] *= 2;
}
"""
device = spy.Device(type=spy.DeviceType.cuda)
module = device.load_module_from_source("smoke", SOURCE)
program = device.link_program(modules=[module], entry_points=[module.entry_point("twice")])
kernel = device.create_compute_kernel(program)
values = np.arange(16, dtype=np.uint32)
buffer = device.create_buffer(element_count=16, struct_size=4,
                              usage=spy.BufferUsage.unordered_access | spy.BufferUsage.shader_resource, data=values)
kernel.dispatch(thread_count=[16, 1, 1], vars={"values": buffer})
assert (buffer.to_numpy().view(np.uint32)[:16] == 2 * values).all()
