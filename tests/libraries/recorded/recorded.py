#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds CUDA's libraries against what NVIDIA's answered on an H200.

    recorded.py RECORDER RECORDING [--pending FILE]

RECORDER prints a line for each question (recorder.h), RECORDING has the lines of NVIDIA's libraries,
packed. Numbers with a `~` agree within a few units in the last place of f32, measured by the largest
number of the line; all other words are equal. FILE names lines that are known to differ; if one of
them agrees, that is a failure, too, so that the file only shrinks.
"""

import argparse
import gzip
import math
import subprocess
import sys

OF_NUMBER, OF_LINE = 1e-5, 2e-6  # tolerances, relative to the number and to the largest of its line
SHOWN = 20


def read_lines(text):
    lines = {}
    for line in text.splitlines():
        name, colon, answer = line.partition(":")
        if colon:
            lines[name] = answer.split()
    return lines


def number(word):
    return float(word[1:]) if word.startswith("~") else None


def agree(wanted, given):
    if given is None or len(wanted) != len(given):
        return False
    numbers = [abs(number(word)) for word in wanted if number(word) is not None]
    largest = max((value for value in numbers if math.isfinite(value)), default=0)
    for a, b in zip(wanted, given):
        x, y = number(a), number(b)
        if a == b or (x is not None and y is not None and math.isnan(x) and math.isnan(y)):
            continue
        if x is None or y is None or not abs(x - y) <= OF_NUMBER * abs(x) + OF_LINE * largest:
            return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recorder")
    parser.add_argument("recording")
    parser.add_argument("--pending")
    arguments = parser.parse_args()

    recorded = read_lines(gzip.open(arguments.recording, "rt").read())
    run = subprocess.run([arguments.recorder], stdout=subprocess.PIPE, text=True, check=True)
    given = read_lines(run.stdout)
    pending = set()
    if arguments.pending:
        with open(arguments.pending) as file:
            pending = {line.strip() for line in file if line.strip() and not line.startswith("#")}

    wrong = [name for name in recorded if not agree(recorded[name], given.get(name))]
    failures = sorted(set(wrong) - pending)
    agrees_now = sorted(pending - set(wrong))
    for name in failures[:SHOWN]:
        print(f"{name}\n  recorded {' '.join(recorded[name])[:160]}\n  here     {' '.join(given.get(name, ['-']))[:160]}")
    for name in agrees_now:
        print(f"{name} agrees: take it out of {arguments.pending}")
    print(f"{len(recorded)} lines, {len(wrong)} differ, {len(pending)} of them known")
    if not recorded:
        print("the recording is empty")
    return bool(failures or agrees_now or not recorded)


if __name__ == "__main__":
    sys.exit(main())
