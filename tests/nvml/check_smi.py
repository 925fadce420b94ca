#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe-smi: its table, its list and its JSON show the devices that are configured.

usage: check_smi.py CUPIPE_SMI
"""
import json
import os
import subprocess
import sys

NAME = 'a "card"'
ENVIRONMENT = dict(os.environ, CUPIPE_DEVICES="2", CUPIPE_MEMORY="1G", CUPIPE_DEVICE_NAME=NAME,
                   CUPIPE_DEVICE_UUID="aa112233-4455-8000-8000-%08x0000" % os.getpid())


def run(*arguments, **changes):
    return subprocess.run([sys.argv[1], *arguments], env=dict(ENVIRONMENT, **changes), capture_output=True, text=True)


def check_query(words, status, text):
    result = run(*words.split(" "))
    assert (result.returncode, result.stdout) == (status, text), (words, result)


def check_queries(found):
    """The forms and statuses are those that nvidia-smi 580 was recorded to give."""
    uuids = [device["uuid"] for device in found["devices"]]
    check_query("--query-gpu=index,gpu_uuid,memory.total --format=csv", 0,
                "index, uuid, memory.total [MiB]\n0, %s, 1024 MiB\n1, %s, 1024 MiB\n" % tuple(uuids))
    check_query("--query-gpu=index,memory.total --format=csv,noheader", 0, "0, 1024 MiB\n1, 1024 MiB\n")
    check_query("--query-gpu=index,memory.total --format=csv,nounits", 0, "index, memory.total [MiB]\n0, 1024\n1, 1024\n")
    check_query("--format=csv,noheader,nounits --query-gpu=memory.total,memory.used,memory.free,count", 0,
                "1024, 0, 1024, 2\n" * 2)
    check_query("--query-gpu name", 0, "name\n" + (NAME + "\n") * 2)
    check_query("--query-gpu=pci.bus,pci.device,pci.domain,compute_cap,compute_mode,pstate,clocks.sm --format=csv,noheader -i 1", 0,
                "0x00, 0x07, 0x0000, 9.0, Default, P0, 1980 MHz\n")
    check_query("--query-gpu=temperature.gpu,power.draw,serial --format=csv,noheader,nounits -i 0", 0, "[N/A], [N/A], [N/A]\n")
    for device in ("1", uuids[1], found["devices"][1]["pci_bus_id"]):
        check_query("--id=%s --query-gpu=index --format=csv,noheader" % device, 0, "1\n")
    check_query("-i 7 --query-gpu=name --format=csv", 6, "No devices were found\n")
    check_query("-i x -L", 6, "No devices were found\n")
    check_query("--query-gpu=name,foo --format=csv", 2, 'Field "foo" is not a valid field to query.\n\n')
    check_query("--query-gpu=NAME --format=csv", 2, 'Field "NAME" is not a valid field to query.\n\n')
    check_query("--query-gpu=name --format=xml", 2, "Format modifier is not recognized.\n")
    check_query("--query-compute-apps=pid,name,used_memory --format=csv", 0, "pid, process_name, used_gpu_memory [MiB]\n")
    assert run("--format=csv").returncode == 255
    known = run("--help-query-gpu").stdout
    for line in known.splitlines():  # every field that is listed can be asked for
        if line.startswith('"'):
            names = ",".join(line.replace('"', "").split(" or "))
            assert run("--query-gpu=" + names).returncode == 0, names
    everything = run("-q", "-i", "1").stdout.splitlines()
    assert "    %-50s : %s" % ("GPU UUID", uuids[1]) in everything, everything
    assert "        %-46s : 1024 MiB" % "Total" in everything, everything


def check_versions(cuda, driver):
    """Of the newer names, which come with 13.3, a program finds either."""
    expected = [("NVIDIA-SMI version", driver), ("NVML version", driver.rpartition(".")[0]),
                ("DRIVER version", driver), ("CUDA Version", cuda)]
    both = tuple(map(int, cuda.split("."))) >= (13, 3)
    if both:
        expected += [("KMD version", driver), ("CUDA UMD version", cuda)]
    assert run("--version", CUPIPE_DRIVER=cuda).stdout == "".join("%-20s: %s\n" % pair for pair in expected)
    everything = run("-q", CUPIPE_DRIVER=cuda).stdout
    for name, value in (("Driver", driver), ("CUDA", cuda)):
        assert "\n%-55s: %s\n" % (name + " Version", value) in everything, everything
    for name, value in (("KMD", driver), ("CUDA UMD", cuda)):
        assert ("\n%-55s: %s\n" % (name + " Version", value) in everything) == both, everything
    table = run(CUPIPE_DRIVER=cuda).stdout
    assert "Driver Version: %s " % driver in table and "CUDA Version: %s " % cuda in table, table
    asked = run("--query-gpu=driver_version", "--format=csv,noheader", CUPIPE_DRIVER=cuda)
    assert asked.stdout == (driver + "\n") * 2, asked
    found = json.loads(run("--json", CUPIPE_DRIVER=cuda).stdout)
    assert (found["driver_version"], found["cuda_version"]) == (driver, cuda), found


def main():
    table = run()
    assert table.returncode == 0, table.stderr
    lines = [line for line in table.stdout.split("\n") if line]
    assert len({len(line) for line in lines}) == 1, table.stdout
    assert table.stdout.count(NAME) == 2 and table.stdout.count("0MiB / 1024MiB") == 2
    assert "No running processes found" in table.stdout

    found = json.loads(run("--json").stdout)
    assert [device["name"] for device in found["devices"]] == [NAME, NAME]
    assert [device["memory_total_bytes"] for device in found["devices"]] == [1 << 30] * 2
    assert all(device["processes"] == [] for device in found["devices"])
    listed = run("-L").stdout.splitlines()
    assert listed == ["GPU %d: %s (UUID: %s)" % (device["index"], NAME, device["uuid"]) for device in found["devices"]]

    check_queries(found)
    check_versions("13.4", "615.71.09")
    check_versions("13.0", "580.65.06")
    nonsense = run("--nonsense")
    assert nonsense.returncode == 255 and "Option --nonsense is not recognized" in nonsense.stdout
    assert run("--help").returncode == 0
    broken = run(CUPIPE_DEVICES="none")
    assert broken.returncode == 1 and "NVML does not start" in broken.stderr and broken.stdout == ""
    unknown = run("--version", CUPIPE_DRIVER="14.9")
    assert unknown.returncode == 1 and 'CUPIPE_DRIVER="14.9"' in unknown.stderr and unknown.stdout == "", unknown
    print("3 forms of %d devices" % len(found["devices"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
