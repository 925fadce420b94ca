#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a CUDA driver library against the recorded answers of NVIDIA's driver.

Runs the recorder over the library, several groups at once, and compares its lines with the
recording. docs/CONFORMANCE.md says how to read what it prints.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import fnmatch
import gzip
import os
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")

# Groups with cases that depend on time or on what the whole device does. They share the machine
# with others at first; lines that disagree then are asked once more, with the machine to themselves.
QUIET_GROUPS = {"batch", "event", "free", "glbuf-map", "hostalloc", "ipcevent", "meminfo", "order", "stream"}
# Long groups start first, so that no one waits for them at the end.
LONG_GROUPS = ["order", "copy3drules", "copy2drules", "copyoob", "stream", "meminfo", "batch",
               "copymatrix", "mipmap", "arrayreq", "arraysparse", "arrayextent", "array1dcopy"]
# Errors are not told by every call for a tenth of a second or more (src/device/device.h).
QUIET_PREFIX = "kfault-unseen-"
RISKY_PER_RUN = 8

AGREE, DIFFER, ABSENT, SURVIVED, CRASHED, EXCEPTED = range(6)


def read_patterns(path):
    """Lines of a file as (pattern, reason), without comments."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        lines = [line.rstrip("\n") for line in file]
    return [tuple((line.strip() + "\t").split("\t")[:2])
            for line in lines if line.strip() and not line.startswith("#")]


def matches_any(key, patterns):
    return any(fnmatch.fnmatchcase(key, pattern) for pattern in patterns)


def parse_answers(text):
    """The recorder's lines as {"group/case": answer}, and those about a whole group."""
    answers, remarks = {}, []
    for line in text.splitlines():
        if line.startswith("#") or ": " not in line:
            continue
        key, value = line.split(": ", 1)
        if "/" in key and not (key.startswith("risky/") and key.count("/") == 1):
            # The words of a log are the driver's own.
            answers[key] = value.split(" text=")[0] if key.startswith("log-") else value
        else:
            remarks.append((key, value))
    return answers, remarks


def is_broken(answer):
    """Whether the process did not survive the question."""
    return answer.startswith(("CRASH", "TIMEOUT", "EXIT"))


def driver_broke(key, answer):
    """Whether the recorded driver crashed, hung or let its device fault: then no answer is right."""
    if is_broken(answer):
        return True
    if key.startswith(("errnames/", "kfault-")):
        return False
    return "ILLEGAL_ADDRESS" in answer or "LAUNCH_FAILED" in answer


def recorder_group(key):
    """The recorder's name for the group of a line."""
    parts = key.split("/")
    return "/".join(parts[:2]) if parts[0] == "risky" else parts[0]


def is_quiet(group):
    return group in QUIET_GROUPS or group.startswith(QUIET_PREFIX)


def judge(key, wanted, got):
    """The verdict on a line; None when it says nothing."""
    absent = got is None or (got.startswith("SKIP") and got != wanted)
    if driver_broke(key, wanted):
        if absent:
            return None
        return CRASHED if is_broken(got) else SURVIVED
    if absent:
        return ABSENT
    if is_broken(got):
        return CRASHED
    return AGREE if got == wanted else DIFFER


class Progress:
    """One line on stderr, when that is a terminal."""

    def __init__(self, total):
        self.total = total
        self.done = 0
        self.lock = threading.Lock()
        self.shown = sys.stderr.isatty()

    def step(self, count, what):
        with self.lock:
            self.done += count
            if self.shown:
                sys.stderr.write("\r\x1b[K[%d/%d] %s" % (self.done, self.total, what[:60]))
                sys.stderr.flush()

    def end(self):
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def run_recorder(recorder, library, groups):
    env = dict(os.environ, LIBCUDA=library, CUPIPE_DRIVER="13.0")  # what was recorded
    run = subprocess.run([recorder, *groups], env=env, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, check=False)
    answers, remarks = parse_answers(run.stdout.decode(errors="replace"))
    if run.returncode != 0:
        remarks.append((groups[0], "CRASH recorder status %d" % run.returncode))
    return answers, remarks


def make_batches(groups):
    """The groups as lists, one for each run of the recorder: the long ones first."""
    plain = [group for group in groups if not group.startswith("risky/")]
    risky = [group for group in groups if group.startswith("risky/")]
    rank = {group: i for i, group in enumerate(LONG_GROUPS)}
    plain.sort(key=lambda group: rank.get(group, len(rank)))
    batches = [[group] for group in plain]
    batches += [risky[i:i + RISKY_PER_RUN] for i in range(0, len(risky), RISKY_PER_RUN)]
    return batches


def record(args, groups):
    """Asks all groups, in parallel. Returns the answers and the remarks of the recorder."""
    answers, remarks = {}, []
    progress = Progress(len(groups))

    def run(batch):
        result = run_recorder(args.recorder, args.library, batch)
        progress.step(len(batch), batch[0])
        return result

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for batch_answers, batch_remarks in pool.map(run, make_batches(groups)):
            answers.update(batch_answers)
            remarks += batch_remarks
    progress.end()
    return answers, remarks


def ask_again(args, wanted, answers, is_expected):
    """Repeats alone the quiet groups in which a line disagrees that should not.

    An answer of the second run replaces the first one where it agrees. Returns how many did."""
    groups = sorted({recorder_group(key) for key in wanted
                     if is_quiet(recorder_group(key)) and not is_expected(key)
                     and judge(key, wanted[key], answers.get(key)) in (DIFFER, ABSENT)})
    mended = 0
    for group in groups:
        again, _ = run_recorder(args.recorder, args.library, [group])
        for key, value in again.items():
            if key not in wanted or judge(key, wanted[key], answers.get(key)) != DIFFER:
                continue
            if judge(key, wanted[key], value) == AGREE:
                answers[key] = value
                mended += 1
    return mended


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
    columns = collections.defaultdict(lambda: [0] * 6)
    for key, verdict in verdicts.items():
        columns[key.split("/")[0]][verdict] += 1
    layout = "%-22s %7d %7d %7d %9d %8d"
    print("%-22s %7s %7s %7s %9s %8s" %
          ("group", "agree", "differ", "absent", "survived", "crashed"))
    for group in sorted(columns):
        print(layout % (group, *columns[group][:EXCEPTED]))
    return [sum(column[verdict] for column in columns.values()) for verdict in range(6)]


def print_lines(keys, wanted, answers, show):
    """Names lines with both answers, at most show for each group (0: all)."""
    by_group = collections.defaultdict(list)
    for key in keys:
        by_group[key.split("/")[0]].append(key)
    for group in sorted(by_group):
        listed = by_group[group][:show] if show else by_group[group]
        for key in listed:
            driver = "(broke here) any error" if driver_broke(key, wanted[key]) else wanted[key]
            here = answers.get(key, "(no line)")
            print("- %s\n    driver: %s\n    here:   %s" % (key, driver[:160], here[:160]))
        if len(by_group[group]) > len(listed):
            print("  (+%d more in %s; --show N)" % (len(by_group[group]) - len(listed), group))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP",
                        help="groups or lines to ask (shell patterns); all when none is named")
    parser.add_argument("--recorder", required=True, metavar="EXE", help="the conformance_recorder")
    parser.add_argument("--library", required=True, metavar="PATH", help="the library to ask")
    parser.add_argument("--recording", metavar="FILE", help="the recorded answers",
                        default=os.path.join(RECORDED, "h200-driver580.golden.gz"))
    parser.add_argument("--exceptions", metavar="FILE", help="lines that disagree on purpose",
                        default=os.path.join(HERE, "exceptions.txt"))
    parser.add_argument("--needs", metavar="LIBRARY",
                        help="exit with 77, for skipped, where it cannot be loaded")
    parser.add_argument("--pending", metavar="FILE", help="lines that may disagree for now")
    parser.add_argument("--update", action="store_true", help="rewrite the pending file")
    parser.add_argument("--show", type=int, metavar="N",
                        help="lines to name for each group (0: all; default: 5, with --pending all)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N",
                        help="groups to ask at once (default: one for each processor)")
    args = parser.parse_args()
    if args.update and not args.pending:
        parser.error("--update needs --pending FILE")
    if args.show is None:
        args.show = 0 if args.pending else 5
    args.library = os.path.abspath(args.library)
    args.recorder = os.path.abspath(args.recorder)
    return args


def can_load(library):
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def select_lines(args):
    """The recorded lines to judge."""
    with gzip.open(args.recording, "rt", errors="replace") as file:
        recorded, _ = parse_answers(file.read())
    skipped = [pattern for pattern, _ in
               read_patterns(os.path.join(RECORDED, "not-comparable.txt"))]
    return {key: value for key, value in recorded.items()
            if not matches_any(key, skipped)
            and (not args.groups or matches_any(key.split("/")[0], args.groups)
                 or matches_any(recorder_group(key), args.groups)
                 or matches_any(key, args.groups))}


def main():
    args = parse_arguments()
    if args.needs and not can_load(args.needs):
        print("skipped: %s is not there" % args.needs)
        return 77
    start = time.monotonic()
    wanted = select_lines(args)
    if not wanted:
        print("no recorded line matches: %s" % " ".join(args.groups))
        print("0 passed, 1 failed")
        return 1
    exceptions = read_patterns(args.exceptions)
    pending = Pending(args.pending)

    answers, remarks = record(args, list(dict.fromkeys(recorder_group(key) for key in wanted)))
    mended = ask_again(args, wanted, answers, lambda key: pending.has(key) or
                       matches_any(key, [pattern for pattern, _ in exceptions]))

    verdicts = {}
    for key, value in wanted.items():
        verdict = judge(key, value, answers.get(key))
        if verdict in (DIFFER, ABSENT) and matches_any(key, [pattern for pattern, _ in exceptions]):
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
    print_lines(failures, wanted, answers, args.show)
    for group, remark in broken_groups:
        print("- %s: %s" % (group, remark))
    excepted = [key for key, verdict in verdicts.items() if verdict == EXCEPTED]
    for pattern, reason in exceptions:
        count = sum(fnmatch.fnmatchcase(key, pattern) for key in excepted)
        if count:
            print("exception: %s (%d lines): %s" % (pattern, count, reason))
    judged = total[AGREE] + total[DIFFER] + total[ABSENT] + total[CRASHED]
    print("%.2f%% of %d lines agree; %d differ, %d absent, %d crashed or hung; "
          "%d survived where the driver did not" %
          (100.0 * total[AGREE] / max(1, judged), judged, total[DIFFER], total[ABSENT],
           total[CRASHED], total[SURVIVED]))
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
