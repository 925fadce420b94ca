# SPDX-License-Identifier: MIT
"""Runs recorders over a library: several groups at once, each run with a time limit.

A recorder runs each of its groups in a process of its own and starts it again behind a question that
crashed or hung; what a recorder itself does not survive costs the rest of its groups and no more.
"""
import concurrent.futures
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

from .answers import ABSENT, AGREE, DIFFER, group_of, judge, matches_any, parse_answers

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


running = set()  # sessions, which the terminal's signals do not reach


def kill_session(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_with_signals():
    """Lets a signal that ends this process end what it runs as well."""
    def end(number, _):
        for leader in list(running):
            kill_session(leader)
        os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def run_limited(command, env, limit):
    """Runs a program in a session of its own. Returns what it printed and how it ended, None for well.

    Whatever it started is gone afterwards: the whole session is killed."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        running.add(process.pid)
        end = None
        try:
            if process.wait(limit) != 0:
                end = "CRASH recorder status %d" % process.returncode
        except subprocess.TimeoutExpired:
            end = "TIMEOUT no end within %d s" % limit
        kill_session(process.pid)
        process.wait()
        running.discard(process.pid)
        output.seek(0)
        return output.read().decode(errors="replace"), end


class Recorders:
    """Recorder programs, the environment with the library under test, and how to run them."""

    def __init__(self, programs, env, limit=600, jobs=1, keep=None, quiet=(), whole_limit=None):
        self.env, self.limit, self.jobs, self.keep, self.quiet = env, limit, jobs, keep, quiet
        self.end = time.monotonic() + whole_limit if whole_limit else None
        self.groups = {}  # group: the recorder that has it, in the recorders' order
        self.remarks = []
        for program in programs:
            text, end = run_limited([program, "--list"], env, limit)
            if end:
                self.remarks.append((os.path.basename(program), end))
            self.groups.update(dict.fromkeys(text.split("\n")[:-1] if not end else (), program))

    def is_quiet(self, group):
        return group in QUIET_GROUPS or group.startswith(QUIET_PREFIX) or matches_any(group, self.quiet)

    def run(self, program, names):
        """The answers of some groups, and remarks. A run that does not end tells what it has printed."""
        text, end = run_limited([program, *names], self.env, self.limit)
        if self.keep:
            with open(self.keep, "a") as file:
                file.write(text)
        answers, remarks = parse_answers(text, self.groups)
        return answers, ([(names[0], end)] if end else []) + remarks

    def batches(self, names):
        """The groups as (recorder, names), one for each run of a recorder: the long ones first."""
        rank = {group: i for i, group in enumerate(LONG_GROUPS)}
        plain = sorted((name for name in names if "/" not in name), key=lambda name: rank.get(name, len(rank)))
        batches = [(self.groups[name], [name]) for name in plain]
        for program in dict.fromkeys(self.groups.values()):
            small = [name for name in names if "/" in name and self.groups[name] == program]
            batches += [(program, small[i:i + SMALL_GROUPS_PER_RUN])
                        for i in range(0, len(small), SMALL_GROUPS_PER_RUN)]
        return batches

    def ask(self, names):
        """Asks the named groups, in parallel. Returns the answers and the remarks of the recorders."""
        answers, remarks = {}, []
        progress = Progress(len(names))

        def run(batch):
            if self.end and time.monotonic() > self.end:
                return {}, [(name, "STOPPED before it began: out of time") for name in batch[1]]
            result = self.run(*batch)
            progress.step(len(batch[1]), batch[1][0])
            return result

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for batch_answers, batch_remarks in pool.map(run, self.batches(names)):
                answers.update(batch_answers)
                remarks += batch_remarks
        progress.end()
        return answers, remarks

    def ask_again(self, wanted, answers, is_expected=lambda key: False, most=None):
        """Repeats alone the quiet groups in which a line disagrees that should not.

        An answer of the second run replaces the first one where it agrees. Returns how many did. Where more
        groups disagree than `most`, none is asked again: time is not the reason."""
        names = sorted({group_of(key, self.groups) for key in wanted
                        if self.is_quiet(group_of(key, self.groups)) and not is_expected(key)
                        and judge(key, wanted[key], answers.get(key)) in (DIFFER, ABSENT)})
        names = [name for name in names if name in self.groups]
        mended = 0
        for name in names if most is None or len(names) <= most else ():
            again, _ = self.run(self.groups[name], [name])
            for key, value in again.items():
                if key not in wanted or judge(key, wanted[key], answers.get(key)) != DIFFER:
                    continue
                if judge(key, wanted[key], value) == AGREE:
                    answers[key] = value
                    mended += 1
        return mended
