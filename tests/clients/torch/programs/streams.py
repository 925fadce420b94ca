# SPDX-License-Identifier: MIT
"""Streams, events, graphs and threads, as programs of torch use them."""
# packages: torch
import threading

import torch

torch.manual_seed(0)
first, second = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.ones(1 << 16, device="cuda")
first.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(first):
    y = x * 3
second.wait_stream(first)
with torch.cuda.stream(second):
    y.record_stream(second)
    z = y.sum()
second.synchronize()
assert z.item() == 3 << 16
begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
begin.record()
torch.randn(256, 256, device="cuda") @ torch.randn(256, 256, device="cuda")
end.record()
end.synchronize()
assert begin.elapsed_time(end) > 0
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1)).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05, capturable=True)
data, goal = torch.randn(32, 8, device="cuda"), torch.randn(32, 1, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = torch.nn.functional.mse_loss(model(data), goal)
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    captured = step()
losses = []
for _ in range(5):
    graph.replay()
    losses.append(captured.item())
assert losses[4] < losses[0], losses
graph.reset()
call = torch.cuda.make_graphed_callables(torch.nn.Linear(8, 4).cuda(), (torch.randn(2, 8, device="cuda"),))
call(torch.randn(2, 8, device="cuda")).sum().backward()
results = [None] * 4


def thread(index):
    with torch.cuda.stream(torch.cuda.Stream()):
        results[index] = (torch.full((1000,), float(index), device="cuda") * 2).sum().item()


threads = [threading.Thread(target=thread, args=(index,)) for index in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert results == [0, 2000, 4000, 6000], results
try:
    torch.ones(2, device="cuda") + torch.ones(2)
    raise SystemExit("two devices were mixed")
except RuntimeError as error:
    assert "Expected all tensors to be on the same device" in str(error), error
print("streams and graphs right")
