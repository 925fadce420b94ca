#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare what textures and surfaces answer with what NVIDIA's driver answered.

    textures.py --program EXE [--record FILE] [--update] [--show N] [PATTERN...]

Unpacks the recording and has the program compare; with --record, packs a new one; with --update,
writes the list of known differences anew. Patterns are shell patterns of case names.
"""
import argparse
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDING = os.path.join(HERE, "recorded", "h200-driver580.bin.xz")
KNOWN = os.path.join(HERE, "known.txt")
HEAD = ("# Cases and how many of their words differ from the recording: docs/TEXTURES.md says why.\n"
        "# Written by textures.py --update; the list should only shrink.\n")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="cases; all when none")
    parser.add_argument("--program", required=True, metavar="EXE", help="textures, or textures_direct")
    parser.add_argument("--recording", default=RECORDING, metavar="FILE")
    parser.add_argument("--record", metavar="FILE", help="write a recording instead")
    parser.add_argument("--update", action="store_true", help="write known.txt anew")
    parser.add_argument("--show", default="2", metavar="N", help="wrong words to show a case")
    return parser.parse_args()


def main():
    args = parse_arguments()
    with tempfile.NamedTemporaryFile(suffix=".bin") as file, \
            tempfile.NamedTemporaryFile("r", suffix=".txt") as found:
        if not args.record:
            with lzma.open(args.recording) as packed:
                file.write(packed.read())
            file.flush()
        how = ["--record", file.name] if args.record else [
            "--check", file.name, "--known", KNOWN, "--show", args.show, "--list", found.name]
        run = subprocess.run([args.program, *how, *args.patterns], check=False)
        if args.record and run.returncode == 0:
            with open(file.name, "rb") as plain, lzma.open(args.record, "wb", preset=9) as packed:
                packed.write(plain.read())
        if args.update:
            with open(KNOWN, "w", encoding="utf-8") as known:
                known.write(HEAD + "".join(sorted(found.readlines())))
            return 0
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
