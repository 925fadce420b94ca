#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a CUDA library against the recorded answers of NVIDIA's.

Runs recorders over the library, several groups at once, and compares their lines with the
recording. docs/CONFORMANCE.md says how to read what it prints.
"""
import argparse
import collections
import ctypes
import fnmatch
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")
sys.path.insert(0, os.path.join(HERE, "..", "..", "tools", "conformance"))
from cupipe_conformance.answers import (  # noqa: E402
    ABSENT, AGREE, CRASHED, DIFFER, EXCEPTED, SURVIVED, count_verdicts, group_of, is_broken, judge, matches_any,
    percentage, read_patterns, read_recording, show_lines, sum_counts)
from cupipe_conformance.recorder import Recorders, end_with_signals  # noqa: E402


def environment(args):
    """The driver is the one that was recorded."""
    env = dict(os.environ, LIBCUDA=args.library, CUPIPE_DRIVER="13.0")
    if args.linked:
        env["LD_LIBRARY_PATH"] = os.path.dirname(args.library) + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    return env


class Pending:
    """The lines that may disagree for now: "group/case", or "group/*" for a whole group."""

    def __init__(self, path):
        self.path = path
        self.keys = {pattern for pattern, _ in read_patterns(path)} if path else set()

    def has(self, key):
        return key in self.keys or key.split("/")[0] + "/*" in self.keys

    def write(self, verdicts, groups_judged):
        """Rewrites the file from the verdicts; groups that were not asked keep their lines."""
        kept = {key for key in self.keys if key.split("/")[0] not in groups_judged}
        disagreeing = collections.defaultdict(list)
        answered = collections.Counter()
        for key, verdict in verdicts.items():
            group = key.split("/")[0]
            if verdict in (DIFFER, ABSENT, CRASHED):
                disagreeing[group].append(key)
            if verdict in (AGREE, DIFFER, ABSENT, CRASHED):
                answered[group] += 1
        for group, keys in disagreeing.items():
            if len(keys) == answered[group]:
                kept.add(group + "/*")
            else:
                kept.update(keys)
        with open(self.path, "w") as file:
            file.write("# Lines that do not agree with the recorded driver yet; shrinks as they do.\n"
                       "# Written by conformance.py --update.\n")
            file.writelines(key + "\n" for key in sorted(kept))


def print_table(verdicts):
    counts = count_verdicts(verdicts)
    print("%-22s %7s %7s %7s %9s %8s" % ("group", "agree", "differ", "absent", "survived", "crashed"))
    for group in sorted(counts):
        print("%-22s %7d %7d %7d %9d %8d" % (group, *counts[group][:EXCEPTED]))
    return sum_counts(counts.values())


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP",
                        help="groups or lines to ask (shell patterns); all when none is named")
    parser.add_argument("--recorder", required=True, action="append", metavar="EXE",
                        help="a recorder; may be given again")
    parser.add_argument("--library", required=True, metavar="PATH", help="the library to ask")
    parser.add_argument("--linked", action="store_true",
                        help="the recorder is linked with the library, which is found by its folder")
    parser.add_argument("--recording", metavar="FILE", help="the recorded answers",
                        default=os.path.join(RECORDED, "h200-driver580.golden.gz"))
    parser.add_argument("--exceptions", metavar="FILE", help="lines that disagree on purpose",
                        default=os.path.join(HERE, "exceptions.txt"))
    parser.add_argument("--not-comparable", metavar="FILE", help="lines to leave out",
                        default=os.path.join(RECORDED, "not-comparable.txt"))
    parser.add_argument("--strict", action="store_true",
                        help="on NVIDIA's driver: nothing disagrees on purpose or for now")
    parser.add_argument("--quiet", action="append", default=[], metavar="GROUP",
                        help="groups that depend on time as well (shell patterns)")
    parser.add_argument("--seeds", type=int, nargs=2, metavar=("FIRST", "LAST"),
                        help="of the groups fuzz/N, which are random programs, these alone")
    parser.add_argument("--keep", metavar="FILE", help="file for the answers, written as they come")
    parser.add_argument("--limit", type=int, default=600, metavar="SECONDS",
                        help="time for one run of a recorder (default: 600)")
    parser.add_argument("--needs", metavar="LIBRARY",
                        help="exit with 77, for skipped, where it cannot be loaded")
    parser.add_argument("--pending", metavar="FILE", help="lines that may disagree for now")
    parser.add_argument("--update", action="store_true", help="rewrite the pending file")
    parser.add_argument("--show", type=int, metavar="N",
                        help="lines to name for each group (0: all; default: 5, with --pending all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="groups to ask at once (default: one for each processor)")
    args = parser.parse_args(arguments)
    if args.update and not args.pending:
        parser.error("--update needs --pending FILE")
    if args.show is None:
        args.show = 0 if args.pending else 5
    args.library = os.path.abspath(args.library)
    args.recorder = [os.path.abspath(recorder) for recorder in args.recorder]
    if args.strict:
        args.exceptions = args.pending = None
    return args


def can_load(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def is_left_out(args, key):
    """A random program that was not asked for."""
    if not args.seeds or not key.startswith("fuzz/"):
        return False
    return not args.seeds[0] <= int(key.split("/")[1]) <= args.seeds[1]


def select_lines(args, groups):
    """The recorded lines to judge."""
    recorded = read_recording(args.recording, groups)
    skipped = [pattern for pattern, _ in read_patterns(args.not_comparable)]
    return {key: value for key, value in recorded.items()
            if not matches_any(key, skipped) and not is_left_out(args, key)
            and (not args.groups or matches_any(key.split("/")[0], args.groups)
                 or matches_any(group_of(key, groups), args.groups)
                 or matches_any(key, args.groups))}


def main(arguments=None):
    args = parse_arguments(arguments)
    if args.needs and not can_load(args.needs):
        print("skipped: %s is not there" % args.needs)
        return 77
    end_with_signals()
    start = time.monotonic()
    if args.keep:
        open(args.keep, "w").close()
    recorders = Recorders(args.recorder, environment(args), args.limit, args.jobs, args.keep, args.quiet)
    groups = recorders.groups
    wanted = select_lines(args, groups)
    if not wanted:
        print("no recorded line matches: %s" % " ".join(args.groups))
        print("0 passed, 1 failed")
        return 1
    exceptions = read_patterns(args.exceptions)
    on_purpose = [pattern for pattern, _ in exceptions]
    pending = Pending(args.pending)

    names = dict.fromkeys(group_of(key, groups) for key in wanted)
    answers, remarks = recorders.ask([name for name in names if name in groups])
    remarks = recorders.remarks + remarks
    mended = recorders.ask_again(wanted, answers,
                                 lambda key: pending.has(key) or matches_any(key, on_purpose))

    verdicts = {}
    for key, value in wanted.items():
        verdict = judge(key, value, answers.get(key))
        if verdict in (DIFFER, ABSENT) and matches_any(key, on_purpose):
            verdict = EXCEPTED
        if verdict is not None:
            verdicts[key] = verdict

    if args.update:
        pending.write(verdicts, {key.split("/")[0] for key in wanted})
        pending = Pending(args.pending)

    # A crash is a failure wherever it happens: at a line, or between lines.
    broken_groups = [(group, remark) for group, remark in remarks
                     if is_broken(remark) or remark.startswith(("STOPPED", "NOLIB"))]
    failures = [key for key, verdict in verdicts.items()
                if verdict == CRASHED or (verdict in (DIFFER, ABSENT) and not pending.has(key))]
    allowed = [key for key, verdict in verdicts.items()
               if verdict in (DIFFER, ABSENT) and pending.has(key)]
    now_agreeing = [key for key, verdict in verdicts.items()
                    if verdict == AGREE and pending.has(key)]

    total = print_table(verdicts)
    show_lines(failures, wanted, answers, args.show)
    for group, remark in broken_groups:
        print("- %s: %s" % (group, remark))
    excepted = [key for key, verdict in verdicts.items() if verdict == EXCEPTED]
    for pattern, reason in exceptions:
        count = sum(fnmatch.fnmatchcase(key, pattern) for key in excepted)
        if count:
            print("exception: %s (%d lines): %s" % (pattern, count, reason))
    share, judged = percentage(total)
    print("%.2f%% of %d lines agree; %d differ, %d absent, %d crashed or hung; "
          "%d survived where the driver did not" %
          (share, judged, total[DIFFER], total[ABSENT], total[CRASHED], total[SURVIVED]))
    if mended:
        print("%d lines agreed only when asked again, alone" % mended)
    if args.pending:
        print("%d lines pending; %d lines listed as pending agree now" %
              (len(allowed), len(now_agreeing)))
    print("took %.0f s" % (time.monotonic() - start))
    failed = len(failures) + len(broken_groups)
    print("%d passed, %d failed" % (total[AGREE] + len(allowed), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
