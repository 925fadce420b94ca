#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds CUDA's libraries against what NVIDIA's answered on an H200.

    recorded.py RECORDER RECORDING [--pending FILE]

RECORDER prints a line for each question (recorder.h), RECORDING has the lines of NVIDIA's libraries,
packed; cupipe_conformance/numbers.py says when they agree. FILE names lines that are known to differ; if one of
them agrees, that is a failure, too, so that the file only shrinks.
"""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tools", "conformance"))
from cupipe_conformance import numbers  # noqa: E402

SHOWN = 20


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recorder")
    parser.add_argument("recording")
    parser.add_argument("--pending")
    arguments = parser.parse_args()

    recorded = numbers.read_recording(arguments.recording)
    run = subprocess.run([arguments.recorder], stdout=subprocess.PIPE, text=True, check=True)
    given = numbers.read_lines(run.stdout)
    pending = set()
    if arguments.pending:
        with open(arguments.pending) as file:
            pending = {line.strip() for line in file if line.strip() and not line.startswith("#")}

    wrong = [name for name in recorded if not numbers.agree(given.get(name), recorded[name])]
    failures = sorted(set(wrong) - pending)
    agrees_now = sorted(pending - set(wrong))
    for name in failures[:SHOWN]:
        print(f"{name}\n  recorded {recorded[name][:160]}\n  here     {given.get(name, '-')[:160]}")
    for name in agrees_now:
        print(f"{name} agrees: take it out of {arguments.pending}")
    print(f"{len(recorded)} lines, {len(wrong)} differ, {len(pending)} of them known")
    if not recorded:
        print("the recording is empty")
    return bool(failures or agrees_now or not recorded)


if __name__ == "__main__":
    sys.exit(main())
