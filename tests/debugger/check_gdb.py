# SPDX-License-Identifier: MIT
"""A session of gdb with kernels: breakpoints in CUDA source, backtraces, registers, lanes, stepping.

usage: check_gdb.py PROGRAM CUPIPE FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, CUPIPE, FOLDER = sys.argv[1:4]
failures = []


def gdb(kernel, file, *commands):
    """What gdb prints when it runs the program with these commands."""
    with tempfile.TemporaryDirectory() as cache:
        words = [CUPIPE, "run", "--gdb", PROGRAM, f"{FOLDER}/{file}", kernel]
        environment = {**os.environ, "CUPIPE_CACHE": cache}
        script = "\n".join(["set pagination off", "set confirm off", f"directory {FOLDER}", *commands, "quit"]) + "\n"
        result = subprocess.run(words, input=script, capture_output=True, text=True, timeout=120, env=environment)
    return result.stdout + result.stderr


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text):
            failures.append(pattern)
            print(f"not found: {pattern}\nin:\n{text}\n")


if not shutil.which("gdb"):
    print("gdb is not installed")
    sys.exit(77)

# Lanes run one at a time: variables are those of the thread, and conditions are plain.
expect(gdb("_Z5scalePff", "kernels.ptx", "break scale.cu:12 if threadIdx.x == 5 && blockIdx.x == 1", "run", "bt 1",
           "print r4", "print f2", "print blockDim.x", "cupipe threads", "cupipe print %r4", "delete", "continue"),
       r"hit Breakpoint 1.*scale.* at .*scale\.cu:12", r"#0 .*scale", r"= 37\n", r"\$2 = 37\n", r"\$3 = 32\n",
       r"block \(1, 0, 0\) thread \(5, 0, 0\) in .*scale.*scale\.cu:12",
       r"block \(1, 0, 0\) thread \(5, 0, 0\): r4 = 37", r"sum 170688", r"exited normally")

# An inlined function is a frame of its own; stepping goes on in its caller.
expect(gdb("_Z5scalePff", "kernels.ptx", "break scale.cu:5", "run", "bt 2", "finish", "delete", "continue"),
       r"hit Breakpoint 1.*square", r"#0 +square.*scale\.cu:5\n", r"#1 .*scale.*scale\.cu:12", r"sum 170688")

# A kernel with instructions of whole warps runs 32 lanes at once.
expect(gdb("_Z6rotatePi", "kernels.ptx", "break scale.cu:20", "run", "cupipe threads",
           "cupipe thread (0) (31)", "cupipe print %r1", "cupipe print %r3 4", "next", "cupipe print threadIdx 7",
           "cupipe thread (0) (99)", "delete", "continue"),
       r"hit Breakpoint 1.*rotate", r"thread \(0, 0, 0\) to \(31, 0, 0\), 32 of them in .*rotate",
       r"thread \(31, 0, 0\): r1 = 31\n", r"thread \(4, 0, 0\): r3 = 5\n", r"threadIdx = \(7, 0, 0\)",
       r"thread \(99, 0, 0\) does not run now", r"exited normally")

# What the CUDA compiler says of variables: parameters, registers that change, local memory.
expect(gdb("named", "named.ptx", "cupipe break scale.cu:12 if threadIdx.x == 4", "run", "print i", "print total",
           "cupipe break scale.cu:13 if i == 5", "continue", "print total - limit", "print saved - limit",
           "cupipe print i", "delete", "continue"),
       r"hit Breakpoint 1", r"\$1 = 4\n", r"\$2 = 12\n", r"hit Breakpoint 2", r"\$3 = 15\n", r"\$4 = 15\n",
       r"thread \(5, 0, 0\): i = 5", r"exited normally")

# Without lines the PTX text is the source.
expect(gdb("plain", "plain.ptx", "break plain if threadIdx.x == 3", "run", "list", "next", "next", "print r1", "delete", "continue"),
       r"hit Breakpoint 1", r"mul\.lo\.u32 %r2, %r1, 10;", r"= 3\n", r"exited normally")
sys.exit(1 if failures else 0)
