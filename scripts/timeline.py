#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what the streams of a trace did, and when: in the terminal, and as SVG if asked. Then it sums up kernels,
other work, ranges, operators, calls and memory. More traces, of other processes or of torch.profiler, are laid over the
first, with their clocks aligned.

usage: cupipe trace FILE [FILE...] [--merge FILE] [--svg FILE] [--since FUNCTION] [--width COLUMNS] [--calls N] [--timeline]

This is scripts/timeline.py, installed as cupipe-trace; cupipe_views beside it draws.
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True  # the folder may be the system's
from cupipe_views import merge, stripes, summary  # noqa: E402
from cupipe_views.terminal import shorten  # noqa: E402


def print_sums(title, entries, last_head="", last=None, first_head="runs", limit=None):
    """Runs, total, mean and longest of each; `last` makes the text of one more column."""
    if not entries:
        return
    print(("\n%-44s %7s %12s %10s %10s %10s" % (title, first_head, "total ms", "mean ms", "longest", last_head)).rstrip())
    for name, count, total, longest, extra in entries[:limit]:
        print(("%-44s %7d %12.3f %10.3f %10.3f %10s" % (shorten(name, 44), count, total, total / count, longest,
                                                        last(name, extra) if last else "")).rstrip())


def print_summary(found, limit):
    plain = found.demangled()
    for title, kernels in (("kernels", True), ("other work", False)):
        print_sums(title, [(plain[name], *rest) for name, *rest in found.work(kernels)], "MiB",
                   lambda _name, size: "%.1f" % (size / 2**20) if size else "")
    print_sums("ranges", found.ranges.sorted(), limit=limit)
    device = found.kernel_time_of_operators()
    print_sums("operators", found.operators.sorted(), "kernels ms",
               lambda name, _extra: "%.3f" % device[name] if device[name] else "", "calls", limit)
    calls = found.calls.sorted()
    print_sums("calls", calls, "failed", lambda _name, failed: failed or "", "calls", limit)
    if len(calls) > limit:
        print("%d more functions: --calls %d" % (len(calls) - limit, len(calls)))
    print_memory(found.memory())


def print_memory(owners):
    if not owners:
        return
    print("\n%-44s %7s %12s %10s" % ("memory", "made", "most MiB", "left MiB"))
    for owner, (now, most, count) in sorted(owners.items()):
        print("%-44s %7d %12.3f %10.3f" % (owner, count, most / 2**20, now / 2**20))


def draw(found, rows, arguments):
    spans = [span for each in rows.values() for span in each]
    first, last = min(s[1] for s in spans), max(s[2] for s in spans)
    stripes.draw_text(rows, first, last, arguments.width)
    both, busy = stripes.overlap(rows)
    print("two streams or more were at work for %.1f of %.1f ms (%d%%)"
          % (both, busy, round(100 * both / max(busy, 1e-9))))
    if arguments.svg:
        stripes.draw_svg(rows, first, last, found.demangled(), arguments.svg)


def parse():
    parser = argparse.ArgumentParser(prog="cupipe trace", description=__doc__.split("\n\n")[0])
    parser.add_argument("traces", nargs="+", metavar="trace", help="a file of cupipe run --trace")
    parser.add_argument("--merge", metavar="FILE", help="write all traces as one, for ui.perfetto.dev")
    parser.add_argument("--svg", metavar="FILE", help="draw into this file too")
    parser.add_argument("--since", metavar="FUNCTION", help="begin with the first call of this function")
    parser.add_argument("--width", type=int, default=80, metavar="COLUMNS", help="of the drawing in the terminal")
    parser.add_argument("--calls", type=int, default=12, metavar="N", help="how many functions are listed")
    parser.add_argument("--timeline", action="store_true", help="no summary")
    return parser.parse_args()


def read(arguments):
    """The traces and what they come to. Ends the program if one is none."""
    path = None
    try:
        sources = []
        for path in arguments.traces:
            sources.append(merge.Source(path))
        if not merge.has_clocks(sources):
            late = next(source.path for source in sources if source.offset_ns is None)
            sys.exit("cupipe trace: %s does not say which clock its times are of, so it cannot be laid over others" % late)
        return sources, summary.Summary(sources, arguments.since)
    except OSError as error:
        sys.exit("cupipe trace: %s: %s" % (error.filename, error.strerror))
    except (ValueError, KeyError, TypeError):
        sys.exit("cupipe trace: %s is not a trace of cupipe" % path)


def main():
    arguments = parse()
    sources, found = read(arguments)
    rows = found.rows()
    if arguments.merge:
        merge.write(sources, arguments.merge)
    if rows:
        draw(found, rows, arguments)
    elif arguments.timeline or arguments.svg:
        sys.exit("cupipe trace: %s: no device work in this trace" % arguments.traces[0])
    else:
        print("no device work in this trace")
    if not arguments.timeline:
        print_summary(found, arguments.calls)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
