# SPDX-License-Identifier: MIT
"""Traces of cupipe and of torch.profiler as one: clocks, correlations, traces that end early or are compressed, and a large
one that is read piece by piece.

usage: check_merge.py TRACE_SCRIPT
"""
import gzip
import json
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path

SCRIPT = Path(sys.argv[1])
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True
from cupipe_views import events  # noqa: E402

FOLDER = Path(tempfile.mkdtemp())
REALTIME, MONOTONIC, BASE = 1790857026_123456789, 38518_893076167, 1790857000_000000000
failures = []


def check(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"not ok: {what}: {found!r}, not {wanted!r}")


def run(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True)


def write(name, value):
    path = FOLDER / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


DEVICE = 10000000
OURS = [{"name": "process_name", "ph": "M", "pid": 7, "tid": 0, "args": {"name": "python"}},
        {"name": "clock", "ph": "M", "pid": 7, "tid": 0, "args": {"realtime_minus_monotonic_ns": str(REALTIME - MONOTONIC)}},
        {"name": "cuLaunchKernel", "ph": "X", "pid": 7, "tid": 7, "ts": MONOTONIC / 1000, "dur": 5, "args": {"result": "CUDA_SUCCESS"}},
        {"name": "process_name", "ph": "M", "pid": DEVICE, "tid": 0, "args": {"name": "cupipe device 0"}},
        {"name": "thread_name", "ph": "M", "pid": DEVICE, "tid": DEVICE + 1, "args": {"name": "stream 1"}},
        {"name": "aten::mm", "ph": "X", "pid": DEVICE, "tid": DEVICE + 1, "ts": MONOTONIC / 1000 + 10, "dur": 20}]
AT = (REALTIME - BASE) / 1000
TORCH = {"schemaVersion": 1, "baseTimeNanoseconds": BASE, "traceEvents": [
    {"ph": "M", "name": "process_name", "ts": AT, "pid": 7, "tid": 0, "args": {"name": "torch's python"}},
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": AT - 5, "dur": 30, "args": {"External id": 3}},
    {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": 7, "ts": AT, "dur": 6,
     "args": {"External id": 3, "correlation": 41}},
    {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 41, "pid": 7, "tid": 7, "ts": AT},
    {"ph": "X", "cat": "kernel", "name": "aten::mm", "pid": 0, "tid": 1, "ts": AT + 10, "dur": 20,
     "args": {"External id": 3, "correlation": 41}},
    {"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 41, "pid": 0, "tid": 1, "ts": AT + 10, "bp": "e"}], "traceName": "x"}

ours, torch = write("ours.json", OURS), write("torch.json", TORCH)
merged = FOLDER / "merged.json"
shown = run(ours, torch, "--merge", merged)
check(shown.returncode, 0, f"merging: {shown.stderr}")
check("torch, thread 7" in shown.stdout and "cupipe device 0, stream 1" in shown.stdout, True, f"rows: {shown.stdout}")
check([line.split()[-1] for line in shown.stdout.split("\n") if line.startswith("aten::mm ")], ["0.020", "0.020"],
      f"the kernel, and the operator with its kernel's time: {shown.stdout}")
EVENTS = json.loads(merged.read_text())
by = {(event["name"], event.get("cat")): event for event in EVENTS if event["ph"] == "X"}
check(abs(by["aten::mm", "kernel"]["ts"] - by["aten::mm", None]["ts"]) < 0.01, True, "the kernel of both at the same time")
check(abs(by["cudaLaunchKernel", "cuda_runtime"]["ts"] - by["cuLaunchKernel", None]["ts"]) < 0.01, True, "the launch of both")
check([(event["ph"], event["id"]) for event in EVENTS if event.get("cat") == "ac2g"], [("s", 41), ("f", 41)], "flows")
check(by["aten::mm", "kernel"]["args"], {"External id": 3, "correlation": 41}, "correlation")
check([event["args"]["name"] for event in EVENTS if event["name"] == "process_name" and event["pid"] == 7], ["python"],
      "a process has one name")
reverse = run(torch, ours, "--merge", merged)
back = [event for event in json.loads(merged.read_text()) if event["name"] == "aten::mm" and event["ph"] == "X"]
check(reverse.returncode == 0 and max(event["ts"] for event in back) - min(event["ts"] for event in back) < 15.02, True,
      "the other way round")
check(run(torch).stdout.count("GPU 0, stream"), 1, "torch.profiler's alone")

squeezed = FOLDER / "torch.json.gz"
squeezed.write_bytes(gzip.compress(torch.read_bytes()))
check(run(ours, squeezed).stdout, shown.stdout, "compressed")
text = json.dumps(OURS)
for count in range(1, len(OURS)):  # a process that was killed leaves whole events
    whole = text[:len(json.dumps(OURS[:count])) - 1]
    check(list(events.each(write("cut.json", whole))), OURS[:count], f"{count} events without an end")
    try:
        list(events.each(write("cut.json", whole[:-1])))
        check(True, False, f"a part of event {count} is refused")
    except events.NotATrace:
        pass
no_clock = write("old.json", [event for event in OURS if event["name"] != "clock"])
check("which clock" in run(no_clock, torch).stderr, True, "a trace without a clock")
check(run(no_clock).returncode, 0, "a trace without a clock, alone")
for value in ("", "7", "[7]", '{"kernels": []}', "\x1f\x8b broken"):
    failed = run(write("other.json", value))
    check((failed.returncode, "Traceback" in failed.stderr), (1, False), f"{value!r} is no trace: {failed.stderr}")

with open(FOLDER / "large.json", "w", encoding="utf-8") as file:
    file.write("[")
    for number in range(100000):
        file.write(f'{"," if number else ""}\n{{"name":"k{number % 9}","ph":"X","pid":7,"tid":7,"ts":{number},"dur":1,"args":{{"result":"CUDA_SUCCESS"}}}}')
tracemalloc.start()
check(sum(1 for _ in events.each(FOLDER / "large.json")), 100000, "events of a large trace")
check(tracemalloc.get_traced_memory()[1] < (FOLDER / "large.json").stat().st_size, True, "a trace is never in memory as a whole")
sys.exit(1 if failures else 0)
