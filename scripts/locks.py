#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes docs/LOCKS.md: every ranked lock of src/core/lock.h, in the order in which a thread may take
them, and every plain mutex of src/.

usage: locks.py [--check]     --check: say what differs from the file, and write nothing

A plain mutex has the comment "Leaf mutex: what it guards." in the line above: nothing ranked is taken
while one is held. One without the comment is an error.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.path.join(ROOT, "docs", "LOCKS.md")
# Mutexes whose layout another program prescribes.
FOREIGN = {"src/interop/swiftshader_semaphore.c"}


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def ranks():
    body = re.search(r"enum cup_lock_rank \{(.*?)\};", read("src/core/lock.h"), re.S).group(1)
    return re.findall(r"CUP_RANK_(\w+),\s*/\*\s*(.*?)\s*\*/", body, re.S)


def mutexes():
    found, errors = [], []
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, "src"))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), ROOT)
            if not name.endswith((".c", ".h")) or path in FOREIGN:
                continue
            lines = read(path).split("\n")
            for number, line in enumerate(lines):
                match = re.match(r"\s*(?:static\s+)?pthread_mutex_t\s+(\w+)", line)
                if not match:
                    continue
                above = re.match(r"\s*/\* Leaf mutex: (.*)\. \*/", lines[number - 1])
                if above:
                    found.append((path, match.group(1), above.group(1)))
                else:
                    errors.append("%s:%d: the mutex %s has no comment 'Leaf mutex: ...' above it; is a "
                                  "ranked lock (core/lock.h) better?" % (path, number + 1, match.group(1)))
    return found, errors


def document(found):
    ranked = ranks()
    text = ["<!-- SPDX-License-Identifier: MIT; written by scripts/locks.py -->", "# Locks", "",
            "A thread takes ranked locks (`src/core/lock.h`) in growing rank, and never two of one rank.",
            "No lock is held across a callback, a compilation, a copy or a kernel.", "",
            "A function whose name ends in `_locked` needs a lock of its caller. It begins with",
            "`cup_lock_assert_held` (`src/core/lock.h`) or `cup_mutex_assert_held` (`src/os/mutex.h`), and",
            "`tests/style` fails if it does not. Builds with assertions check this and the order of ranks:",
            "`make test` runs on such a library (`tests/debug`).",
            "", "## The %d ranks, in order" % len(ranked), "", "| rank | guards |", "|---|---|"]
    text += ["| `%s` | %s |" % (name, re.sub(r"\s+", " ", what)) for name, what in ranked]
    text += ["", "## The %d plain mutexes" % len(found), "",
             "Each is a leaf: nothing ranked is taken while it is held. Most of them wait on conditions or",
             "guard loading another library, which ranked locks do not do.", "",
             "| file | mutex | what it does |", "|---|---|---|"]
    text += ["| `%s` | `%s` | %s |" % (path[4:], name, what) for path, name, what in found]
    return "\n".join(text) + "\n"


def main():
    found, errors = mutexes()
    text = document(found)
    if "--check" in sys.argv[1:]:
        if not os.path.exists(TARGET) or read("docs/LOCKS.md") != text:
            errors.append("docs/LOCKS.md is not what scripts/locks.py writes: run it")
    else:
        with open(TARGET, "w", encoding="utf-8") as file:
            file.write(text)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
