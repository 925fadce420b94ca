#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the functions of LLVM that object files use, for the linker: as names to be linked in, and as the only names
that are exported. Files that would not change are not written.

usage: llvm_exports.py NM SCRIPT MAP OBJECT...
"""
import subprocess
import sys
from pathlib import Path

OWN = ["jit_out_of_memory_watch"]  # part of the same library


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    nm, script, version_map, *objects = sys.argv[1:]
    output = subprocess.run([nm, "-u", *objects], check=True, capture_output=True, text=True).stdout
    used = {line.split()[-1] for line in output.splitlines() if " U " in line}
    names = sorted(name for name in used if name.startswith("LLVM"))
    write(Path(script), "EXTERN(%s)\n" % " ".join(names))
    write(Path(version_map), "CUPIPE_LLVM { global: %s; local: *; };\n" % "; ".join(names + OWN))


main()
