# SPDX-License-Identifier: MIT
"""Symmetric memory: ranks reach each other's buffers, exchange signals and reduce. NVSHMEM is refused."""
import os
import socket
import subprocess
import sys
import unittest

RANKS, COUNT = 3, 1000
ALIGNED = 48  # elements that can be scattered to the ranks


def run_rank(rank):
    import torch
    import torch.distributed as dist
    import torch.distributed._symmetric_memory as symmetric

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS, device_id=torch.device("cuda", rank))
    group = dist.group.WORLD.group_name
    total = RANKS * (RANKS + 1) / 2

    def filled(count):
        tensor = symmetric.empty(count, device="cuda").fill_(rank + 1)
        return tensor, symmetric.rendezvous(tensor, dist.group.WORLD)

    tensor, memory = filled(COUNT)
    memory.barrier()
    following = memory.get_buffer((rank + 1) % RANKS, (COUNT,), torch.float32)
    assert following.eq((rank + 1) % RANKS + 1).all()
    memory.barrier()

    # A part of the memory, with another offset than the whole.
    reduced = torch.ops.symm_mem.one_shot_all_reduce(tensor[17:], "sum", group)
    assert reduced.shape == (COUNT - 17,) and reduced.eq(total).all()
    torch.ops.symm_mem.two_shot_all_reduce_(tensor[3:501], "sum", group)
    assert tensor[3:501].eq(total).all() and tensor[:3].eq(rank + 1).all() and tensor[501:].eq(rank + 1).all()
    scattered = torch.empty(ALIGNED // RANKS, device="cuda")
    torch.ops.symm_mem.reduce_scatter_out(filled(ALIGNED)[0], group, False, scattered)
    assert scattered.eq(total).all()
    nothing = tensor[:0]
    assert torch.ops.symm_mem.one_shot_all_reduce(nothing, "sum", group).numel() == 0
    assert torch.ops.symm_mem.two_shot_all_reduce_(nothing, "sum", group).numel() == 0
    torch.ops.symm_mem.reduce_scatter_out(nothing, group, False, torch.empty(0, device="cuda"))

    # The pool's allocator clears its memory in the stream, before an operator writes its result there.
    if hasattr(symmetric, "get_mem_pool"):
        with torch.cuda.use_mem_pool(symmetric.get_mem_pool(torch.device("cuda", rank))):
            numbers = torch.arange(1024, dtype=torch.float32, device="cuda")
        symmetric.rendezvous(numbers, group)
        reduced = torch.ops.symm_mem.one_shot_all_reduce(numbers, "sum", group)
        assert reduced.eq(torch.arange(1024, device="cuda") * RANKS).all()

    # What rank 0 writes before its signal is there after it.
    torch.cuda.synchronize()
    dist.barrier()
    if rank == 0:
        following.fill_(77)
        memory.put_signal(1)
    elif rank == 1:
        memory.wait_signal(0)
        assert tensor.eq(77).all()
    dist.barrier()

    for attempt in (lambda: symmetric.set_backend("NVSHMEM"),
                    lambda: memory.put_signal(RANKS), lambda: memory.barrier(channel=1 << 20)):
        try:
            attempt()
        except RuntimeError:
            continue
        raise AssertionError("no error")
    assert not symmetric.is_nvshmem_available()
    dist.barrier()
    dist.destroy_process_group()

    # Nobody else comes: the work fails, as a kernel that traps.
    if rank == 0:
        try:
            memory.barrier(timeout_ms=100)
            torch.cuda.synchronize()
        except RuntimeError:
            os._exit(0)
        raise AssertionError("a barrier of one rank is over")
    os._exit(0)


class SymmetricMemory(unittest.TestCase):
    def test_ranks(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        environment = {**os.environ, "CUPIPE_DEVICES": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
                       "OMP_NUM_THREADS": "1"}
        ranks = [subprocess.Popen([sys.executable, __file__, str(rank)], env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True) for rank in range(RANKS)]
        for rank, process in enumerate(ranks):
            output, _ = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, f"rank {rank}: {output}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_rank(int(sys.argv[1]))
    else:
        unittest.main()
