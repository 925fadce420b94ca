#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library exports the names of the table, those by which debuggers find kernels, and nothing else,
without symbol versions.

    check_exports.py ENTRYPOINTS_PY TABLE LIBRARY [NM]
"""

import importlib
import pathlib
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def debugger_names(script):
    sys.path.insert(0, str(pathlib.Path(script).parent))
    return set(importlib.import_module(pathlib.Path(script).stem).DEBUGGER_NAMES)


def main():
    script, table, library = sys.argv[1:4]
    nm = sys.argv[4] if len(sys.argv) > 4 else "nm"
    wanted = set(output(sys.executable, script, "names", "--table", table).split()) | debugger_names(script)
    exported = {line.split()[-1] for line in output(nm, "-D", "--defined-only", library).splitlines() if line}
    for name in sorted(wanted - exported):
        print(f"not exported: {name}")
    for name in sorted(exported - wanted):
        print(f"exported, and not in the table: {name}")
    print(f"{len(wanted & exported)} of {len(wanted)} names exported")
    return 0 if wanted == exported else 1


if __name__ == "__main__":
    sys.exit(main())
