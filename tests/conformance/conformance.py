#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a CUDA library against the recorded answers of NVIDIA's.

Runs recorders over the library, several groups at once, and compares their lines with the
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
import tempfile
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
# Groups of a few lines have a slash in their names, and one run of the recorder asks many.
SMALL_GROUPS_PER_RUN = 8
# Where these groups tell of a fault, they are about it; elsewhere the recorded device broke.
FAULT_GROUPS = ("errname", "kfault-", "fault", "assert", "lasterr")
FAULTS = ("ILLEGAL_ADDRESS", "LAUNCH_FAILED", "cudaErrorIllegalAddress", "cudaErrorLaunchFailure",
          "cudaErrorMisalignedAddress")

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


def parse_answers(text, groups):
    """The recorder's lines as {"group/case": answer}, and those about a whole group."""
    answers, remarks = {}, []
    for line in text.splitlines():
        if line.startswith("#") or ": " not in line:
            continue
        key, value = line.split(": ", 1)
        if "/" in key and key not in groups:
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
    return not key.startswith(FAULT_GROUPS) and any(fault in answer for fault in FAULTS)


def group_of(key, groups):
    """The recorder's name for the group of a line; the first word where it has none."""
    name = key
    while "/" in name:
        name = name.rsplit("/", 1)[0]
        if name in groups:
            return name
    return name


def is_quiet(args, group):
    return group in QUIET_GROUPS or group.startswith(QUIET_PREFIX) or matches_any(group, args.quiet)


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


def environment(args):
    """The driver is the one that was recorded."""
    env = dict(os.environ, LIBCUDA=args.library, CUPIPE_DRIVER="13.0")
    if args.linked:
        env["LD_LIBRARY_PATH"] = os.path.dirname(args.library) + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    return env


def list_groups(args):
    """{group: the recorder that has it}, in the recorders' order."""
    groups = {}
    for recorder in args.recorder:
        run = subprocess.run([recorder, "--list"], env=environment(args), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, check=True)
        groups.update(dict.fromkeys(run.stdout.decode().split("\n")[:-1], recorder))
    return groups


def run_recorder(args, groups, recorder, names):
    """The answers of some groups, and remarks. A run that does not end tells what it has printed."""
    remarks = []
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([recorder, *names], env=environment(args), stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.DEVNULL)
        try:
            if process.wait(args.limit) != 0:
                remarks.append((names[0], "CRASH recorder status %d" % process.returncode))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            remarks.append((names[0], "TIMEOUT no end within %d s" % args.limit))
        output.seek(0)
        text = output.read().decode(errors="replace")
    if args.keep:
        with open(args.keep, "a") as file:
            file.write(text)
    answers, more = parse_answers(text, groups)
    return answers, remarks + more


def make_batches(groups, names):
    """The groups as (recorder, names), one for each run of a recorder: the long ones first."""
    rank = {group: i for i, group in enumerate(LONG_GROUPS)}
    plain = sorted((name for name in names if "/" not in name), key=lambda name: rank.get(name, len(rank)))
    batches = [(groups[name], [name]) for name in plain]
    for recorder in dict.fromkeys(groups.values()):
        small = [name for name in names if "/" in name and groups[name] == recorder]
        batches += [(recorder, small[i:i + SMALL_GROUPS_PER_RUN])
                    for i in range(0, len(small), SMALL_GROUPS_PER_RUN)]
    return batches


def record(args, groups, names):
    """Asks the named groups, in parallel. Returns the answers and the remarks of the recorder."""
    answers, remarks = {}, []
    progress = Progress(len(names))

    def run(batch):
        result = run_recorder(args, groups, *batch)
        progress.step(len(batch[1]), batch[1][0])
        return result

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for batch_answers, batch_remarks in pool.map(run, make_batches(groups, names)):
            answers.update(batch_answers)
            remarks += batch_remarks
    progress.end()
    return answers, remarks


def ask_again(args, groups, wanted, answers, is_expected):
    """Repeats alone the quiet groups in which a line disagrees that should not.

    An answer of the second run replaces the first one where it agrees. Returns how many did."""
    names = sorted({group_of(key, groups) for key in wanted
                    if is_quiet(args, group_of(key, groups)) and not is_expected(key)
                    and judge(key, wanted[key], answers.get(key)) in (DIFFER, ABSENT)})
    mended = 0
    for name in names:
        if name not in groups:
            continue
        again, _ = run_recorder(args, groups, groups[name], [name])
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
    with gzip.open(args.recording, "rt", errors="replace") as file:
        recorded, _ = parse_answers(file.read(), groups)
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
    start = time.monotonic()
    if args.keep:
        open(args.keep, "w").close()
    groups = list_groups(args)
    wanted = select_lines(args, groups)
    if not wanted:
        print("no recorded line matches: %s" % " ".join(args.groups))
        print("0 passed, 1 failed")
        return 1
    exceptions = read_patterns(args.exceptions) if args.exceptions else []
    pending = Pending(args.pending)

    names = dict.fromkeys(group_of(key, groups) for key in wanted)
    answers, remarks = record(args, groups, [name for name in names if name in groups])
    mended = ask_again(args, groups, wanted, answers, lambda key: pending.has(key) or
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
