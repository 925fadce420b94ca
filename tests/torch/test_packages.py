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
""",
}


class PackageTest(unittest.TestCase):
    def doubled(self, imports):
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder) / "bitsandbytes"
            package.mkdir()
            for name, text in PACKAGE.items():
                (package / name).write_text(text)
            path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
            program = f"{imports}\nimport torch\nprint(torch.ops.bitsandbytes.twice(torch.ones(3, device='cuda')).tolist())\n"
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": path})
            return done.returncode, done.stdout + done.stderr

    def test_imported_after_torch(self):
        self.assertEqual(self.doubled("import torch, bitsandbytes"), (0, "[2.0, 2.0, 2.0]\n"))

    def test_imported_before_torch(self):
        self.assertEqual(self.doubled("import bitsandbytes"), (0, "[2.0, 2.0, 2.0]\n"))


if __name__ == "__main__":
    unittest.main()
