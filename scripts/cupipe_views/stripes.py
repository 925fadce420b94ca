# SPDX-License-Identifier: MIT
"""The timeline: a stripe for each stream, and for each thread with operators, in the terminal and as SVG."""
from . import svg

# Work that is not a kernel: its letter and its colour.
WORK = {"graph": ("-", "#9aa4b2"), "copy": ("c", "#4c8dd6"), "copies": ("c", "#4c8dd6"), "fill": ("f", "#e8873a"),
        "host function": ("h", "#4bb07a"), "event": ("|", "#9a7bd0"), "decompress": ("d", "#3fb0b8"),
        "free": ("|", "#b9786a"), "wait": (".", "#c4cbd6"), "peer": (".", "#c4cbd6"),
        "signal semaphores": ("s", "#7d97ad"), "wait for semaphores": (".", "#c4cbd6"),
        "values in memory": ("v", "#7d97ad")}
KERNEL, OPERATOR = ("k", "#d4658f"), ("o", "#c9a227")
MEANINGS = {"k": "kernel", "o": "operator", "c": "copy", "f": "memset", "h": "host function", "d": "decompression",
            "s": "signalled semaphores", "v": "values in memory", "|": "event or free", ".": "wait",
            "-": "a graph without work of its own"}


def look(row, name):
    return OPERATOR if row.startswith("torch") else WORK.get(name, KERNEL)


def overlap(rows):
    """How long two or more streams worked at once, and how long any did."""
    edges = []
    for row, spans in rows.items():
        for name, start, end, _ in spans if not row.startswith("torch") else ():
            if name != "graph":  # its nodes are the work
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
                    line[column] = look(row, name)[0]
        print("%-30s |%s|" % (row, "".join(line)))
    print("%-30s  0%*s" % ("", width - 1, "%.1f ms" % (last - first)))
    letters = {look(row, span[0])[0] for row, spans in rows.items() for span in spans}
    print("%-30s  %s" % ("", ", ".join("%s %s" % pair for pair in MEANINGS.items() if pair[0] in letters)))


def draw_svg(rows, first, last, names, path):
    left, width, height, gap, top = 230, 900, 26, 8, 20
    scale = width / max(last - first, 1e-9)
    picture = svg.Picture(left + width + 20, "timeline")
    for index, (row, spans) in enumerate(sorted(rows.items())):
        y = top + index * (height + gap)
        picture.text(10, y + 17, svg.fit(row, left - 20), title=row)
        picture.rect(left, y, width, height, class_="faint", rx=2)
        for name, start, end, size in spans:
            text = {"fill": "memset"}.get(name, names.get(name, name))
            title = f"{text}\n{end - start:.3f} ms" + (f", {size} bytes" if size else "")
            picture.labelled(left + (start - first) * scale, y, max((end - start) * scale, 0.8), height,
                             "" if name == "graph" else text, title, look(row, name)[1])
    y = top + len(rows) * (height + gap) + 12
    picture.text(left, y, "0", "soft")
    picture.text(left + width, y, f"{last - first:.1f} ms", "soft end")
    picture.write(path, y + 14)
