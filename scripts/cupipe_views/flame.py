# SPDX-License-Identifier: MIT
"""The flame graph: kernel, function, inlined functions, line, each as wide as the instructions of warps in it; or kernels
as wide as their time, with the lines in proportion to their instructions."""
import os

from . import svg, terminal
from .counts import per, size

WIDTH, LEFT, ROW, TOP = 1200, 20, 22, 70
LEAST = 0.002  # parts that are smaller are left out of the terminal
NARROWEST = 0.3  # pixels


class Frame:
    def __init__(self, name):
        self.name, self.value, self.instructions, self.lanes, self.children = name, 0.0, 0, 0, {}

    def child(self, name):
        return self.children.setdefault(name, Frame(name))

    def sorted(self):
        return sorted(self.children.values(), key=lambda frame: (-frame.value, frame.name))

    def depth(self):
        return 1 + max((child.depth() for child in self.children.values()), default=0)


def path_of(kernel, row):
    """The names from the kernel down to the line."""
    names = [kernel["plain_name"]]
    if row["function"] != kernel["name"]:
        names.append(row.get("plain_function", row["function"]))
    names += [call["function"] for call in row.get("inlined", [])]
    if "file" in row:
        names.append(f"{os.path.basename(row['file'])}:{row['source_line']}")
    else:
        names.append(f"PTX {row['line']}: {row['text']}")
    return names


def build(kernels, by_time):
    root = Frame("all kernels")
    for kernel in kernels:
        executed = sum(row["executions"] for row in kernel["instructions"])
        scale = per(kernel["duration_ns"] / 1e6, executed) if by_time else 1
        for row in kernel["instructions"]:
            frame = root
            for name in [None, *path_of(kernel, row)]:
                frame = frame if name is None else frame.child(name)
                frame.value += row["executions"] * scale
                frame.instructions += row["executions"]
                frame.lanes += row["lanes"]
    return root


def describe(frame, root, by_time):
    shown = f"{frame.value:.3f} ms" if by_time else f"{size(frame.instructions)} instructions"
    return f"{shown}, {100 * per(frame.value, root.value):.1f}%"


def source_line(files, name):
    """The text of a line such as scale.cu:12, if the file can be read."""
    text, _, number = name.rpartition(":")
    lines = files.get(text)
    return lines[int(number) - 1].strip() if lines and number.isdigit() and 0 < int(number) <= len(lines) else ""


def read_sources(kernels):
    files = {}
    for path in {row["file"] for kernel in kernels for row in kernel["instructions"] if "file" in row}:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                files[os.path.basename(path)] = file.read().splitlines()
        except OSError:
            continue
    return files


def print_flame(kernels, by_time):
    root, files = build(kernels, by_time), read_sources(kernels)
    columns = terminal.width()
    bar_columns = min(30, columns // 4)

    def show(frame, depth):
        part = per(frame.value, root.value)
        if part < LEAST:
            return
        name = "  " * depth + frame.name
        line = source_line(files, frame.name) if not frame.children else ""
        text = terminal.shorten(name + (f"  {line}" if line else ""), columns - bar_columns - 10)
        print(f"{100 * part:6.1f}%  {terminal.paint(terminal.bar(part, bar_columns), 'blue')} {text}")
        for child in frame.sorted():
            show(child, depth + 1)

    show(root, 0)
    print("\n" + terminal.paint("width: " + ("time, with counting unless --times tells" if by_time else "instructions of warps"), "soft"))


def draw(kernels, by_time, path):
    root, files = build(kernels, by_time), read_sources(kernels)
    picture = svg.Picture(WIDTH, "flame graph")
    picture.head("Flame graph", f"{describe(root, root, by_time)}; each box is as wide as the "
                 + ("time of its kernel, and the instructions in it" if by_time else "instructions of warps in it")
                 + ": kernel, function, inlined functions, line")
    scale = per(WIDTH - 2 * LEFT, root.value)

    def show(frame, x, depth, hue):
        width = frame.value * scale
        if width < NARROWEST:
            return
        lanes = f"{100 * per(frame.lanes, frame.instructions * 32):.0f}% of lanes on"
        line = source_line(files, frame.name) if not frame.children else ""
        title = "\n".join(filter(None, (frame.name, line, describe(frame, root, by_time), lanes)))
        label = frame.name + (f"  {line}" if line else "")
        picture.labelled(x, TOP + depth * ROW, width, ROW - 1, label, title, svg.shade(hue, depth) if depth else "#9aa4b2")
        for number, child in enumerate(frame.sorted()):
            show(child, x, depth + 1, number if depth == 0 else hue)
            x += child.value * scale

    show(root, LEFT, 0, 0)
    picture.write(path, TOP + root.depth() * ROW + 20)
