#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How JAX finds cupipe, with a package that has no more of JAX than what this takes: plugins by entry points, the look
for files of NVIDIA's driver, and the folder of a toolkit.

usage: check_jax.py BUILD SOURCE CC
"""
import sys

from command import FOLDER, LIBRARY, check, compile_c, cupipe, finish, run, write

USE = '''
import importlib
from importlib.metadata import entry_points
from jax._src import hardware_utils, lib
for entry in entry_points(group="jax_plugins"):
    importlib.import_module(entry.value).initialize()
print(hardware_utils.has_visible_nvidia_gpu(), lib.cuda_path)
'''
ALONE = "False the wheel's\n"


def main():
    for name, text in (("__init__", ""), ("_src/__init__", ""), ("_src/lib", "cuda_path = \"the wheel's\"\n"),
                       ("_src/hardware_utils", "def has_visible_nvidia_gpu():\n    return False\n")):
        write(f"packages/jax/{name}.py", text)
    mine = {"PYTHONPATH": str(FOLDER / "packages")}
    result = cupipe("run", sys.executable, "-c", USE, env=mine)
    check(result == (0, f"True {LIBRARY}\n", ""), f"cupipe run: {result}")
    result = run(sys.executable, "-c", USE, env=mine)
    check(result == (0, ALONE, ""), f"without cupipe: {result}")
    installed = {"PYTHONPATH": f"{FOLDER / 'packages'}:{LIBRARY / 'python'}"}
    result = run(sys.executable, "-c", USE, env=installed)
    check(result == (0, ALONE, ""), f"without a driver: {result}")
    compile_c("driver/libcuda.so.1", "int cuInit(unsigned f);\nvoid abort(void);\nint cuInit(unsigned f) { abort(); return (int)f; }\n",
              "-shared", "-fPIC")
    result = run(sys.executable, "-c", USE, env={**installed, "LD_LIBRARY_PATH": str(FOLDER / "driver")})
    check(result == (0, ALONE, ""), f"another driver is neither asked nor initialised: {result}")
    finish()


if __name__ == "__main__":
    main()
