#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What kernels executed: shows a profile that CUPIPE_PROFILE wrote.

usage: cupipe profile FILE                  a table: a line for each kernel, then for each function of a library
       cupipe profile FILE --roofline       work for each byte, and how near a kernel came to what this machine can do
       cupipe profile FILE --flame [time]   kernel, function and line, as wide as their instructions, or their time
       cupipe profile FILE --lines [NAME]   the source, or the PTX text, with counts beside it; of kernels with NAME in it
       cupipe profile FILE --counts         counts without times, the same on every machine: for comparing in CI

--svg PICTURE draws the table, the roofline or the flame graph. --times TRACE takes times from a trace of another run,
without counting. --kernel NAME shows only kernels with NAME in them.

This is scripts/profile.py, installed as cupipe-profile; cupipe_views beside it draws.
"""
import argparse
import collections
import json
import os
import statistics
import sys

sys.dont_write_bytecode = True  # the folder may be the system's
from cupipe_views import events, flame, machine, roofline, table  # noqa: E402
from cupipe_views.counts import LANES, join, join_host_work, per, sum_up, total  # noqa: E402
from cupipe_views.names import demangle  # noqa: E402

ROOFS = "cupipe-roofs"


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def print_lines(kernel):
    """The lines of the source with what was executed there; without a source, the instructions."""
    print(f"{kernel['plain_name']}\n{'instructions':>12} {'lanes on':>8} {'sectors':>8} {'passes':>8}")
    rows = kernel["instructions"]
    if not all("file" in row for row in rows if row["op"] != "ret"):
        for row in sorted(rows, key=lambda row: (row["function"], row["line"])):
            print_line([row], f"{row['line']:5} {row['text']}")
        return
    files = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        if "file" in row:
            files[row["file"]][row["source_line"]].append(row)
    for name, by_line in files.items():
        text = read_lines(name)
        print(f"{'':40}{name}")
        for number in range(min(by_line), max(by_line) + 1) if text else sorted(by_line):
            print_line(by_line.get(number, []), f"{number:5} {text[number - 1] if 0 < number <= len(text) else ''}")


def print_line(rows, text):
    executed = total(rows, "executions")
    lanes = f"{100 * per(total(rows, 'lanes'), executed * LANES):.0f}%" if executed else ""
    print(f"{executed or '':>12} {lanes:>8} {total(rows, 'sectors') or '':>8} {total(rows, 'passes') or '':>8} "
          f"{text}".rstrip())


def print_counts(kernels, host_work):
    for kernel in sorted(kernels, key=lambda kernel: kernel["name"]):
        print(json.dumps(sum_up(kernel)))
    for name, row in sorted(host_work):
        print(json.dumps({"host_work": name, **{key: row[key] for key in ("calls", "bytes_read", "bytes_written")}}))


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        profile = json.load(file)
    kernels = join(profile["kernels"])
    rows = [row for kernel in kernels for row in kernel["instructions"]]
    plain = demangle({row["function"] for row in rows})
    for row in rows:
        row["plain_function"] = plain[row["function"]]
    return kernels, join_host_work(profile.get("host_work", []))


def take_times(kernels, path):
    """Times of the kernels in a trace, for as many launches as the profile has. The first one may have compiled."""
    spans = collections.defaultdict(list)
    for event in events.each(path):
        if event.get("ph") == "X" and "dur" in event:
            spans[event["name"]].append(event["dur"])
    for kernel in kernels:
        found = spans.get(kernel["name"]) or spans.get(kernel["plain_name"])
        if found:
            kernel["duration_ns"] = statistics.median(found) * 1000 * kernel["launches"]
        else:
            print(f"cupipe profile: {path} has no {kernel['name']}; its time is that with counting", file=sys.stderr)


def find_roofs(again):
    """Of the program beside this one; in a source tree, of the one in PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), ROOFS)
    try:
        return machine.roofs(beside if os.path.exists(beside) else ROOFS, again)
    except (OSError, ValueError) as error:
        sys.exit(f"cupipe profile: the machine's roofs cannot be measured by {ROOFS}: {error}")


def parse():
    parser = argparse.ArgumentParser(prog="cupipe profile", description="shows a profile that CUPIPE_PROFILE wrote")
    parser.add_argument("file", help="of cupipe run --profile")
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--roofline", action="store_true", help="work for each byte, and how near it came to the machine's roofs")
    view.add_argument("--flame", nargs="?", const="instructions", choices=("instructions", "time"), help="kernel, function, line")
    view.add_argument("--lines", nargs="?", const="", metavar="NAME", help="the source with counts beside it")
    view.add_argument("--counts", action="store_true", help="counts without times, as JSON lines")
    parser.add_argument("--svg", metavar="PICTURE", help="draw the table, the roofline or the flame graph into this file")
    parser.add_argument("--times", metavar="TRACE", help="times of a run without counting, by run --trace")
    parser.add_argument("--kernel", default="", metavar="NAME", help="only kernels with NAME in them")
    parser.add_argument("--measure", action="store_true", help="measure the machine's roofs again")
    return parser.parse_args()


def show(arguments, kernels, host_work):
    if arguments.counts:
        print_counts(kernels, host_work)
    elif arguments.lines is not None:
        for kernel in kernels:
            if arguments.lines in kernel["name"] or arguments.lines in kernel["plain_name"]:
                print_lines(kernel)
    elif arguments.roofline:
        roofs = find_roofs(arguments.measure)
        if arguments.svg:
            roofline.draw(kernels, roofs, bool(arguments.times), arguments.svg)
        else:
            roofline.print_roofline(kernels, roofs, bool(arguments.times))
    elif arguments.flame:
        by_time = arguments.flame == "time"
        if arguments.svg:
            flame.draw(kernels, by_time, arguments.svg)
        else:
            flame.print_flame(kernels, by_time)
    elif arguments.svg:
        table.draw(kernels, host_work, arguments.svg)
    else:
        table.print_table(kernels, host_work)


def main():
    arguments = parse()
    try:
        kernels, host_work = read(arguments.file)
    except OSError as error:
        sys.exit(f"cupipe profile: {arguments.file}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.exit(f"cupipe profile: {arguments.file} is not a profile: cupipe run --profile FILE writes one when the program ends")
    kernels = [kernel for kernel in kernels if arguments.kernel in kernel["name"] or arguments.kernel in kernel["plain_name"]]
    try:
        if arguments.times:
            take_times(kernels, arguments.times)
        show(arguments, kernels, host_work)
    except events.NotATrace:
        sys.exit(f"cupipe profile: {arguments.times} is not a trace")
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.exit(f"cupipe profile: {error.filename}: {error.strerror}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
