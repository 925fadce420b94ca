# SPDX-License-Identifier: MIT
"""Training on several devices over NCCL, one process for each, is what one process with all data computes."""
import os
import socket
import subprocess
import sys
import unittest

RANKS, BATCH, STEPS = 4, 8, 3


def network(torch):
    torch.manual_seed(7)
    return torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))


def train(torch, model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for data, labels in batches:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(data), labels).backward()
        optimizer.step()


def run_rank(rank):
    import torch
    import torch.distributed as dist

    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS, device_id=torch.device("cuda", rank))
    generator = torch.Generator().manual_seed(1)
    batches = [(torch.randn(RANKS * BATCH, 32, generator=generator),
                torch.randint(0, 10, (RANKS * BATCH,), generator=generator)) for _ in range(STEPS)]
    own = slice(rank * BATCH, (rank + 1) * BATCH)
    model = torch.nn.parallel.DistributedDataParallel(network(torch).cuda(), device_ids=[rank])
    train(torch, model, [(data[own].cuda(), labels[own].cuda()) for data, labels in batches])
    expected = network(torch)
    train(torch, expected, batches)
    for parameter, reference in zip(model.module.parameters(), expected.parameters()):
        torch.testing.assert_close(parameter.cpu(), reference, atol=1e-5, rtol=1e-5)

    total = torch.tensor([float(rank)], device="cuda")
    dist.all_reduce(total)
    assert total.item() == sum(range(RANKS)), total
    everyone = [torch.zeros(1, device="cuda") for _ in range(RANKS)]
    dist.all_gather(everyone, torch.tensor([float(rank)], device="cuda"))
    assert [int(value.item()) for value in everyone] == list(range(RANKS))
    if hasattr(dist, "_time_estimator"):  # the operations of a group that ends by ncclGroupSimulateEnd do not run
        with dist._time_estimator(group=dist.group.WORLD, device=torch.device("cuda", rank)) as estimate:
            dist.all_reduce(total)
        assert estimate.estimated_time > 0, estimate.estimated_time
        assert total.item() == sum(range(RANKS)), total
    dist.barrier()
    dist.destroy_process_group()


class Distributed(unittest.TestCase):
    def test_data_parallel_training(self):
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
