# SPDX-License-Identifier: MIT
"""The tests of numba-cuda that do not need CuPy to be imported: one such file keeps unittest from loading the rest."""
import importlib.util
import os
import sys
from pathlib import Path

root = Path(importlib.util.find_spec("numba_cuda").origin).parent / "numba" / "cuda" / "tests"
modules = [f"numba.cuda.tests.{folder}.{path.stem}" for folder in ("cudadrv", "cudapy")
           for path in sorted((root / folder).glob("test_*.py")) if "cupy" not in path.name]
os.execv(sys.executable, [sys.executable, "-m", "numba.runtests", "-v", *modules])
