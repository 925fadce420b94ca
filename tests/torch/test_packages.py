# SPDX-License-Identifier: MIT
"""Packages whose kernels for CUDA are machine code: their operators are computed by their CPU kernels."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

# A package by the name of one that is known. It imports torch, uses cuda, and then registers its operators.
PACKAGE = {
    "__init__.py": "import torch\ntorch.zeros(1, device='cuda')\nfrom bitsandbytes import kernels\n",
    "kernels.py": """
import torch
library = torch.library.Library("bitsandbytes", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x * 2, "CPU")

def refuse(x):
    raise RuntimeError("a kernel of machine code")

library.impl("twice", refuse, "CUDA")
library.define("positive(Tensor x) -> (Tensor, Tensor?)")
library.impl("positive", lambda x: (x[x > 0], x[x < 0] if (x < 0).any() else None), "CPU")
library.impl("positive", refuse, "CUDA")
""",
}


class PackageTest(unittest.TestCase):
    def printed(self, imports, statements):
        """What a program prints that has the package."""
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "bitsandbytes"
            package.mkdir()
            for name, text in PACKAGE.items():
                (package / name).write_text(text)
            path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
            program = f"{imports}\nimport torch\n{statements}\n"
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": path})
            return done.returncode, done.stdout + done.stderr

    def doubled(self, imports):
        return self.printed(imports, "print(torch.ops.bitsandbytes.twice(torch.ones(3, device='cuda')).tolist())")

    def test_imported_after_torch(self):
        self.assertEqual(self.doubled("import torch, bitsandbytes"), (0, "[2.0, 2.0, 2.0]\n"))

    def test_imported_before_torch(self):
        self.assertEqual(self.doubled("import bitsandbytes"), (0, "[2.0, 2.0, 2.0]\n"))

    def test_results_that_depend_on_values(self):
        """What one call made says nothing of the next: its values choose how many results there are, and how large."""
        statements = "for x in ([1., 2., -3.], [1., 2., 3.], [-1., -2., -3.]):\n" \
                     "    print(*[r if r is None else r.tolist() for r in torch.ops.bitsandbytes.positive(torch.tensor(x).cuda())])"
        self.assertEqual(self.printed("import bitsandbytes", statements),
                         (0, "[1.0, 2.0] [-3.0]\n[1.0, 2.0, 3.0] None\n[] [-1.0, -2.0, -3.0]\n"))


if __name__ == "__main__":
    unittest.main()
