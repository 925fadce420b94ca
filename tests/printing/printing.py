#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what kernels print with what NVIDIA's driver printed.

    printing.py --program EXE [--show N]

The recording has lines of a format, a tab and what was printed for it.
"""
import argparse
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDING = os.path.join(HERE, "recorded", "h200-driver580.txt.xz")


def table(lines):
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True, metavar="EXE", help="the program printing")
    parser.add_argument("--show", type=int, default=10, metavar="N", help="differences to show")
    args = parser.parse_args()
    with lzma.open(RECORDING, "rt", encoding="latin-1") as file:
        recorded = table(file.read().split("\n"))
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        subprocess.run([args.program, file.name], check=True)
        with open(file.name, encoding="latin-1") as lines:
            printed = table(lines.read().split("\n"))
    wrong = [text for text in recorded if printed.get(text) != recorded[text]]
    for text in wrong[:args.show]:
        print(f"{text}: {printed.get(text)!r}, and not {recorded[text]!r}")
    print(f"{len(recorded) - len(wrong)} of {len(recorded)} formats are right")
    return 1 if wrong or not recorded else 0


if __name__ == "__main__":
    sys.exit(main())
