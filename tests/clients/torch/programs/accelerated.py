# SPDX-License-Identifier: MIT
"""accelerate: a training loop in bf16 with gradient accumulation on the device that it picks, and a model that is split by memory."""
# packages: torch accelerate
import torch
from accelerate import Accelerator, dispatch_model, infer_auto_device_map

accelerator = Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)
assert accelerator.device.type == "cuda", accelerator.device
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
data = torch.utils.data.TensorDataset(x := torch.randn(64, 8), x.sum(1, keepdim=True))
model, optimizer, loader = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(data, batch_size=16))
losses = []
for _ in range(10):
    for inputs, goals in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.mse_loss(model(inputs), goals)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
assert losses[-1] < losses[0] * 0.5, losses
split = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(4)))
expected = split(torch.ones(1, 64))
places = infer_auto_device_map(split, max_memory={0: 40000, "cpu": 10**9})
assert set(places.values()) == {0, "cpu"}, places
torch.testing.assert_close(dispatch_model(split, places)(torch.ones(1, 64)).cpu(), expected, rtol=1e-4, atol=1e-5)
print("accelerate right")
