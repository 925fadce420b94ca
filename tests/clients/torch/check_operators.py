#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs some operators of torch's database on this build, CUDA against the CPU; 77 if torch is not installed.

usage: check_operators.py LIBRARY_FOLDER [PYTHON]        # PYTHON: $CUPIPE_TEST_PYTHON, or the one that runs this
scripts/clients_torch runs all of them. These have each way in which an operator is computed: elementwise, reduction,
product, views, results whose shape depends on data, lists, in place, out=, and errors for wrong arguments.
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIP = 77
NAMES = ("add|where|sum|std_mean|cumsum|matmul|linalg.qr|nn.functional.conv2d|nn.functional.layer_norm|nn.functional.linear|"
         "nn.functional.cross_entropy|nn.functional.embedding|nonzero|masked_select|unique|sort|topk|split|cat|index_put|gather|"
         "scatter_add|transpose|expand|fft.rfft|clamp|addmm|einsum|tril")


def main():
    library = Path(sys.argv[1]).resolve()
    python = sys.argv[2] if len(sys.argv) > 2 else os.environ.get("CUPIPE_TEST_PYTHON", sys.executable)
    find = "import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, ('torch', 'expecttest'))))"
    if subprocess.run([python, "-c", find], check=False).returncode:
        print("torch and expecttest, which its database imports, are not installed")
        return SKIP
    worker = Path(__file__).resolve().parent / "worker.py"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results"
        status = subprocess.run([library.parent / "bin" / "cupipe", "run", python, worker, "operators", "float32", path, "--samples", "2",
                                 "--only", f"^({NAMES})$"], env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False).returncode
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    results = [line for line in lines if "result" in line]
    wrong = [line for line in results if line["result"] not in ("passed", "absent")]
    for line in wrong:
        print(line["name"], line["result"], *line.get("reasons", []), sep="\n    ")
    print(f"{len(results)} operators, {sum(line.get('checks', 0) for line in results)} checks, {len(wrong)} wrong")
    return 1 if wrong or status or len(results) < len(NAMES.split("|")) else 0


if __name__ == "__main__":
    sys.exit(main())
