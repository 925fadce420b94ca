#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gpustat and nvitop, unchanged, show the devices and the process that uses one: names, UUIDs, memory.

usage: check_monitors.py LIBRARY_FOLDER

Runs the interpreter in CUPIPE_TEST_PYTHON, or this one; skips (77) where it has neither of them.
"""
import json
import os
import re
import subprocess
import sys

SKIP, MIB = 77, 1 << 20
USED_MIB = 64
PYTHON = os.environ.get("CUPIPE_TEST_PYTHON", sys.executable)
PLAIN = {name: value for name, value in os.environ.items() if not name.startswith("CUPIPE_")}
ENVIRONMENT = dict(PLAIN, LD_LIBRARY_PATH=sys.argv[1], CUPIPE_DEVICES="2", CUPIPE_MEMORY="1G", COLUMNS="120", TERM="dumb",
                   CUPIPE_DEVICE_NAME="monitored card",
                   CUPIPE_DEVICE_UUID="33445566-7788-8000-8000-%08x0000" % os.getpid())
# Has memory on the second device until its input ends; prints the UUID that the driver has, and how much is used.
USER = f"""
import ctypes, sys, uuid
cuda, context, memory = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_uint64()
free, total, name = ctypes.c_size_t(), ctypes.c_size_t(), (ctypes.c_char * 16)()
for result in (cuda.cuInit(0), cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 1), cuda.cuCtxSetCurrent(context),
               cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t({USED_MIB * MIB})),
               cuda.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)), cuda.cuDeviceGetUuid(name, 1)):
    assert result == 0, result
print(uuid.UUID(bytes=bytes(name)), (total.value - free.value) // {MIB}, flush=True)
sys.stdin.read()
"""


def monitor(*words):
    return subprocess.run([PYTHON, "-m", *words], env=ENVIRONMENT, capture_output=True, text=True)


def has(module):
    return subprocess.run([PYTHON, "-c", f"import {module}"], env=ENVIRONMENT, capture_output=True).returncode == 0


def check_gpustat(pid, uuid, used):
    result = monitor("gpustat", "--json")
    assert result.returncode == 0, result.stderr
    first, second = json.loads(result.stdout)["gpus"]
    assert first["name"] == second["name"] == "monitored card"
    assert second["uuid"] == "GPU-" + uuid and first["uuid"] != second["uuid"]
    assert (first["memory.used"], second["memory.used"], second["memory.total"]) == (0, used, 1024), second
    assert first["processes"] == []
    assert [(each["pid"], each["gpu_memory_usage"]) for each in second["processes"]] == [(pid, used)], second


def check_nvitop(pid, uuid, used):
    result = monitor("nvitop", "-1")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("monitored card") == 2, result.stdout
    assert re.search(rf"{used}(\.0+)?MiB / 1024MiB", result.stdout), result.stdout
    assert re.search(rf" 1 +{pid} C .*{used}(\.0+)?MiB", result.stdout), result.stdout


def main():
    checks = {"gpustat": check_gpustat, "nvitop": check_nvitop}
    found = [module for module in checks if has(module)]
    if not found:
        print("neither gpustat nor nvitop is installed")
        return SKIP
    user = subprocess.Popen([sys.executable, "-c", USER], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    try:
        uuid, used = user.stdout.readline().split()
        assert int(used) >= USED_MIB
        for module in found:
            checks[module](user.pid, uuid, int(used))
            print(module, "shows what the driver says")
    finally:
        user.communicate()
    return 0


if __name__ == "__main__":
    sys.exit(main())
