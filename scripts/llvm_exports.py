#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists the functions of LLVM that object files use, for the linker: a script that has them linked in, a list of the only
names that are exported, and options for who uses them. They are exported by other names, __wrap_LLVM..., to which the
linker's option --wrap leads: a program may have an LLVM of its own, whose functions the loader would take instead.
Files that would not change are not written.

usage: llvm_exports.py NM SCRIPT MAP OPTIONS OBJECT...
"""
import subprocess
import sys
from pathlib import Path

OWN = ["jit_out_of_memory_watch"]  # part of the same library


def write(path, text):
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    nm, script, version_map, options, *objects = sys.argv[1:]
    output = subprocess.run([nm, "-u", *objects], check=True, capture_output=True, text=True).stdout
    used = {line.split()[-1] for line in output.splitlines() if " U " in line}
    names = sorted(name for name in used if name.startswith("LLVM"))
    exported = [f"__wrap_{name}" for name in names]
    write(Path(script), "EXTERN(%s)\n" % " ".join(names) + "".join(f"__wrap_{name} = {name};\n" for name in names))
    write(Path(version_map), "CUPIPE_LLVM { global: %s; local: *; };\n" % "; ".join(exported + OWN))
    write(Path(options), "".join(f"--wrap={name}\n" for name in names))


main()
