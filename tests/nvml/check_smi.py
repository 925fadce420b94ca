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

    assert run("--nonsense").returncode == 2
    assert run("--help").returncode == 0
    broken = run(CUPIPE_DEVICES="none")
    assert broken.returncode == 1 and "NVML does not start" in broken.stderr and broken.stdout == ""
    print("3 forms of %d devices" % len(found["devices"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
