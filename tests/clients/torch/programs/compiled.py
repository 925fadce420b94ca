# SPDX-License-Identifier: MIT
"""torch.compile: softmax, layer norm, attention and a training step by Inductor's Triton kernels, against eager on the CPU."""
# packages: torch
import torch
import torch.nn.functional as F

torch.manual_seed(0)


def attention(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, dim=-1) @ v


def check(name, function, *arguments, mode=None):
    expected = function(*arguments)
    compiled = torch.compile(function, mode=mode)
    given = [a.cuda() for a in arguments]
    for _ in range(3):    # the third call of reduce-overhead replays a graph
        torch.compiler.cudagraph_mark_step_begin()
        actual = compiled(*given).clone()
    torch.testing.assert_close(actual.cpu(), expected, rtol=1e-4, atol=1e-5)
    print(name, "right", flush=True)


def steps(device, compile_it):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.LayerNorm(64), torch.nn.Linear(64, 4)).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = torch.randn(16, 32, generator=torch.Generator().manual_seed(2)).to(device)
    goal = (torch.arange(16) % 4).to(device)
    run = torch.compile(model) if compile_it else model
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.cross_entropy(run(data), goal)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


x = torch.randn(64, 128)
heads = [torch.randn(2, 4, 32, 16) for _ in range(3)]
check("softmax", lambda t: torch.softmax(t * 2 + 1, -1), x)
check("layer norm", lambda t, w, b: F.layer_norm(t, (128,), w, b), x, torch.randn(128), torch.randn(128))
check("attention", attention, *heads)
check("scaled_dot_product_attention", F.scaled_dot_product_attention, *heads)
check("reduce-overhead", lambda t: torch.softmax(t, -1).sum(0), x, mode="reduce-overhead")
torch.testing.assert_close(torch.tensor(steps("cuda", True)), torch.tensor(steps("cpu", False)), rtol=1e-3, atol=1e-4)
print("training step right")
