# SPDX-License-Identifier: MIT
"""bitsandbytes: 8-bit and 4-bit linear layers and an 8-bit optimizer on CUDA, against the layer that is not quantized."""
# packages: torch bitsandbytes
import bitsandbytes as bnb    # before torch, which it imports itself

import torch

torch.manual_seed(0)
plain = torch.nn.Linear(64, 64, bias=False)
data = torch.randn(4, 64)
expected = plain(data)


def near(name, actual, limit):
    error = ((actual.float().cpu() - expected).norm() / expected.norm()).item()
    assert error < limit, (name, error)
    print(name, "right", flush=True)


eight = bnb.nn.Linear8bitLt(64, 64, bias=False, has_fp16_weights=False)
eight.load_state_dict(plain.state_dict())
near("8 bits", eight.cuda()(data.cuda().half()), 0.05)
for kind in ("nf4", "fp4"):
    four = bnb.nn.Linear4bit(64, 64, bias=False, quant_type=kind, compute_dtype=torch.float32)
    four.load_state_dict(plain.state_dict())
    near(f"4 bits, {kind}", four.cuda()(data.cuda()), 0.25)
weight = torch.nn.Parameter(torch.ones(8192, device="cuda"))
optimizer = bnb.optim.Adam8bit([weight], lr=0.1)
for _ in range(5):
    weight.grad = weight.detach().clone()
    optimizer.step()
assert 0.2 < weight.mean().item() < 0.8, weight.mean()
print("bitsandbytes right")
