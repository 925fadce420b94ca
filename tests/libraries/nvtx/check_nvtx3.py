#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NVTX 3 of a program's headers: names, payloads with a layout, counters and locks are in the trace; a debugger lists
the ranges that are open. A program without a tool, or with one and no trace, runs as well.

usage: check_nvtx3.py PROGRAM INJECTION_LIBRARY GDB_COMMANDS
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, LIBRARY, COMMANDS = sys.argv[1:]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("CUPIPE_", "NVTX_"))}
FAILED = []


def check(found, wanted, what):
    if found != wanted:
        FAILED.append(what)
        print(f"failed: {what}: {found!r}, not {wanted!r}")


def run(**variables):
    return subprocess.run([PROGRAM], env={**CLEAN, **variables}, capture_output=True, text=True)


def check_names(events):
    names = {(e["args"]["kind"], e["args"]["name"]) for e in events if e["ph"] == "M" and e["name"] == "name"}
    check(names, {("thread", "the main one"), ("thread", "worker \u03b1"), ("stream", "copies"), ("device", "the first"),
                  ("context", "primary"), ("event", "copied"), ("resource", "a table")}, "names")
    last = {}
    for event in events:
        if event["ph"] == "M" and event["name"] in ("thread_name", "process_name"):
            last[event["name"], event["pid"], event["tid"]] = event["args"]["name"]
    shown = set(last.values())
    check(shown >= {"the main one", "worker \u03b1", "cupipe device 0: the first"}, True, f"names of rows {shown}")
    check(any(name.startswith("stream ") and name.endswith(": copies") for name in shown), True, f"the stream's row {shown}")


def check_events(events):
    nvtx = [e for e in events if e.get("cat") == "nvtx"]
    by_name = {e["name"]: e for e in nvtx}
    check(by_name["a step"]["args"]["payload"],
          {"level": 1, "number": -5, "at": {"x": 1.5, "y": -0.25}, "solver": "multigrid", "residuals": [1, 0.5, 0.25],
           "name": 'coarse "grid', "message": "a step"}, "payload with a layout")
    short = next(e["args"]["payload"] for e in nvtx if e["name"] == "" and e["ph"] == "i")
    check((short["level"], short["number"], short["residuals"]), (1, None, []), "payload that is too short")
    check([e["args"] for e in nvtx if e["ph"] == "C"], [{"queued": 42}, {"queued": 0.5}], "counters")
    check(by_name["acquire queue"]["args"]["domain"], "physics", "acquiring a lock")
    check("release queue" in by_name and "registered \u00fc" in by_name, True, f"marks {sorted(by_name)}")
    check("in the child" in by_name, False, "ranges of a forked child are not in its parent's trace")


def check_gdb():
    if not shutil.which("gdb"):
        print("no gdb here")
        return
    listed = subprocess.run(["gdb", "-batch", "-nx", "-ex", f"source {COMMANDS}", "-ex", "set debuginfod enabled off",
                             "-ex", "break stop_here", "-ex", "run", "-ex", "cupipe ranges", "-ex", "cupipe names", PROGRAM],
                            env={**CLEAN, "NVTX_INJECTION64_PATH": LIBRARY}, capture_output=True, text=True).stdout
    for wanted in ("  inner", "  outer", "started, id 1", "the main one", "stream 0x", ": copies", ": copied", "physics: a table"):
        check(wanted in listed, True, f"gdb lists {wanted!r} in\n{listed}")
    check(-1 < listed.find("  outer") < listed.find("  inner"), True, "outer ranges come first")


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "trace.json"
    done = run(NVTX_INJECTION64_PATH=LIBRARY, CUPIPE_TRACE=str(path))
    check(done.returncode, 0, f"traced: {done.stderr}")
    EVENTS = json.loads(path.read_text(encoding="utf-8"))
check_names(EVENTS)
check_events(EVENTS)
check(run().returncode, 0, "without a tool")
check(run(NVTX_INJECTION64_PATH=LIBRARY).returncode, 0, "without a trace")
check_gdb()
sys.exit(bool(FAILED))
