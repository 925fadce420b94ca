#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A mixed load of PyTorch for a long time: training, streams, graphs, copies, random numbers.

usage: run.py BUILD soak.py [SECONDS [SEED]]     600 seconds, seed 1

Each round draws a part and a seed. What a part computes is compared with the same on the processor, with integers, or with
what the same seed gave before, to the bit. Sixty times everything rests, and the process is measured: between the first and
the last tenth of the rests memory, descriptors and threads may not grow. Exits with 1 at the first difference.
"""
import collections
import gc
import os
import random
import sys
import time

import torch

RESTS = 60
KEPT_SEEDS = 8  # of each part, so that seeds come again
GROWTH_KIB = 16 << 10
device = torch.device("cuda")
first_results = {}


def same(name, seed, *tensors):
    """Compares with what the seed gave the first time."""
    values = [t.detach().cpu() for t in tensors]
    wanted = first_results.setdefault((name, seed), values)
    for got, want in zip(values, wanted):
        if not torch.equal(got, want):
            sys.exit(f"{name}, seed {seed}: another result than before; greatest difference {(got - want).abs().max()}")


def network(seed):
    torch.manual_seed(seed)
    layers = [torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(),
              torch.nn.Linear(8 * 16 * 16, 10)]
    return torch.nn.Sequential(*layers).to(device)


def train(seed):
    model = network(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        x, y = torch.randn(8, 3, 16, 16, device=device), torch.randint(0, 10, (8,), device=device)
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
    same("train", seed, loss, *model.parameters())


def graph(seed):
    """A captured step leaves what the same step leaves that is not captured."""
    torch.manual_seed(seed)
    model, x = torch.nn.Linear(64, 64).to(device), torch.randn(16, 64, device=device)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        model(x)
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(captured):
        y = torch.relu(model(x)) + 1
    for _ in range(5):
        with torch.no_grad():
            x.copy_(torch.randn(16, 64, device=device))
            captured.replay()
            if not torch.equal(y, torch.relu(model(x)) + 1):
                sys.exit(f"graph, seed {seed}: a replay differs")
    same("graph", seed, y)


def streams(seed):
    """Integers through several streams, ordered by events."""
    drawn = random.Random(seed)
    lines = [torch.cuda.Stream() for _ in range(3)]
    x = torch.arange(drawn.randrange(1, 100000), device=device)
    torch.cuda.synchronize()
    expected, event = torch.arange(len(x)), None
    for _ in range(12):
        with torch.cuda.stream(drawn.choice(lines)) as _:
            stream = torch.cuda.current_stream()
            if event is not None:
                stream.wait_event(event)
            value = drawn.randrange(1, 100)
            x.mul_(3).add_(value)
            event = stream.record_event()
        expected = expected * 3 + value
    event.synchronize()
    if not torch.equal(x.cpu(), expected):
        sys.exit(f"streams, seed {seed}: wrong integers")


def copies(seed):
    drawn = random.Random(seed)
    count = drawn.randrange(1, 1 << 18)
    host = torch.randint(0, 256, (count,), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))
    pinned = host.pin_memory() if drawn.random() < 0.5 else host
    there = pinned.to(device, non_blocking=True)
    back = torch.empty(count, dtype=torch.uint8, pin_memory=True)
    back.copy_(there.flip(0).flip(0), non_blocking=True)
    torch.cuda.synchronize()
    if not torch.equal(back, host):
        sys.exit(f"copies, seed {seed}: other bytes came back")


def attention(seed):
    torch.manual_seed(seed)
    q, k, v = (torch.randn(2, 4, 32, 16, device=device, requires_grad=True) for _ in range(3))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    out.sum().backward()
    same("attention", seed, out, q.grad)


def linear_algebra(seed):
    torch.manual_seed(seed)
    a = torch.randn(24, 24, device=device, dtype=torch.float64)
    b = torch.linalg.solve(a, torch.eye(24, device=device, dtype=torch.float64))
    c = torch.fft.ifft(torch.fft.fft(a)).real
    if not torch.allclose(a @ b, torch.eye(24, device=device, dtype=torch.float64), atol=1e-8) or not torch.allclose(c, a):
        sys.exit(f"linear_algebra, seed {seed}: an inverse does not invert")


PARTS = [train, graph, streams, copies, attention, linear_algebra]


def measure():
    torch.cuda.synchronize()
    gc.collect()
    torch.cuda.empty_cache()
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {"resident KiB": int(status["VmRSS"].split()[0]), "descriptors": len(os.listdir("/proc/self/fd")),
            "threads": int(status["Threads"]), "mappings": sum(1 for _ in open("/proc/self/maps")),
            "device KiB": torch.cuda.memory_allocated() >> 10}


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600
    drawn = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    rounds, rests, start = collections.Counter(), [], time.monotonic()
    while len(rests) < RESTS:
        until = start + seconds * (len(rests) + 1) / RESTS
        while True:
            part, seed = drawn.choice(PARTS), drawn.randrange(KEPT_SEEDS)
            part(seed)
            rounds[part.__name__] += 1
            if time.monotonic() >= until:
                break
        rests.append(measure())
        if sys.stderr.isatty():
            print(f"\r{len(rests)} of {RESTS} rests, {sum(rounds.values())} rounds ", end="", file=sys.stderr)
    print(f"{time.monotonic() - start:.0f} s:", ", ".join(f"{name} {count}" for name, count in sorted(rounds.items())))
    grown = False
    for name in rests[0]:
        tenth = RESTS // 10
        first, last = (max(rest[name] for rest in part) for part in (rests[:tenth], rests[-tenth:]))
        bound = first + (GROWTH_KIB if "KiB" in name else 2 if name != "mappings" else 200)
        grown |= last > bound
        print(f"{name}: at most {first} in the first tenth, {last} in the last{', which is more' if last > bound else ''}")
    sys.exit(1 if grown else 0)


main()
