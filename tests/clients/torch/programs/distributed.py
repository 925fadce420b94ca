# SPDX-License-Identifier: MIT
"""DDP and FSDP over gloo: two processes, each with a device of its own, train as one process does."""
# packages: torch
# variables: CUPIPE_DEVICES=2
import os
import socket

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel

RANKS, STEPS = 2, 3


def make():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 4))


def data(rank):
    return torch.randn(RANKS, 8, 16, generator=torch.Generator().manual_seed(5))[rank]


def train(model, inputs):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        optimizer.zero_grad()
        model(inputs).square().mean().backward()
        optimizer.step()
    return model


def alone():
    model = make()
    train(model, torch.cat([data(rank) for rank in range(RANKS)]))
    return model(torch.ones(1, 16)).detach()


def wrap(kind, model, rank):
    if kind == "ddp":
        return DistributedDataParallel(model, device_ids=[rank])
    if kind == "fsdp":
        return FullyShardedDataParallel(model, device_id=rank, use_orig_params=True)
    return fully_shard(model)


def work(rank, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    torch.cuda.set_device(rank)
    total = torch.full((5,), rank + 1.0, device="cuda")
    dist.all_reduce(total)
    assert total.device.index == rank and torch.equal(total.cpu(), torch.full((5,), 3.0)), total
    expected = alone()
    for kind in ("ddp", "fsdp", "fully_shard"):
        model = train(wrap(kind, make().cuda(), rank), data(rank).cuda())
        actual = model(torch.ones(1, 16, device="cuda")).detach().cpu()
        torch.testing.assert_close(actual, expected, rtol=1e-4, atol=1e-5)
        dist.barrier()
        if rank == 0:
            print(kind, "right", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    assert torch.cuda.device_count() == RANKS, torch.cuda.device_count()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    mp.spawn(work, (port,), RANKS)
