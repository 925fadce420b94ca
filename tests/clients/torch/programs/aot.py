# SPDX-License-Identifier: MIT
"""AOTInductor: a model is exported, compiled into a package for CUDA, and run from the package."""
# packages: torch
import tempfile
from pathlib import Path

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(16, 32), torch.nn.Linear(32, 4)

    def forward(self, x):
        return torch.softmax(self.second(torch.relu(self.first(x))), -1)


torch.manual_seed(0)
model, data = Model().eval(), torch.randn(8, 16)
expected = model(data).detach()
with tempfile.TemporaryDirectory() as folder, torch.no_grad():
    exported = torch.export.export(model.cuda(), (data.cuda(),))
    path = torch._inductor.aoti_compile_and_package(exported, package_path=str(Path(folder) / "model.pt2"))
    run = torch._inductor.aoti_load_package(path)
    torch.testing.assert_close(run(data.cuda()).cpu(), expected, rtol=1e-4, atol=1e-5)
print("AOTInductor right")
