# SPDX-License-Identifier: MIT
"""CUDA tensors in queues of torch.multiprocessing: another process sees and changes the same memory, and events order it."""
# packages: torch
import torch
import torch.multiprocessing as mp


def child(requests, answers):
    while (message := requests.get()) is not None:
        tensor, event = message
        if event is not None:
            event.wait()
        tensor.mul_(2)
        torch.cuda.synchronize()
        answers.put((tuple(tensor.shape), tensor.sum().item(), str(tensor.device)))
        del tensor, message


def make(answers, done):
    made = torch.arange(6.0, device="cuda")
    answers.put(made)
    done.wait(60)


if __name__ == "__main__":
    context = mp.get_context("spawn")
    requests, answers = context.Queue(), context.Queue()
    process = context.Process(target=child, args=(requests, answers))
    process.start()
    whole = torch.ones(1000, device="cuda")
    event = torch.cuda.Event(interprocess=True)
    event.record()
    requests.put((whole, event))
    assert answers.get(timeout=60) == ((1000,), 2000.0, "cuda:0")
    assert whole.sum().item() == 2000
    requests.put((whole[10:20], None))    # a part of an allocation
    assert answers.get(timeout=60)[1] == 40.0 and whole.sum().item() == 2020
    requests.put((torch.full((4,), 3, device="cuda", dtype=torch.int64), None))
    assert answers.get(timeout=60)[1] == 24
    requests.put(None)
    process.join(60)
    assert process.exitcode == 0, process.exitcode
    done = context.Event()
    process = context.Process(target=make, args=(answers, done))
    process.start()
    tensor = answers.get(timeout=60)
    assert tensor.sum().item() == 15
    del tensor
    torch.cuda.ipc_collect()
    done.set()
    process.join(60)
    assert process.exitcode == 0, process.exitcode
    print("sharing right")
