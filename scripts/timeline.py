#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what the streams of a CUPIPE_TRACE file did, and when: in the terminal, and as SVG if asked.

usage: timeline.py TRACE [--svg FILE] [--since FUNCTION] [--width COLUMNS]
"""
import argparse
import json

COLOURS = {"graph": "#dddddd", "copy": "#4c78a8", "fill": "#f58518", "host function": "#54a24b", "event": "#b279a2"}
LETTERS = {"graph": "-", "copy": "c", "fill": "f", "host function": "h", "event": "|"}


def load(path, since):
    """The spans of each stream: {"device 0 stream 3": [(name, start, end, bytes)]}, in milliseconds,
    from the first call of the function `since` on."""
    text = open(path).read().rstrip().rstrip(",")
    events = json.loads(text if text.endswith("]") else text + "]")
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
                line[column] = LETTERS.get(name, "#")
        print("%-30s |%s|" % (row, "".join(line)))
    print("%-30s  0%*s" % ("", width - 1, "%.1f ms" % (last - first)))


def draw_svg(rows, first, last, path):
    left, width, height, gap = 220, 900, 26, 10
    scale = width / max(last - first, 1e-9)
    total = 30 + len(rows) * (height + gap) + 30
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="13">' % (left + width + 20, total),
           '<rect width="100%" height="100%" fill="white"/>']
    for index, (row, spans) in enumerate(sorted(rows.items())):
        y = 20 + index * (height + gap)
        out.append('<text x="10" y="%d">%s</text>' % (y + 17, row))
        for name, start, end, size in spans:
            out.append('<rect x="%.2f" y="%d" width="%.2f" height="%d" fill="%s" stroke="white" '
                       'stroke-width="0.5"><title>%s, %d bytes, %.3f ms</title></rect>'
                       % (left + (start - first) * scale, y, max((end - start) * scale, 0.8), height,
                          COLOURS.get(name, "#888"), name, size, end - start))
    y = 20 + len(rows) * (height + gap) + 12
    out.append('<text x="%d" y="%d">0</text><text x="%d" y="%d">%.1f ms</text>'
               % (left, y, left + width - 50, y, last - first))
    out.append("</svg>")
    open(path, "w").write("\n".join(out) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trace")
    parser.add_argument("--svg", help="draw into this file too")
    parser.add_argument("--since", help="begin with the first call of this function")
    parser.add_argument("--width", type=int, default=80)
    arguments = parser.parse_args()
    rows = load(arguments.trace, arguments.since)
    if not rows:
        raise SystemExit("%s: no device work in this trace" % arguments.trace)
    spans = [span for each in rows.values() for span in each]
    first, last = min(s[1] for s in spans), max(s[2] for s in spans)
    draw_text(rows, first, last, arguments.width)
    print("%-30s  c copy, f memset, h host function, - a graph without work of its own" % "")
    both, busy = overlap(rows)
    print("two streams or more were at work for %.1f of %.1f ms (%d%%)"
          % (both, busy, round(100 * both / max(busy, 1e-9))))
    if arguments.svg:
        draw_svg(rows, first, last, arguments.svg)


if __name__ == "__main__":
    main()
