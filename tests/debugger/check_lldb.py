# SPDX-License-Identifier: MIT
"""A session of lldb with a kernel: a breakpoint in CUDA source, backtrace, variables, stepping.

usage: check_lldb.py PROGRAM LIBRARY_FOLDER FOLDER
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, LIBRARIES, FOLDER = sys.argv[1:4]
COMMANDS = ["settings set plugin.jit-loader.gdb.enable on",
            "breakpoint set --file scale.cu --line 12 --condition 'threadIdx.x == 5 && blockIdx.x == 1'",
            "run", "bt 2", "frame variable r4 f2 blockDim", "next", "breakpoint delete --force", "continue"]
EXPECTED = [r"stop reason = breakpoint", r"frame #0: .*scale\(float\*, float\) at scale\.cu:12", r"r4 = 37\n", r"f2 = 37\n",
            r"blockDim = \(x = 32, y = 1, z = 1\)", r"stop reason = step over\n.*scale\.cu:13", r"sum 170688"]


def lldb(debugger):
    """What lldb prints when it runs the program with the commands."""
    words = [word for command in COMMANDS for word in ("-o", command)]
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "CUPIPE_DEBUG": "1", "CUPIPE_CACHE": cache, "LD_LIBRARY_PATH": LIBRARIES}
        result = subprocess.run([debugger, "--no-lldbinit", "--batch", *words, "--", PROGRAM, f"{FOLDER}/kernels.ptx", "_Z5scalePff"],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, env=environment)
    return result.stdout + result.stderr


found = next((name for name in [*(f"lldb-{version}" for version in range(25, 13, -1)), "lldb"] if shutil.which(name)), None)
if not found:
    print("lldb is not installed")
    sys.exit(77)
text = lldb(found)
missing = [pattern for pattern in EXPECTED if not re.search(pattern, text)]
for pattern in missing:
    print(f"not found: {pattern}")
if missing:
    print(text)
sys.exit(1 if missing else 0)
