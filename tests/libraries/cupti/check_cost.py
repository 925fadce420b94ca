#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nobody listens: a call executes exactly as many instructions as in a process that never had libcupti.

usage: check_cost.py PROGRAM

PROGRAM is cost.c. Instructions are counted by valgrind. Skips (77) without it.
"""
import re
import shutil
import subprocess
import sys

SKIP = 77


def instructions(program, mode):
    command = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--toggle-collect=counted",
               "--callgrind-out-file=/dev/null", program, mode]
    result = subprocess.run(command, capture_output=True, text=True, timeout=280)
    found = re.search(r"I\s+refs:\s+([\d,]+)", result.stderr)
    if result.returncode != 0 or not found:
        sys.exit(f"{mode}: {' '.join(command)} answered {result.returncode}:\n{result.stderr}")
    return int(found[1].replace(",", ""))


def main():
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind")
        return SKIP
    never, after = (instructions(sys.argv[1], mode) for mode in ("never", "after"))
    print(f"{never} instructions without libcupti, {after} after it has recorded")
    return never < 1000 or never != after


if __name__ == "__main__":
    sys.exit(main())
