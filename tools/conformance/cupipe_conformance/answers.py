# SPDX-License-Identifier: MIT
"""What recorders print, and the verdict on an answer beside the recorded one.

A recorder prints a line for each question, `group/case: answer`; lines about a whole group have no
slash or are named after the group. What comes before the colon is the key of a line.
"""
import collections
import fnmatch
import gzip
import os

AGREE, DIFFER, ABSENT, SURVIVED, CRASHED, EXCEPTED = range(6)
VERDICTS = ("agree", "differ", "absent", "survived", "crashed", "excepted")

# Where these groups tell of a fault, they are about it; elsewhere the recorded device broke.
FAULT_GROUPS = ("errname", "kfault-", "fault", "assert", "lasterr")
FAULTS = ("ILLEGAL_ADDRESS", "LAUNCH_FAILED", "cudaErrorIllegalAddress", "cudaErrorLaunchFailure",
          "cudaErrorMisalignedAddress")


def read_patterns(path):
    """Lines of a file as (pattern, reason), without comments."""
    if not path or not os.path.exists(path):
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


def read_recording(path, groups=()):
    """The recorded answers of a file, packed by gzip."""
    with gzip.open(path, "rt", errors="replace") as file:
        return parse_answers(file.read(), groups)[0]


def group_of(key, groups):
    """The recorder's name for the group of a line; the first word where it has none."""
    name = key
    while "/" in name:
        name = name.rsplit("/", 1)[0]
        if name in groups:
            return name
    return name


def is_broken(answer):
    """Whether the process did not survive the question."""
    return answer.startswith(("CRASH", "TIMEOUT", "EXIT"))


def driver_broke(key, answer):
    """Whether the recorded driver crashed, hung or let its device fault: then no answer is right."""
    if is_broken(answer):
        return True
    return not key.startswith(FAULT_GROUPS) and any(fault in answer for fault in FAULTS)


def judge(key, wanted, got, agree=str.__eq__):
    """The verdict on a line; None when it says nothing. `agree` compares answers of equal standing."""
    absent = got is None or (got.startswith("SKIP") and got != wanted)
    if driver_broke(key, wanted):
        if absent:
            return None
        return CRASHED if is_broken(got) else SURVIVED
    if absent:
        return ABSENT
    if is_broken(got):
        return CRASHED
    return AGREE if agree(got, wanted) else DIFFER


def count_verdicts(verdicts, group_name=lambda key: key.split("/")[0]):
    """{group: how many lines have each verdict}"""
    counts = collections.defaultdict(lambda: [0] * len(VERDICTS))
    for key, verdict in verdicts.items():
        counts[group_name(key)][verdict] += 1
    return dict(counts)


def sum_counts(counts):
    return [sum(row[verdict] for row in counts) for verdict in range(len(VERDICTS))]


def percentage(row):
    """(how many of the lines that have a right answer agree, in per cent; how many those are)"""
    judged = row[AGREE] + row[DIFFER] + row[ABSENT] + row[CRASHED]
    return 100.0 * row[AGREE] / max(1, judged), judged


def show_lines(keys, wanted, answers, show):
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
