#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PyTorch's own wheel on this build: it takes our runtime and sees the devices. What its operators compute is tested
elsewhere, with the object of torch/build.

usage: check_torch_wheel.py BUILD SOURCE CC        skips where CUPIPE_TORCH_PYTHON, or else python3, has no torch with CUDA
"""
import os
import shutil
import sys

from command import LIBRARY, check, cupipe, finish, run

CUDA = "import torch; print(torch.version.cuda or '')"
LOOK = """
import ctypes, os, sys, torch
from cupipe import driver
major = torch.version.cuda.split(".")[0]
print(torch.cuda.is_initialized(), torch.cuda.is_available(), torch.cuda.device_count())
for name, symbol in ((f"libcudart.so.{major}", "cudaGetDeviceCount"), (f"libnvrtc.so.{major}", "nvrtcVersion"),
                     (f"libnvJitLink.so.{major}", "nvJitLinkVersion")):
    print(driver.folder_of(name, symbol))
print(torch.cuda._device_count_nvml())
"""
FORKED = """
import os, torch
child = os.fork()
if child == 0:
    os._exit(0 if torch.cuda.device_count() == 2 and not torch.cuda.is_initialized() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def python_with_torch():
    """A Python that has torch with CUDA; None: there is none."""
    python = os.environ.get("CUPIPE_TORCH_PYTHON") or shutil.which("python3")
    code, out, _ = run(python, "-c", CUDA)
    return python if code == 0 and out.strip() else None


def main():
    python = python_with_torch()
    if not python:
        print("skipped: neither CUPIPE_TORCH_PYTHON nor python3 has torch with CUDA")
        sys.exit(77)
    folders = f"{LIBRARY}\n{LIBRARY}/cubin\n{LIBRARY}/cubin\n"
    code, out, err = cupipe("run", "--devices", "2", python, "-c", LOOK)
    check((code, out) == (0, f"False True 2\n{folders}2\n"), f"by cupipe run: {code} {out} {err}")
    enable = f"import sys; sys.path.insert(0, '{LIBRARY}/python'); import cupipe; cupipe.enable(devices=2)\n"
    code, out, err = run(python, "-c", enable + LOOK)
    check((code, out) == (0, f"False True 2\n{folders}2\n"), f"by enable(): {code} {out} {err}")
    code, out, err = cupipe("run", "--devices", "2", python, "-c", FORKED)
    check((code, out) == (0, "0\n"), f"after fork: {code} {out} {err}")
    code, out, err = cupipe("doctor", python)
    check("ok: libcudart.so" in out, f"doctor: {code} {out} {err}")
    code, out, err = run(python, "-c", "import torch, sys; print('cupipe.torch_object' in sys.modules)",
                         env={"PYTHONPATH": f"{LIBRARY}/python"})
    check((code, out, err) == (0, "False\n", ""), f"without cupipe nothing is loaded: {out} {err}")
    finish()


main()
