# SPDX-License-Identifier: MIT
"""Asks a library the questions of a suite, and reads what was recorded.

Both come as {key: answer}. Keys are those of the recorders; of random programs SEED/POSITION, as their
recordings have answers alone.
"""
import dataclasses
import os
import re

from . import numbers, programs
from .answers import (CRASHED, group_of, judge, matches_any, parse_answers, read_patterns, read_recording)
from .recorder import Recorders, run_limited
from .suites import CONFORMANCE, DRIVER, MATH, ROOT, RUNTIME

MOST_ASKED_AGAIN = 40  # groups that disagree though time may be the reason


@dataclasses.dataclass
class Setting:
    """The library under test and how it is asked."""
    files: dict  # subject: its files
    limit: int = 600  # seconds for one run of a recorder
    case_limit: int = 20  # seconds for one question
    suite_limit: int = 1800  # seconds after which no further group of a suite is begun
    jobs: int = 1
    patterns: tuple = ()  # groups or lines to ask; all when there are none
    seeds: tuple = (1, 100)  # of random programs
    recorded: str = ""  # a folder of recordings, instead of those that the kit carries

    def environment(self, suite):
        env = dict(os.environ, CUPIPE_DRIVER="13.0", CONFORMANCE_ALARM=str(self.case_limit))  # cupipe's: as recorded
        files = self.files[suite.subject]
        if suite.subject == DRIVER:
            env["LIBCUDA"] = files[0]
        else:
            env["CONFORMANCE_LIBRARIES"] = ":".join(files)
        folders = dict.fromkeys(os.path.dirname(path) for path in files + self.files.get(DRIVER, []))
        env["LD_LIBRARY_PATH"] = ":".join([*folders, os.environ.get("LD_LIBRARY_PATH", "")]).rstrip(":")
        return env

    def wants(self, key, groups=()):
        return not self.patterns or any(matches_any(name, self.patterns)
                                        for name in (key, key.split("/")[0], group_of(key, groups)))


@dataclasses.dataclass
class Answers:
    lines: dict
    remarks: list = dataclasses.field(default_factory=list)
    text: str = ""  # what random programs printed, for a recording
    mended: int = 0


def recordings_of(suite, setting):
    if not setting.recorded:
        return suite.recording_files()
    ending = ".xz" if suite.kind == "programs" else ".gz"
    path = os.path.join(setting.recorded, suite.name + ending)
    return [path] if os.path.exists(path) else []


def not_comparable_of(suite, setting):
    """Patterns of lines that belong to the card or machine that was recorded."""
    path = os.path.join(setting.recorded, suite.name + ".not-comparable.txt") if setting.recorded else (
        os.path.join(ROOT, suite.not_comparable) if suite.not_comparable else "")
    return [pattern for pattern, _ in read_patterns(path)]


def read_wanted(suite, setting, groups=()):
    """The recorded lines to judge, {key: answer}."""
    lines = {}
    for path in recordings_of(suite, setting):
        if suite.kind == "programs":
            for seed, (_, answers) in programs.read_recording(path).items():
                if setting.seeds[0] <= seed <= setting.seeds[1]:
                    lines.update({"%d/%d" % (seed, i): answer for i, answer in enumerate(answers)})
        elif suite.kind == "libraries":
            lines.update({key: answer for key, answer in numbers.read_recording(path).items() if key.count("/") > 1})
        else:
            lines.update(read_recording(path, groups))
    left_out = not_comparable_of(suite, setting)
    return {key: answer for key, answer in lines.items()
            if not matches_any(key, left_out) and setting.wants(key, groups)
            and not (key.startswith("fuzz/") and setting.seeds and int(key.split("/")[1]) > setting.seeds[1])}


def ask_groups(suite, recorders, setting):
    """Recorders of the harness. With a recording to agree with, what depends on time is asked again."""
    quiet = ("*",) if suite.subject == RUNTIME else ()  # many of its groups look at time or at free memory
    asked = Recorders(recorders, setting.environment(suite), setting.limit, setting.jobs, quiet=quiet,
                      whole_limit=setting.suite_limit)
    wanted = read_wanted(suite, setting, asked.groups)
    names = dict.fromkeys(group_of(key, asked.groups) for key in wanted) if wanted else asked.groups
    lines, remarks = asked.ask([name for name in names if name in asked.groups])
    mended = asked.ask_again(wanted, lines, most=MOST_ASKED_AGAIN) if wanted else 0
    return Answers(lines, asked.remarks + remarks, mended=mended)


def ask_programs(suite, recorders, setting):
    recorded = programs.read_recordings(recordings_of(suite, setting))
    first, last = setting.seeds
    seeds = sorted(seed for seed in recorded if first <= seed <= last) or list(range(first, last + 1))
    lines, remarks, texts = {}, [], []
    for begin, count in stretches(seeds):
        text, end = run_limited([recorders[0], str(begin), str(count), str(max(1, setting.jobs))],
                                setting.environment(suite), setting.limit)
        texts.append(text)
        remarks += [("random", end)] if end else []
        for seed, calls in programs.parse(text, whole=False).items():
            ended = seed in programs.parse(text) and seed in recorded and len(calls) == len(recorded[seed][1])
            if ended and programs.program_hash(calls) != recorded[seed][0]:
                remarks.append(("random/%d" % seed, "STOPPED is another program than the recorded one"))
                continue
            calls = calls if ended or seed not in programs.broken_ends(text) else calls[:-1]  # the last has no answer
            lines.update({"%d/%d" % (seed, i): answer for i, (_, _, answer) in enumerate(calls)})
        for seed, how in programs.broken_ends(text).items():
            calls = sum(1 for key in lines if key.startswith("%d/" % seed))
            lines["%d/%d" % (seed, calls)] = how.upper()
    return Answers(lines, remarks, "\n".join(texts))


def stretches(seeds):
    """Runs of seeds that follow each other, as (first, count)."""
    found = []
    for seed in seeds:
        if found and sum(found[-1]) == seed:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((seed, 1))
    return found


def ask_libraries(suite, recorders, setting):
    """Each group that has a wanted line, and what the recorder says of groups: lines that end too early."""
    wanted = read_wanted(suite, setting)
    groups = list(dict.fromkeys("/".join(key.split("/")[:2]) for key in wanted))
    text, end = run_limited([recorders[0], *groups], setting.environment(suite), setting.limit)
    lines = numbers.read_lines(text)
    remarks = [(key, answer) for key, answer in lines.items() if key.count("/") < 2]  # what is said of a group
    why = re.search(r"^# (.+)$", text, re.M)
    if why:
        remarks.append(("libraries", "NOLIB " + why[1]))
    return Answers({key: answer for key, answer in lines.items() if key.count("/") > 1},
                   ([("libraries", end)] if end else []) + remarks)


ASK = {"groups": ask_groups, "runtime": ask_groups, "programs": ask_programs, "libraries": ask_libraries}


def judge_all(suite, wanted, got):
    """{key: verdict} of the lines that say something."""
    agree = numbers.agree if suite.kind == "libraries" else str.__eq__
    verdicts = {key: judge(key, answer, got.get(key), agree) for key, answer in wanted.items()}
    return {key: verdict for key, verdict in verdicts.items() if verdict is not None}


def group_name(suite, key):
    """How the table calls the group of a line."""
    if suite.kind == "programs":
        return "programs"
    return "/".join(key.split("/")[:2]) if suite.kind == "libraries" else key.split("/")[0]


def describe(recorder, setting, suite):
    """What a recorder of the driver says of the library: version, device, functions that are missing."""
    text, end = run_limited([recorder, "-x", "*"], setting.environment(suite), setting.limit)
    about = re.search(r"^# header=\d+ driver=(\d+) device=(.*)$", text, re.M)
    return {"driver": int(about[1]) if about else 0, "device": about[2] if about else "",
            "missing": len(re.findall(r"^MISSING ", text, re.M)), "end": end or ""}
