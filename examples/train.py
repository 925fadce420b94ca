# SPDX-License-Identifier: MIT
"""A test such as continuous integration runs: a small network of PyTorch learns on the device what a line is.

    cupipe run python train.py
"""
import torch

torch.manual_seed(0)
x = torch.rand(256, 4, device="cuda")
wanted = x @ torch.tensor([[1.0], [-2.0], [3.0], [0.5]], device="cuda") + 0.25
model = torch.nn.Sequential(torch.nn.Linear(4, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
losses = []
for _ in range(200):
    loss = torch.nn.functional.mse_loss(model(x), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert torch.cuda.is_available() and model[0].weight.is_cuda
assert losses[-1] < losses[0] / 100, (losses[0], losses[-1])
print("train: the loss went from %.3f to %.6f on %s" % (losses[0], losses[-1], torch.cuda.get_device_name()))
