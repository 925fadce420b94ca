# SPDX-License-Identifier: MIT
"""What perf is told of kernels: a map of names, and a jitdump with code and source lines, in both tiers.

usage: check_perf.py PROGRAM FOLDER
"""
import os
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, FOLDER = sys.argv[1:3]
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("not ok:", text)


def run(folder, kernel, file, **settings):
    """The process id of the program after it ran with these variables."""
    environment = {**os.environ, "CUPIPE_CACHE": f"{folder}/cache", "JITDUMPDIR": folder, **settings}
    process = subprocess.Popen([PROGRAM, f"{FOLDER}/{file}", kernel], env=environment, stdout=subprocess.DEVNULL)
    check(process.wait(timeout=120) == 0, f"{kernel} runs with {settings}")
    return process.pid


def read_dump(path):
    """The kernels of a dump: name, code, and the lines as (offset, file, line)."""
    data = path.read_bytes()
    magic, version, start, _machine, _unused, pid = struct.unpack_from("<6I", data)
    check((magic, version) == (0x4A695444, 1) and f"jit-{pid}.dump" == path.name, "the header of the dump")
    kernels, lines, at = [], [], start
    while at < len(data):
        kind, size, _time = struct.unpack_from("<IIQ", data, at)
        if kind == 2:
            code, count = struct.unpack_from("<QQ", data, at + 16)
            lines, entry = [], at + 32
            for _ in range(count):
                address, line, _ = struct.unpack_from("<QII", data, entry)
                end = data.index(b"\0", entry + 16)
                lines.append((address - code, data[entry + 16:end].decode(), line))
                entry = end + 1
        elif kind == 0:
            code_size = struct.unpack_from("<Q", data, at + 40)[0]
            end = data.index(b"\0", at + 56)
            kernels.append((data[at + 56:end].decode(), data[end + 1:end + 1 + code_size], lines))
            lines = []
        at += size
    check(at == len(data), "records fill the dump")
    return kernels


for tier in ("first", "optimised"):
    with tempfile.TemporaryDirectory() as folder:
        for cached in (False, True):
            pid = run(folder, "_Z5scalePff", "kernels.ptx", CUPIPE_PERF="jitdump", CUPIPE_JIT=tier)
            kernels = read_dump(Path(folder, f"jit-{pid}.dump"))
            check([name for name, _, _ in kernels] == ["cupipe:_Z5scalePff"], f"the kernel, {tier}, {cached}")
            found = {(Path(file).name, line) for _, code, lines in kernels for offset, file, line in lines
                     if 0 <= offset < len(code)}
            check({("scale.cu", line) for line in (5, 11, 12)} <= found, f"its lines, {tier}, {cached}: {found}")
        pid = run(folder, "plain", "plain.ptx", CUPIPE_PERF="jitdump", CUPIPE_JIT=tier)
        files = {file for _, _, lines in read_dump(Path(folder, f"jit-{pid}.dump")) for _, file, _ in lines}
        check(len(files) == 1 and Path(*files).read_text() == Path(FOLDER, "plain.ptx").read_text(),
              f"the PTX text is the source: {files}")
with tempfile.TemporaryDirectory() as folder:
    map_path = Path(f"/tmp/perf-{run(folder, 'plain', 'plain.ptx', CUPIPE_PERF='1')}.map")
    check(map_path.exists() and map_path.read_text().endswith(" cupipe:plain\n"), "the map has the kernel's name")
    map_path.unlink(missing_ok=True)
sys.exit(1 if failures else 0)
