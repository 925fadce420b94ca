#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyTorch on cupipe against PyTorch on the CPU, in the same process, by turns.

usage: cupipe run python bench/torch_rows.py [ROW...]

A row's ratio is the time on "cuda" by the time on "cpu": 1.00 is as fast as the CPU. Each figure is the best of several
rounds, because other programs disturb them.
"""
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

ROUNDS = 7


def best(function, repeat, wait):
    """Seconds of a call, in the best of some rounds."""
    for _ in range(3):
        function()
    wait()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(repeat):
            function()
        wait()
        times.append((time.perf_counter() - start) / repeat)
    return min(times)


def nothing():
    pass


def row(name, cpu, cuda, repeat, against="cpu"):
    first, second = best(cpu, repeat, nothing), best(cuda, repeat, torch.cuda.synchronize)
    print(f"{name:34s} {first * 1e6:12.1f} us {against:9s} {second * 1e6:12.1f} us cuda {second / first:8.2f} x "
          f"{(second - first) * 1e6:+10.2f} us", flush=True)


def operator_rows():
    def both(name, sizes, function, repeat):
        x = torch.rand(sizes)
        y = x.cuda()
        row(name, lambda: function(x), lambda: function(y), repeat)
    both("add of 16 floats", (16,), lambda x: x + x, 10000)
    both("add in place, 16 floats", (16,), lambda x: x.add_(1), 10000)
    both("add, 1 MiB", (1 << 18,), lambda x: x + x, 300)
    both("add, 16 MiB", (1 << 22,), lambda x: x + x, 30)
    both("gelu, 4 MiB", (1 << 20,), F.gelu, 30)
    both("softmax, 1024 x 1024", (1024, 1024), lambda x: x.softmax(-1), 50)
    both("layer norm, 1024 x 1024", (1024, 1024), lambda x: F.layer_norm(x, (1024,)), 50)
    both("sum, 4 MiB", (1 << 20,), lambda x: x.sum(), 100)
    both("matrix product, 512", (512, 512), lambda x: x @ x, 20)
    both("transpose and copy, 1024 x 1024", (1024, 1024), lambda x: x.t().contiguous(), 50)
    both("convolution 8x64x56x56, 3x3", (8, 64, 56, 56), lambda x: F.conv2d(x, x[:1, :64, :3, :3].expand(64, -1, -1, -1), padding=1), 3)


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        outputs = 4 * width
        self.body = nn.Sequential(nn.Conv2d(inputs, width, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                  nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                                  nn.Conv2d(width, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.skip = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.skip = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return F.relu(self.body(x) + self.skip(x))


def resnet50():
    layers, inputs = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for width, blocks, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for block in range(blocks):
            layers.append(Bottleneck(inputs, width, stride if block == 0 else 1))
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, 1000))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.qkv, self.projection = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attention = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(attention.transpose(1, 2).reshape(batch, length, width))
        return x + self.mlp(self.norms[1](x))


class GPT(nn.Module):
    def __init__(self, words=1000, width=256, heads=4, layers=4, length=128):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.blocks(self.words(tokens) + self.places.weight[:tokens.shape[1]]))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(128, 256, 2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


def training_step(model, data, target, **options):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, **options)

    def step():
        optimizer.zero_grad(set_to_none=True)
        output = model(data)
        F.cross_entropy(output.flatten(0, -2), target.flatten()).backward()
        optimizer.step()
    return step


def step_of(make, data, target, device, **options):
    torch.manual_seed(0)
    return training_step(make().to(device), data.to(device), target.to(device), **options)


def training_rows():
    models = {"ResNet-50, batch 8": (resnet50, torch.rand(8, 3, 224, 224), torch.randint(1000, (8,)), 1),
              "GPT, 4 layers of 256": (GPT, torch.randint(1000, (4, 128)), torch.randint(1000, (4, 128)), 2),
              "LSTM, 2 layers of 256": (Recurrent, torch.rand(16, 32, 128), torch.randint(10, (16,)), 3)}
    for name, (make, data, target, repeat) in models.items():
        row("training step: " + name, step_of(make, data, target, "cpu"), step_of(make, data, target, "cuda"), repeat)


def replay_row():
    data, target = torch.randint(1000, (4, 128)), torch.randint(1000, (4, 128))
    step = step_of(GPT, data, target, "cuda", capturable=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    other = step_of(GPT, data, target, "cuda", capturable=True)

    def waited():
        other()
        torch.cuda.synchronize()
    row("replay of the GPT's captured step", waited, graph.replay, 2, "the step")


def compiled_rows():
    def attention(x):
        q = x.view(8, 128, 8, 64).transpose(1, 2)
        return (q @ q.transpose(-1, -2) * 0.125).softmax(-1) @ q
    for name, sizes, function in (("softmax", (1024, 1024), lambda x: x.softmax(-1)),
                                  ("layer norm", (1024, 1024), lambda x: F.layer_norm(x, (1024,))),
                                  ("attention", (8, 128, 512), attention)):
        x = torch.rand(sizes)
        y = x.cuda()
        compiled = torch.compile(function)
        row(f"compiled {name}", lambda: compiled(x), lambda: compiled(y), 20, "Inductor")


ROWS = {"operators": operator_rows, "training": training_rows, "replay": replay_row, "compiled": compiled_rows}


def main():
    if "cupipe" not in torch.cuda.get_device_name():
        sys.exit("torch_rows.py: the device is not cupipe's; start it as: cupipe run python bench/torch_rows.py")
    with torch.no_grad():
        ROWS["operators"]() if not sys.argv[1:] or "operators" in sys.argv else None
    for name in ("training", "replay", "compiled"):
        if not sys.argv[1:] or name in sys.argv:
            ROWS[name]()


main()
