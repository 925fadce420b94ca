#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds circles of calls: files of one part of src/ that call each other, directly or through others.

usage: check_circles.py SOURCE_ROOT

Fails when a part has a circle, and shows its calls. A call through a pointer is no edge: operations
that a file gets from its caller are the way to open a circle. A call in an inline function of a
header counts for every file that uses the function.
"""
import os
import re
import sys

DEFINITION = re.compile(r"^(?!static|extern|typedef|#)[A-Za-z_][\w \t*()]*?\b((?:cup|jit|low|ptx)_\w+)\s*[(=;\[]", re.M)
INLINE = re.compile(r"^static inline[^;{]*?\b((?:cup|jit|low|ptx)_\w+)\s*\([^;{]*\)\s*\{(.*?)^\}", re.M | re.S)
NAME = re.compile(r"\b(?:cup|jit|low|ptx)_\w+")


def read(path):
    """The text without comments and strings."""
    text = re.sub(r"/\*.*?\*/", " ", open(path).read(), flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def reachable(names, inlines):
    """The names, and those that inline functions among them use."""
    found, todo = set(), list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(inlines.get(name, ()))
    return found


def list_files(folder, ending):
    """The files below the folder, as paths relative to it."""
    return sorted(os.path.relpath(os.path.join(place, name), folder)
                  for place, _, names in os.walk(folder) for name in names if name.endswith(ending))


def calls(folder, inlines):
    """{file: {file it calls: names}}; files of subfolders as "sched/grid.c" """
    texts = {name: read(os.path.join(folder, name)) for name in list_files(folder, ".c")}
    home = {}
    for name, text in texts.items():
        for symbol in DEFINITION.findall(text):
            home.setdefault(symbol, name)
    edges = {name: {} for name in texts}
    for name, text in texts.items():
        for symbol in reachable(NAME.findall(text), inlines):
            if home.get(symbol, name) != name:
                edges[name].setdefault(home[symbol], set()).add(symbol)
    return edges


def find_inlines(source):
    """{inline function of a header: names that it uses}"""
    inlines = {}
    for folder, _, names in os.walk(source):
        for name in names:
            if name.endswith(".h"):
                for symbol, body in INLINE.findall(read(os.path.join(folder, name))):
                    inlines[symbol] = set(NAME.findall(body))
    return inlines


def circles(edges):
    """The sets of files that reach each other (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for target in edges[node]:
            if target not in number:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], number[target])
        if low[node] == number[node]:
            first = stack.index(node)
            found.append(sorted(stack[first:]))
            del stack[first:]

    for node in edges:
        if node not in number:
            visit(node)
    return [circle for circle in found if len(circle) > 1]


def show(part, edges, circle):
    print("src/%s: a circle of %d files: %s" % (part, len(circle), " ".join(circle)))
    for name in circle:
        for target in sorted(set(edges[name]) & set(circle)):
            print("    %s -> %s: %s" % (name, target, " ".join(sorted(edges[name][target]))))


def main():
    source = os.path.join(sys.argv[1], "src")
    parts = [part for part in sorted(os.listdir(source)) if os.path.isdir(os.path.join(source, part))]
    inlines, failed, checked = find_inlines(source), 0, 0
    for part in parts:
        edges = calls(os.path.join(source, part), inlines)
        for circle in circles(edges):
            show(part, edges, circle)
            failed += 1
        checked += len(edges)
    print("%d passed, %d failed" % (checked, failed))
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
