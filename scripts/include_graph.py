#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints how the files of each part of src/ depend on each other.

usage: include_graph.py [--members] [PART ...]     (folders of src/; all of them by default)

For each part: its .c files; its largest header with its lines, prototypes and includers; the sizes of
the circles of calls among its files (tests/style/check_circles.py says what counts as a call); and the
sizes of the circles of includes among its headers. --members names the files of each circle.
"""
import os
import re
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "style"))
from check_circles import calls, circles, find_inlines, list_files, read  # noqa: E402

SOURCE = os.path.join(ROOT, "src")


def headers(part):
    folder = os.path.join(SOURCE, part)
    return {name: open(os.path.join(folder, name)).read() for name in list_files(folder, ".h")}


def include_edges(part, texts):
    pattern = re.compile(r'^#include "%s/([\w./]+)"' % part, re.M)
    return {name: [other for other in pattern.findall(text) if other in texts] for name, text in texts.items()}


def count_includers(header):
    count = 0
    for folder, _, names in os.walk(SOURCE):
        for name in names:
            if name.endswith((".c", ".h")):
                count += '#include "%s"' % header in open(os.path.join(folder, name)).read()
    return count


def sizes(found):
    return " + ".join(str(len(circle)) for circle in sorted(found, key=len, reverse=True)) or "none"


def main():
    members = "--members" in sys.argv
    parts = [name for name in sys.argv[1:] if name != "--members"] or sorted(
        name for name in os.listdir(SOURCE) if os.path.isdir(os.path.join(SOURCE, name)))
    line = "%-9s %5s  %-20s %5s %10s %9s  %-16s %s"
    print(line % ("part", "files", "largest header", "lines", "prototypes", "includers", "call circles",
                  "include circles"))
    inlines = find_inlines(SOURCE)
    for part in parts:
        texts = headers(part)
        edges = calls(os.path.join(SOURCE, part), inlines)
        of_calls, of_includes = circles(edges), circles(include_edges(part, texts))
        largest = max(texts, key=lambda name: texts[name].count("\n")) if texts else ""
        code = read(os.path.join(SOURCE, part, largest)) if texts else ""
        print(line % (part, len(edges), largest, texts.get(largest, "").count("\n"),
                      len(re.findall(r"\)\s*;", code)), count_includers("%s/%s" % (part, largest)),
                      sizes(of_calls), sizes(of_includes)))
        for circle in (of_calls + of_includes) if members else []:
            print("          " + " ".join(circle))


if __name__ == "__main__":
    main()
