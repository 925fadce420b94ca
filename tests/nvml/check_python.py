#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvidia-ml-py on cupipe's libnvidia-ml.so.1: it finds every function it knows, what it reads makes sense by
the layouts it has, and each function that asks about a device alone answers, or says why not.

usage: check_python.py LIBRARY_FOLDER NVML_DEF

Runs the interpreter in CUPIPE_TEST_PYTHON, or this one; skips (77) where nvidia-ml-py is not installed.
"""
import inspect
import os
import re
import subprocess
import sys


def exported(table):
    return {line.split()[0] for line in open(table) if re.match(r"nvml\w+\s", line)}


def call_all(pynvml, device):
    """Calls what takes a device alone; returns how many functions answered."""
    answered = 0
    for name, function in sorted(vars(pynvml).items()):
        if not name.startswith("nvmlDeviceGet") or not inspect.isfunction(function):
            continue
        parameters = inspect.signature(function).parameters.values()
        wanted = [each.name for each in parameters if each.default is each.empty]
        if wanted not in (["handle"], ["device"]):
            continue
        try:
            function(device)
            answered += 1
        except (pynvml.NVMLError_NotSupported, pynvml.NVMLError_NotFound, pynvml.NVMLError_FunctionNotFound):
            pass
    return answered


def check(table):
    try:
        import pynvml
    except ImportError:
        print("nvidia-ml-py is not installed")
        return 77
    asked = set(re.findall(r'_nvmlGetFunctionPointer\("(\w+)"\)', open(pynvml.__file__).read()))
    lost = sorted(asked - exported(table))
    if lost:
        print("a newer nvidia-ml-py knows more names:", *lost)
    pynvml.nvmlInit()
    assert pynvml.nvmlDeviceGetCount() == 2
    for index in range(2):
        device = pynvml.nvmlDeviceGetHandleByIndex(index)
        memory = pynvml.nvmlDeviceGetMemoryInfo(device)
        assert memory.total == 1 << 30 and memory.free + memory.used == memory.total
        second = pynvml.nvmlDeviceGetMemoryInfo(device, version=pynvml.nvmlMemory_v2)
        assert second.total == 1 << 30 and second.reserved == 0
        pci = pynvml.nvmlDeviceGetPciInfo(device)
        assert pynvml.nvmlDeviceGetHandleByPciBusId(pci.busId).contents is not None
        assert pci.pciDeviceId & 0xFFFF == 0x10DE
        wide = pynvml.nvmlPciInfoExt_v1_t(version=pynvml.nvmlPciInfoExt_v1)
        pynvml.nvmlDeviceGetPciInfoExt(device, pynvml.byref(wide))
        assert wide.busId == pci.busId
        uuid = pynvml.nvmlDeviceGetUUID(device)
        assert pynvml.nvmlDeviceGetIndex(pynvml.nvmlDeviceGetHandleByUUID(uuid)) == index
        assert pynvml.nvmlDeviceGetCudaComputeCapability(device)[0] >= 5
        assert pynvml.nvmlDeviceGetUtilizationRates(device).gpu <= 100
        assert pynvml.nvmlDeviceGetComputeRunningProcesses(device) == []
        try:
            pynvml.nvmlDeviceGetPowerUsage(device)
            raise AssertionError("a device has no power meter")
        except pynvml.NVMLError_NotSupported as error:
            assert str(error) == "Not Supported"
    answered = call_all(pynvml, device)
    assert answered >= 50, answered
    pynvml.nvmlShutdown()
    print("%d functions answered" % answered)
    print("%d names, %d of them exported" % (len(asked), len(asked & exported(table))))
    return 0


def main():
    if os.environ.get("NVML_TEST_INNER"):
        return check(sys.argv[2])
    python = os.environ.get("CUPIPE_TEST_PYTHON", sys.executable)
    environment = dict(os.environ, NVML_TEST_INNER="1", LD_LIBRARY_PATH=sys.argv[1], CUPIPE_DEVICES="2",
                       CUPIPE_MEMORY="1G", CUPIPE_DEVICE_UUID="00112233-4455-8000-8000-%08x0000" % os.getpid())
    return subprocess.run([python] + sys.argv, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
