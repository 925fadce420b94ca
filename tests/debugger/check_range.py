# SPDX-License-Identifier: MIT
"""CUPIPE_CAPTURE_RANGE: the trace and the profile have the whole program, or what lies between cuProfilerStart and
cuProfilerStop, whenever the work of it runs.

usage: check_range.py PROGRAM CUPIPE FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, CUPIPE, FOLDER = sys.argv[1:4]
KERNEL = "strided"
INSTRUCTIONS = 2 * 8  # of two warps
failures = []


def check(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"not ok: {what}: {found!r}, not {wanted!r}")


def run(kind, *options, **settings):
    """What the program leaves in its trace or profile."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/{kind}.json"
        done = subprocess.run([CUPIPE, "run", f"--{kind}", path, *options, PROGRAM, f"{FOLDER}/profile.ptx", KERNEL], text=True,
                              capture_output=True, timeout=120, env={**os.environ, "CUPIPE_CACHE": f"{folder}/cache", **settings})
        check(done.returncode, 0, f"{kind} {options} {settings}: {done.stderr}")
        with open(path, encoding="utf-8") as file:
            return json.load(file)


def kernels(events):
    return sum(event.get("ph") == "X" and event["name"] == KERNEL for event in events)


def launches(events):
    return sum(event.get("ph") == "X" and event["name"].startswith("cuLaunchKernel") for event in events)


for settings in ({}, {"CUPIPE_SCHEDULE": "lazy"}, {"CUPIPE_SCHEDULE": "random:3"}):
    whole, part = run("trace", **settings), run("trace", "--capture-range", "profiler", **settings)
    check((kernels(whole), launches(whole)), (6, 6), f"the whole program: kernels, launches {settings}")
    check((kernels(part), launches(part)), (3, 3), f"the range: kernels, launches {settings}")
    marks = [event["name"] for event in part if event.get("ph") == "i"]
    check((marks[0], marks[-1]), ("profiler start", "profiler stop"), f"marks {settings}")
    for name, times, options in (("program", 6, ()), ("range", 3, ("--capture-range", "profiler"))):
        counted = run("profile", *options, **settings)["kernels"]
        check(sum(kernel["launches"] for kernel in counted), times, f"launches of the {name} {settings}")
        check(sum(row["executions"] for kernel in counted for row in kernel["instructions"]), times * INSTRUCTIONS,
              f"instructions of the {name} {settings}")
sys.exit(1 if failures else 0)
