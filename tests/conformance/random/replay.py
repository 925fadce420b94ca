#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Replays recorded random programs on a library and compares each answer.

usage: replay.py --recorder PROGRAM --library LIBCUDA [--seeds FIRST-LAST] [--show N] [--least PERCENT]
       replay.py --record LOG --recording FILE     make a recording from a recorder's output

Without --recording all of ../recorded/*-random*.xz are replayed, as if they were one; a seed may be
in one of them only.

cupipe_conformance/programs.py says what a recording is. A line of exceptions.txt is SEED/CALL, a tab and the reason why the answers
may differ; what follows from such a difference in the same program may differ too, as long as the
result is the same and only data differs. A line of pending.txt is SEED/CALL: it does not agree yet.
Programs that the driver did not survive are not in the recording.
"""
import argparse
import glob
import os
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "..", "..", "tools", "conformance"))
from cupipe_conformance import programs  # noqa: E402


def record(log, recording):
    with open(log, errors="replace") as file:
        print("%d seeds" % programs.write_recording(file.read(), recording))


def load_list(name):
    path = os.path.join(here, name)
    lines = [line.rstrip("\n") for line in open(path)] if os.path.exists(path) else []
    return {line.split("\t")[0] for line in lines if line and not line.startswith("#")}


def result_of(answer):
    return answer.split(" ")[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--recorder")
    parser.add_argument("--library")
    parser.add_argument("--recording", action="append")
    parser.add_argument("--record")
    parser.add_argument("--seeds", default="1-100000")
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--least", type=float, default=99.9)
    options = parser.parse_args()
    if options.record:
        if len(options.recording or []) != 1:
            parser.error("--record needs one --recording to write")
        return record(options.record, options.recording[0])
    recordings = options.recording or sorted(
        glob.glob(os.path.join(here, "..", "recorded", "*-random*.xz")))

    first, last = (int(number) for number in options.seeds.split("-"))
    want = {seed: value for seed, value in programs.read_recordings(recordings).items() if first <= seed <= last}
    run = subprocess.run([options.recorder, str(min(want)), str(max(want) - min(want) + 1), "2"],
                         env=dict(os.environ, LIBCUDA=os.path.abspath(options.library), CUPIPE_DRIVER="13.0"),
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    got = programs.parse(run.stdout.decode(errors="replace"))
    excused, pending = load_list("exceptions.txt"), load_list("pending.txt")
    total = differ = excepted = waiting = first_differences = 0
    for seed, (wanted_hash, answers) in sorted(want.items()):
        if seed not in got:
            print("seed %d did not end" % seed)
            return 1
        lines = got[seed]
        if programs.program_hash(lines) != wanted_hash or len(lines) != len(answers):
            print("seed %d is another program than the recorded one" % seed)
            return 1
        is_followed = has_differed = False
        for (name, call, answer), wanted in zip(lines, answers):
            total += 1
            key = "%d/%s" % (seed, name)
            if answer == wanted:
                continue
            if key in excused or (is_followed and result_of(answer) == result_of(wanted)):
                excepted += 1
                is_followed = True
                continue
            if key in pending:
                waiting += 1
                continue
            differ += 1
            first_differences += not has_differed
            has_differed = True
            if differ <= options.show:
                print("%s %s\n    driver: %s\n    here:   %s" % (key, call, wanted, answer))
    agree = 100.0 * (total - differ - waiting) / max(1, total)
    print("%d programs, %d calls: %.4f%% agree, %d excepted among them; %d pending; %d differ, in %d programs"
          % (len(want), total, agree, excepted, waiting, differ, first_differences))
    return 0 if agree >= options.least and differ == 0 else 1


sys.exit(main())
