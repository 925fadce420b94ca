#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare every PTX instruction with what NVIDIA's driver computed.

    instructions.py --program EXE [--record FILE] [--jobs N] [--show N] [PATTERN...]

Unpacks the recordings and has the program compare; with --record, packs a new one. A recording
holds some of the variants; all recordings together hold each once. Patterns are shell patterns of
variant names, such as "add.*.f32".
"""
import argparse
import glob
import lzma
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDINGS = sorted(glob.glob(os.path.join(HERE, "recorded", "*.bin.xz")))
MAGIC_BYTES = 8


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="variants; all when none")
    parser.add_argument("--program", required=True, metavar="EXE", help="the program instructions")
    parser.add_argument("--recordings", nargs="+", default=RECORDINGS, metavar="FILE")
    parser.add_argument("--record", metavar="FILE", help="write a recording instead")
    parser.add_argument("--jobs", default=str(os.cpu_count() or 1), metavar="N")
    parser.add_argument("--show", default="3", metavar="N", help="wrong values to show an opcode")
    return parser.parse_args()


def main():
    args = parse_arguments()
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        if not args.record:
            for number, recording in enumerate(args.recordings):
                with lzma.open(recording) as packed:
                    file.write(packed.read()[MAGIC_BYTES if number else 0:])
            file.flush()
        run = subprocess.run([args.program, "--record" if args.record else "--check", file.name,
                              "--jobs", args.jobs, "--show", args.show, *args.patterns],
                             check=False)
        if args.record and run.returncode == 0:
            with open(file.name, "rb") as plain, lzma.open(args.record, "wb", preset=9) as packed:
                packed.write(plain.read())
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
