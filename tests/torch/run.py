#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a test with PyTorch on cupipe.

usage: run.py BUILD TEST [ARGUMENT...]

PyTorch is that of CUPIPE_TORCH_PYTHON, a Python, or else of the python3 in PATH. Its object is compiled first if the build
has none that is newer than the sources. Exits with 77 where there is no PyTorch with CUDA.
"""
import fcntl
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77


def torch_python():
    """A Python that has PyTorch with CUDA; None: there is none."""
    python = os.environ.get("CUPIPE_TORCH_PYTHON", "python3")
    code = "import torch.version as v; print(v.cuda or '')"
    try:
        found = subprocess.run([python, "-c", code], capture_output=True, text=True, env={**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    except OSError:
        return None
    return python if found.returncode == 0 and found.stdout.strip() else None


def main():
    build, arguments = Path(sys.argv[1]).resolve(), sys.argv[2:]
    python = torch_python()
    if python is None:
        print("skipped: no PyTorch with CUDA is installed (set CUPIPE_TORCH_PYTHON to a Python that has one)")
        return SKIPPED
    with open(build / "torch.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([ROOT / "torch" / "build", "--python", python], check=True)
    os.environ.pop("CUPIPE_TORCH_PYTHON", None)  # cupipe warns of variables that it does not know
    os.execv(build / "bin" / "cupipe", ["cupipe", "run", python, *arguments])


if __name__ == "__main__":
    sys.exit(main())
