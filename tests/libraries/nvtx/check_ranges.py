#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranges and marks of NVTX are in the trace, with their domain, category, colour and payload.

usage: check_ranges.py PROGRAM TIMELINE_SCRIPT
"""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, TIMELINE = sys.argv[1:]
FOLDER = Path(tempfile.mkdtemp())
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("CUPIPE_")}
FAILED = []


def check(condition, what):
    if not condition:
        FAILED.append(what)
        print("failed:", what)


def ranges_of(how):
    path = FOLDER / (how + ".json")
    done = subprocess.run([PROGRAM, how], env={**CLEAN, "CUPIPE_TRACE": str(path)})
    check(done.returncode == 0, f"{how}: the program returns {done.returncode}")
    events = json.loads(path.read_text())
    return path, events, {(e["name"], e["ph"]): e for e in events if e.get("cat") == "nvtx"}


for how in ("link", "inject"):
    path, events, ranges = ranges_of(how)
    check(set(ranges) == {("before the driver", "X"), ('outer "quoted"', "X"), ("wide", "X"), ("a mark", "i"),
                          ("in a domain", "X"), ("across threads", "b"), ("across threads", "e")}, f"{how}: {set(ranges)}")
    arguments = ranges["in a domain", "X"]["args"]
    check(arguments == {"kind": "range", "domain": "physics", "category": "solver", "payload": "-42", "color": "#12ab34"},
          f"{how}: {arguments}")
    outer, inner = ranges['outer "quoted"', "X"], ranges["wide", "X"]
    check(outer["ts"] <= inner["ts"] and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"], f"{how}: one in the other")
    fill = next(e for e in events if e.get("name") == "cuMemsetD8_v2" or e.get("name") == "cuMemsetD8")
    check(inner["ts"] <= fill["ts"] <= inner["ts"] + inner["dur"] and inner["tid"] == fill["tid"],
          f"{how}: the call lies in the range")
    text = subprocess.run([sys.executable, TIMELINE, path], capture_output=True, text=True).stdout
    check("physics: in a domain" in text and "across threads" in text, f"{how}: the summary: {text}")
check(subprocess.run([PROGRAM], env=CLEAN).returncode == 0, "a program without a trace runs")
sys.exit(bool(FAILED))
