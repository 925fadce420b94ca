# SPDX-License-Identifier: MIT
"""What torch.cuda says of memory and of the device: statistics, snapshots, NVML's numbers, and out of memory with its recovery."""
# packages: torch nvidia-ml-py psutil
# variables: CUPIPE_MEMORY=1G
import gc

import pynvml
import torch

MIB = 1 << 20
free, total = torch.cuda.mem_get_info()
assert total == 1024 * MIB and 0 < free <= total, (free, total)
assert torch.cuda.get_device_properties(0).total_memory == total
base = torch.cuda.memory_allocated()
block = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
assert torch.cuda.memory_allocated() - base == 64 * MIB
assert torch.cuda.max_memory_allocated() >= base + 64 * MIB and torch.cuda.memory_reserved() >= 64 * MIB
assert free - torch.cuda.mem_get_info()[0] >= 64 * MIB
result = block + 1    # an operator's result is counted, too
assert torch.cuda.memory_allocated() - base == 128 * MIB, torch.cuda.memory_allocated() - base
del block, result
gc.collect()
assert torch.cuda.memory_allocated() == base
torch.cuda.empty_cache()
assert torch.cuda.mem_get_info()[0] == free
try:
    torch.empty(4096 * MIB, dtype=torch.uint8, device="cuda")
    raise SystemExit("4 GiB of 1 were allocated")
except torch.OutOfMemoryError as error:
    assert "Tried to allocate 4.00 GiB" in str(error) and "total capacity of 1" in str(error), error
kept = []
try:
    while True:
        kept.append(torch.ones(16 * MIB, device="cuda").exp())
except torch.OutOfMemoryError:
    count = len(kept)
assert 10 <= count <= 16, count
assert torch.cuda.memory_stats()["num_ooms"] == 2
kept.clear()
assert torch.ones(16 * MIB, device="cuda").sum().item() == 16 * MIB    # and goes on
torch.cuda.memory._record_memory_history(max_entries=100)
held = torch.ones(3 * MIB, device="cuda")
snapshot = torch.cuda.memory._snapshot()
torch.cuda.memory._record_memory_history(enabled=None)
assert any(segment["allocated_size"] >= 12 * MIB for segment in snapshot["segments"])
assert any(entry["action"] == "alloc" and entry["size"] == 12 * MIB for trace in snapshot["device_traces"] for entry in trace)
assert "CUDA" in torch.cuda.memory_summary()
torch.cuda.set_per_process_memory_fraction(0.25)
try:
    torch.empty(300 * MIB, dtype=torch.uint8, device="cuda")
    raise SystemExit("the fraction was not kept")
except torch.OutOfMemoryError:
    pass
torch.cuda.set_per_process_memory_fraction(1.0)
print("memory right", flush=True)
assert 0 <= torch.cuda.utilization() <= 100 and 0 <= torch.cuda.memory_usage() <= 100
assert torch.cuda.clock_rate() > 0
for sensor in (torch.cuda.temperature, torch.cuda.power_draw):    # there are none, and NVML says so
    try:
        raise SystemExit(f"{sensor.__name__} is {sensor()}")
    except pynvml.NVMLError_NotSupported:
        pass
assert 0 < torch.cuda.device_memory_used() <= total
assert torch.cuda.get_device_capability() >= (8, 0) and "cupipe" in torch.cuda.get_device_name()
assert "python" in torch.cuda.list_gpu_processes() or "process" in torch.cuda.list_gpu_processes(), torch.cuda.list_gpu_processes()
print("nvml right")
