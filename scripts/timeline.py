#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what the streams of a trace did, and when: in the terminal, and as SVG if asked. Then it sums up kernels,
other work, calls and memory.

usage: cupipe trace FILE [--svg FILE] [--since FUNCTION] [--width COLUMNS] [--calls N] [--timeline]

This is scripts/timeline.py, installed as cupipe-trace.
"""
import argparse
import collections
import html
import json
import shutil
import subprocess
import sys

# Work that is not a kernel: its letter and its colour. Everything else on a stream is the name of a kernel.
WORK = {"graph": ("-", "#dddddd"), "copy": ("c", "#4c78a8"), "copies": ("c", "#4c78a8"), "fill": ("f", "#f58518"),
        "host function": ("h", "#54a24b"), "event": ("|", "#b279a2"), "decompress": ("d", "#72b7b2"),
        "free": ("|", "#9d755d"), "wait": (".", "#eeeeee"), "peer": (".", "#eeeeee"),
        "signal semaphores": ("s", "#bab0ac"), "wait for semaphores": (".", "#eeeeee"),
        "values in memory": ("v", "#bab0ac")}
KERNEL = ("k", "#e45756")
MEANINGS = {"k": "kernel", "c": "copy", "f": "memset", "h": "host function", "d": "decompression",
            "s": "signalled semaphores", "v": "values in memory", "|": "event or free", ".": "wait",
            "-": "a graph without work of its own"}


def read(path):
    """The events of a trace, also of one whose process was killed: it has whole events, but no end."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read().rstrip().rstrip(",")
    events = json.loads(text if text.endswith("]") else text + "]")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise ValueError("not a list of events")
    return events


def load(events, since):
    """The spans of each stream: {"device 0 stream 3": [(name, start, end, bytes)]}, in milliseconds,
    from the first call of the function `since` on."""
    names, rows = {}, {}
    begin = min((e["ts"] for e in events if e.get("name") == since), default=0) / 1e3
    for event in events:
        if event.get("ph") == "M" and event["name"] in ("process_name", "thread_name"):
            key = (event["pid"], event["tid"] if event["name"] == "thread_name" else None)
            names[key] = event["args"]["name"]
    for event in events:
        process = names.get((event.get("pid"), None), "")
        if event.get("ph") != "X" or "device" not in process:
            continue
        row = "%s, %s" % (process, names.get((event["pid"], event["tid"]), event["tid"]))
        start = event["ts"] / 1e3
        if start < begin:
            continue
        rows.setdefault(row, []).append(
            (event["name"], start, start + event["dur"] / 1e3, event.get("args", {}).get("bytes", 0)))
    for spans in rows.values():
        spans.sort(key=lambda span: span[1] - span[2])  # a graph is drawn before its nodes
    return rows


def overlap(rows):
    """How long two or more streams worked at once, and how long any did."""
    edges = []
    for spans in rows.values():
        for name, start, end, _ in spans:
            if name == "graph":
                continue  # its nodes are the work
            edges += [(start, 1), (end, -1)]
    busy = both = depth = last = 0
    for at, step in sorted(edges):
        busy += (at - last) if depth >= 1 else 0
        both += (at - last) if depth >= 2 else 0
        depth, last = depth + step, at
    return both, busy


def draw_text(rows, first, last, width):
    scale = width / max(last - first, 1e-9)
    for row, spans in sorted(rows.items()):
        line = [" "] * width
        for name, start, end, _ in spans:
            a, b = int((start - first) * scale), int((end - first) * scale)
            for column in range(min(a, width - 1), min(max(b, a + 1), width)):
                if line[column] == " " or name not in ("event", "free"):  # these take no time
                    line[column] = WORK.get(name, KERNEL)[0]
        print("%-30s |%s|" % (row, "".join(line)))
    print("%-30s  0%*s" % ("", width - 1, "%.1f ms" % (last - first)))
    letters = {WORK.get(span[0], KERNEL)[0] for spans in rows.values() for span in spans}
    print("%-30s  %s" % ("", ", ".join("%s %s" % pair for pair in MEANINGS.items() if pair[0] in letters)))


def label(name, x, y, width):
    """The name of a span in it, as far as it has room for it."""
    room = int(width / 8)
    if name == "graph" or room < 3:
        return ""
    text = {"fill": "memset"}.get(name, name)
    text = text if len(text) <= room else text[:room - 1] + "\u2026"
    return '<text x="%.2f" y="%d" fill="white" text-anchor="middle">%s</text>' % (x + width / 2, y, html.escape(text))


def draw_svg(rows, first, last, path):
    left, width, height, gap = 220, 900, 26, 10
    scale = width / max(last - first, 1e-9)
    total = 30 + len(rows) * (height + gap) + 30
    names = demangle({span[0] for spans in rows.values() for span in spans})
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="13">' % (left + width + 20, total),
           '<rect width="100%" height="100%" fill="white"/>']
    for index, (row, spans) in enumerate(sorted(rows.items())):
        y = 20 + index * (height + gap)
        out.append('<text x="10" y="%d">%s</text>' % (y + 17, html.escape(row)))
        for name, start, end, size in spans:
            x, span_width = left + (start - first) * scale, max((end - start) * scale, 0.8)
            out.append('<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s" stroke="white" '
                       'stroke-width="0.5"><title>%s, %d bytes, %.3f ms</title></rect>%s'
                       % (x, y, span_width, height, WORK.get(name, KERNEL)[1], html.escape(names[name]), size,
                          end - start, label(names[name], x, y + 17, span_width)))
    y = 20 + len(rows) * (height + gap) + 12
    out.append('<text x="%d" y="%d">0</text><text x="%d" y="%d">%.1f ms</text>'
               % (left, y, left + width - 50, y, last - first))
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


def demangle(names):
    """C++ names as in the source, where c++filt is installed."""
    filt = shutil.which("c++filt")
    if not filt or not any(name.startswith("_Z") for name in names):
        return {name: name for name in names}
    listed = sorted(names)
    result = subprocess.run([filt], input="\n".join(listed), capture_output=True, text=True)
    lines = result.stdout.splitlines()
    return dict(zip(listed, lines)) if len(lines) == len(listed) else {name: name for name in names}


def shorten(text, width):
    return text if len(text) <= width else text[:width - 3] + "..."


def sum_work(rows, kernels):
    """[(name, runs, total, longest, bytes)], the longest total first."""
    sums = collections.defaultdict(lambda: [0, 0.0, 0.0, 0])
    for spans in rows.values():
        for name, start, end, size in spans:
            if (name in WORK) == kernels or name in ("graph", "wait", "peer"):
                continue
            entry = sums[name]
            entry[0] += 1
            entry[1] += end - start
            entry[2] = max(entry[2], end - start)
            entry[3] += size
    return sorted(((name, *entry) for name, entry in sums.items()), key=lambda entry: -entry[2])


def is_call(event):
    return event.get("ph") == "X" and "result" in event.get("args", {})


def sum_calls(events):
    """[(function, calls, failed, total, longest)], the longest total first."""
    sums = collections.defaultdict(lambda: [0, 0, 0.0, 0.0])
    for event in filter(is_call, events):
        entry = sums[event["name"]]
        entry[0] += 1
        entry[1] += event["args"]["result"] not in ("CUDA_SUCCESS", "CUDA_ERROR_NOT_READY")
        entry[2] += event["dur"] / 1e3
        entry[3] = max(entry[3], event["dur"] / 1e3)
    return sorted(((name, *entry) for name, entry in sums.items()), key=lambda entry: -entry[3])


def sum_ranges(events):
    """[(domain and name, runs, total, longest)] of the ranges that the program has named, the longest total first."""
    sums, open_ranges = collections.defaultdict(lambda: [0, 0.0, 0.0]), {}
    for event in events:
        if event.get("cat") != "nvtx" or event.get("ph") not in ("X", "b", "e"):
            continue
        key = event["pid"], event.get("id")
        if event["ph"] == "b":
            open_ranges[key] = event["ts"]
            continue
        length = (event["dur"] if event["ph"] == "X" else event["ts"] - open_ranges.pop(key, event["ts"])) / 1e3
        domain = event["args"].get("domain")
        entry = sums["%s: %s" % (domain, event["name"]) if domain else event["name"]]
        entry[0] += 1
        entry[1] += length
        entry[2] = max(entry[2], length)
    return sorted(((name, *entry) for name, entry in sums.items()), key=lambda entry: -entry[2])


def describe_allocation(event, streams):
    """Whose memory a call allocated, where, and how much of it; or None. Streams have names by their handles."""
    name, values = event["name"].split("_")[0], event["args"]
    if name in ("cuMemAllocAsync", "cuMemAllocFromPoolAsync"):
        stream = values.get("hStream", "0x0")
        owner = "default stream" if int(stream, 16) <= 2 else streams.get((event["pid"], stream), "stream " + stream)
        return owner, values.get("*dptr"), values.get("bytesize", 0)
    if name in ("cuMemAlloc", "cuMemAllocManaged"):
        return "managed" if "Managed" in name else "no stream", values.get("*dptr"), values.get("bytesize", 0)
    if name == "cuMemAllocPitch":
        return "no stream", values.get("*dptr"), values.get("*pPitch", 0) * values.get("Height", 0)
    if name in ("cuMemHostAlloc", "cuMemAllocHost"):
        return "pinned host memory", values.get("*pp"), values.get("bytesize", 0)
    return None


def sum_memory(events):
    """{owner: [now, most, allocations]}. What a stream frees is gone with the call, whoever allocated it."""
    owners, live, streams = collections.defaultdict(lambda: [0, 0, 0]), {}, {}
    done = [event for event in events if event.get("name") == "stream" and "handle" in event.get("args", {})
            or is_call(event) and event["args"]["result"] == "CUDA_SUCCESS"]
    for event in sorted(done, key=lambda event: event["ts"] + event.get("dur", 0)):
        if event["ph"] == "M":
            streams[event["pid"], event["args"]["handle"]] = event["args"]["name"]
            continue
        made = describe_allocation(event, streams)
        if made and made[1]:
            entry = owners[made[0]]
            live[event["pid"], made[1]] = made
            entry[0] += made[2]
            entry[1] = max(entry[1], entry[0])
            entry[2] += 1
        elif event["name"].split("_")[0] in ("cuMemFree", "cuMemFreeAsync", "cuMemFreeHost"):
            address = event["args"].get("dptr", event["args"].get("p"))
            freed = live.pop((event["pid"], address), None)
            if freed:
                owners[freed[0]][0] -= freed[2]
    return owners


def print_work(rows):
    names = demangle({span[0] for spans in rows.values() for span in spans})
    for title, kernels in (("kernels", True), ("other work", False)):
        entries = sum_work(rows, kernels)
        if not entries:
            continue
        print("\n%-44s %7s %12s %10s %10s %10s" % (title, "runs", "total ms", "mean ms", "longest", "MiB"))
        for name, count, total, longest, size in entries:
            print("%-44s %7d %12.3f %10.3f %10.3f %10s" % (shorten(names[name], 44), count, total, total / count, longest,
                                                        "%.1f" % (size / 2**20) if size else ""))


def print_ranges(events, limit):
    entries = sum_ranges(events)
    if not entries:
        return
    print("\n%-44s %7s %12s %10s %10s" % ("ranges", "runs", "total ms", "mean ms", "longest"))
    for name, count, total, longest in entries[:limit]:
        print("%-44s %7d %12.3f %10.3f %10.3f" % (shorten(name, 44), count, total, total / count, longest))


def print_calls(events, limit):
    entries = sum_calls(events)
    print("\n%-44s %7s %12s %10s %10s %10s" % ("calls", "calls", "total ms", "mean ms", "longest", "failed"))
    for name, count, failed, total, longest in entries[:limit]:
        print("%-44s %7d %12.3f %10.3f %10.3f %10s" % (name, count, total, total / count, longest, failed or ""))
    if len(entries) > limit:
        print("%d more functions: --calls %d" % (len(entries) - limit, len(entries)))


def print_memory(events):
    owners = sum_memory(events)
    if not owners:
        return
    print("\n%-44s %7s %12s %10s" % ("memory", "made", "most MiB", "left MiB"))
    for owner, (now, most, count) in sorted(owners.items()):
        print("%-44s %7d %12.3f %10.3f" % (owner, count, most / 2**20, now / 2**20))


def draw(rows, arguments):
    spans = [span for each in rows.values() for span in each]
    first, last = min(s[1] for s in spans), max(s[2] for s in spans)
    draw_text(rows, first, last, arguments.width)
    both, busy = overlap(rows)
    print("two streams or more were at work for %.1f of %.1f ms (%d%%)"
          % (both, busy, round(100 * both / max(busy, 1e-9))))
    if arguments.svg:
        draw_svg(rows, first, last, arguments.svg)


def main():
    parser = argparse.ArgumentParser(prog="cupipe trace", description=__doc__.split("\n\n")[0])
    parser.add_argument("trace")
    parser.add_argument("--svg", help="draw into this file too")
    parser.add_argument("--since", help="begin with the first call of this function")
    parser.add_argument("--width", type=int, default=80)
    parser.add_argument("--calls", type=int, default=12, help="how many functions are listed")
    parser.add_argument("--timeline", action="store_true", help="no summary")
    arguments = parser.parse_args()
    try:
        events = read(arguments.trace)
        rows = load(events, arguments.since)
    except OSError as error:
        sys.exit("cupipe trace: %s: %s" % (arguments.trace, error.strerror))
    except (ValueError, KeyError, TypeError):
        sys.exit("cupipe trace: %s is not a trace of cupipe" % arguments.trace)
    if rows:
        draw(rows, arguments)
    elif arguments.timeline or arguments.svg:
        sys.exit("cupipe trace: %s: no device work in this trace" % arguments.trace)
    else:
        print("no device work in this trace")
    if not arguments.timeline:
        print_work(rows)
        print_ranges(events, arguments.calls)
        print_calls(events, arguments.calls)
        print_memory(events)


if __name__ == "__main__":
    main()
