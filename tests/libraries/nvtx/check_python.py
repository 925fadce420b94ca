#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Python's nvtx, which has NVTX 3 in its extension modules: ranges, marks, domains and counters are in the trace. Skipped
where it is not installed.

usage: check_python.py FOLDER_OF_LIBRARIES
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = """
import ctypes, nvtx
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
with nvtx.annotate("forward", color="green", domain="model", category="train", payload=7):
    nvtx.mark("a tick \\u00fc", domain="model")
nvtx.end_range(nvtx.start_range("across", domain="model"))
"""
LIBRARIES = Path(sys.argv[1])
if not importlib.util.find_spec("nvtx"):
    print("Python's nvtx is not installed")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    trace = Path(folder) / "trace.json"
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, env={
        **os.environ, "CUPIPE_TRACE": str(trace), "LD_LIBRARY_PATH": str(LIBRARIES),
        "NVTX_INJECTION64_PATH": str(LIBRARIES / "libnvToolsExt.so.1")})
    events = {(event["name"], event["ph"]): event.get("args", {}) for event in json.loads(trace.read_text(encoding="utf-8"))
              if event.get("cat") == "nvtx"}
wanted = {("a tick \u00fc", "i"), ("forward", "X"), ("across", "b"), ("across", "e")}
arguments = events.get(("forward", "X"), {})
good = set(events) == wanted and (arguments["domain"], arguments["category"], arguments["payload"]) == ("model", "train", "7")
print("" if good else f"not ok: {events}", end="")
sys.exit(not good)
