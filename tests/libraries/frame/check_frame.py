#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A call of a library is in the trace and the profile by its name, in the order of its stream under every schedule, and known to
the checks.

usage: check_frame.py PROGRAM PROFILE_SCRIPT
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, PROFILE = sys.argv[1:]
FOLDER = Path(tempfile.mkdtemp())
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("CUPIPE_")}
FILL = struct.unpack("<f", b"\x3f" * 4)[0]  # what cudaMemset writes
RIGHT, UNSCALED = f"{4 * FILL:.4f}\n", f"{FILL:.4f}\n"
FAILED = []


def run(*words, **variables):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, env={**CLEAN, **variables})


def check(condition, what):
    if not condition:
        FAILED.append(what)
        print("failed:", what)


result = run()
if result.returncode == 77:
    print("skipped: OpenBLAS is not installed")
    sys.exit(77)
check(result.stdout == RIGHT, f"the result: {result.stdout} {result.stderr}")

run(CUPIPE_TRACE=str(FOLDER / "trace.json"))
events = json.loads((FOLDER / "trace.json").read_text())
events = events["traceEvents"] if isinstance(events, dict) else events
check(sum(event.get("name") == "cublasSscal_v2" for event in events) == 2, "the trace names both calls")

run(CUPIPE_PROFILE=str(FOLDER / "profile.json"))
text = subprocess.run([sys.executable, PROFILE, FOLDER / "profile.json", "--counts"], capture_output=True, text=True).stdout
check('{"host_work": "cublasSscal_v2", "calls": 2, "bytes_read": 8388608, "bytes_written": 8388608}' in text,
      f"the profile names both calls, and their bytes: {text}")

for schedule in ("eager", "lazy", "random:1", "random:2"):
    check(run(CUPIPE_SCHEDULE=schedule).stdout == RIGHT, f"the result under {schedule}")
check(run("no wait", CUPIPE_SCHEDULE="lazy").stdout == UNSCALED, "a missing wait shows under lazy")

check("cublasSscal_v2" not in run(CUPIPE_CHECK="memory,init,streams").stderr, "nothing is wrong with the right program")
for mistake, checks, words in (
        ("beyond", "memory", "host work cublasSscal_v2 reads 4194816 bytes at"),
        ("unwritten", "init", "host work cublasSscal_v2 reads 4194304 bytes at"),
        ("two streams", "streams", "written by host work cublasSscal_v2")):
    check(words in (told := run(mistake, CUPIPE_CHECK=checks).stderr), f"{mistake}: {told}")
check(run("wild").stdout == "cudaErrorIllegalAddress\n", "a wild pointer is an illegal address")
sys.exit(bool(FAILED))
