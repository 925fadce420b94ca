# SPDX-License-Identifier: MIT
"""The views of a profile: operations by instruction, the roofline, the flame graph and the table, in the terminal and as
SVG. The profile is written here, so that every number is known.

usage: check_views.py PROFILE_SCRIPT
"""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from pathlib import Path

SCRIPT = Path(sys.argv[1])
sys.path.insert(0, str(SCRIPT.parent))
sys.dont_write_bytecode = True
from cupipe_views import counts, flame, machine, roofline, terminal  # noqa: E402

FOLDER = Path(tempfile.mkdtemp())
ROOFS = {"float32_per_second": 1e11, "float64_per_second": 5e10, "bytes_per_second": 1e10, "threads": 2}
failures = []


def check(found, wanted, what):
    if found != wanted:
        failures.append(what)
        print(f"not ok: {what}: {found!r}, not {wanted!r}")


def row(text, executions=10, lanes=320, function="_Z5scalePf", **more):
    return {"function": function, "line": 1, "op": text.split(".")[0].split(" ")[0], "text": text, "executions": executions,
            "lanes": lanes, **more}


def at(line, *inlined):
    return {"file": "/nowhere/scale.cu", "source_line": line,
            **({"inlined": [{"function": name, "line": 3} for name in inlined]} if inlined else {})}


PROFILE = {"kernels": [
    {"name": "_Z5scalePf", "plain_name": "scale(float*) <&>", "launches": 2, "blocks": 4, "threads": 128, "duration_ns": 1000,
     "instructions": [
         row("ld.global.f32 %f1, [%rd1]", memory="global", accesses=10, bytes=1280, sectors=40, **at(10)),
         row("fma.rn.f32 %f2, %f1, %f1, %f1", 30, 960, **at(4, "square(float)")),
         row("st.global.f32 [%rd1], %f2", memory="global", accesses=10, bytes=1280, sectors=40, **at(12)),
         row("ret", 10, 320, function="helper", **at(20))]},
    {"name": "whole", "launches": 1, "blocks": 1, "threads": 32, "duration_ns": 500, "instructions": [
        row("add.s32 %r1, %r2, %r3", 20, 640, function="whole")]}],
    "host_work": [{"name": "cublasSgemm_v2", "calls": 1, "duration_ns": 900, "bytes_read": 100, "bytes_written": 50}]}


def check_operations():
    for text, wanted in (("fma.rn.f32 %f", (640, 0, 0)), ("add.f64 %fd", (320, 320, 0)), ("fma.rn.f16x2 %r", (1280, 0, 0)),
                         ("mad.lo.s32 %r", (0, 0, 640)), ("mov.u32 %r", (0, 0, 0)), ("setp.lt.f32 %p", (0, 0, 0)),
                         ("cvt.rn.f32.u32 %f", (0, 0, 0)), ("ld.global.f32 %f", (0, 0, 0)), ("mul.bf16x2 %r", (640, 0, 0)),
                         ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {", (2 * 16 * 8 * 16 * 10, 0, 0)),
                         ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {", (5120, 5120, 0)),
                         ("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {", (0, 0, 2 * 16 * 8 * 32 * 10)),
                         ("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {", (2 * 64 * 128 * 16 * 10 // 4, 0, 0)),
                         ("wgmma.fence.sync.aligned", (0, 0, 0)), ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {", (0, 0, 0))):
        check(counts.operations(row(text)), wanted, f"operations of {text}")


def check_roofline(kernels):
    points = roofline.points_of(kernels, {**ROOFS, "processor": "this one"})
    scale, whole = points
    check((scale.operations, scale.bytes, scale.intensity), (1920, 2560, 0.75), "work and bytes of a kernel")
    check((scale.bound, scale.roof), ("memory", 7.5e9), "its roof")
    check((whole.is_float, whole.operations, whole.intensity, whole.bound), (False, 640, float("inf"), "arithmetic"),
          "a kernel without memory and floats")


def check_flame(kernels):
    root = flame.build(kernels, False)
    scale = root.children["scale(float*) <&>"]
    check((root.value, scale.value), (80, 60), "instructions of all, and of one kernel")
    check(scale.children["square(float)"].children["scale.cu:4"].value, 30, "a line of an inlined function")
    check(scale.children["helper"].children["scale.cu:20"].value, 10, "a line of another function")
    check(root.children["whole"].children["PTX 1: add.s32 %r1, %r2, %r3"].value, 20, "an instruction without a line")
    timed = flame.build(kernels, True)
    check((round(timed.value, 9), round(timed.children["whole"].value, 9)), (0.0015, 0.0005), "by time")


def check_machine():
    program, runs = FOLDER / "roofs", FOLDER / "runs"
    program.write_text(f"#!/bin/sh\necho x >> {runs}\necho '{json.dumps(ROOFS)}'\n")
    program.chmod(0o755)
    os.environ["CUPIPE_CACHE"] = str(FOLDER / "cache")
    for again in (False, False, True):
        check(machine.roofs(str(program), again)["float32_per_second"], 1e11, "the roofs")
    check(len(runs.read_text().split()), 2, "they are measured once, and again if asked")
    (FOLDER / "cache" / "roofs.json").write_text("[")
    machine.roofs(str(program))
    check(len(runs.read_text().split()), 3, "a broken file is measured again")


def run(*words, **settings):
    return subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, encoding="utf-8",
                          env={**os.environ, "PATH": f"{FOLDER}:{os.environ['PATH']}", **settings})


def check_pictures(path):
    for words, wanted in (((), "cublasSgemm_v2"), (("--roofline",), "memory"), (("--flame",), "square(float)"),
                          (("--flame", "time"), "helper")):
        shown = run(path, *words, COLUMNS="90", PYTHONIOENCODING="utf-8")
        check(shown.returncode, 0, f"{words}: {shown.stderr}")
        check(wanted in shown.stdout and "\x1b" not in shown.stdout, True, f"{words}: {shown.stdout}")
        check(max(len(line) for line in shown.stdout.split("\n") if terminal.EIGHTHS[8] in line) <= 90, True, f"{words}: the width")
        plain = run(path, *words, PYTHONIOENCODING="ascii")
        check((plain.returncode, "#" in plain.stdout), (0, True), f"{words} in ASCII: {plain.stderr}")
        picture = FOLDER / "picture.svg"
        check(run(path, *words, "--svg", picture).returncode, 0, f"{words} as SVG")
        tree = xml.etree.ElementTree.parse(picture)
        text = picture.read_text(encoding="utf-8")
        check(all(word in "".join(tree.getroot().itertext()) for word in ("scale(float*) <&>",)), True, f"{words}: names")
        check(any(word in text for word in ("href", "<script", "url(", "@import")), False, f"{words}: nothing from outside")
        check("prefers-color-scheme: dark" in text, True, f"{words}: light and dark")


check_operations()
KERNELS = counts.join(PROFILE["kernels"])
check_roofline(KERNELS)
check_flame(KERNELS)
check_machine()
FILE = FOLDER / "profile.json"
FILE.write_text(json.dumps(PROFILE))
(FOLDER / "cupipe-roofs").symlink_to(FOLDER / "roofs")
check_pictures(FILE)
EMPTY = FOLDER / "empty.json"
EMPTY.write_text('{"kernels": [], "host_work": []}')
for view in ((), ("--roofline",), ("--flame",)):
    check(run(EMPTY, *view).returncode, 0, f"an empty profile {view}")
    check(run(EMPTY, *view, "--svg", FOLDER / "empty.svg").returncode, 0, f"an empty profile {view} as SVG")
TRACE = FOLDER / "trace.json"
TRACE.write_text('[{"name":"_Z5scalePf","ph":"X","pid":10000000,"tid":1,"ts":1,"dur":8},\n')
timed = run(FILE, "--roofline", "--times", TRACE, "--kernel", "scale").stdout
check("120M" in timed and "whole" not in timed, True, f"two launches of 8 us, as a trace has them: {timed}")
sys.exit(1 if failures else 0)
