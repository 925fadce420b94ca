#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the names of src/: no namesakes, and a prefix belongs to one folder.

usage: check_names.py SOURCE_ROOT

- A struct, union or enum tag is defined once in the whole tree.
- No name that a header declares is both a tag and a function; nor is one within a file.
- The word after cup_ in a name that a header declares belongs to one folder; the compiler of kernels
  (src/jit) has jit_, the reader of PTX (src/ptx) has ptx_, and nothing else has either.
- No header declares a function pointer for others to set.
"""
import collections
import os
import re
import sys

OWN = {"jit": ("jit_", "low_"), "ptx": ("ptx_",)}  # low_: what lowering builds IR with


def sources(root):
    for folder, _, names in sorted(os.walk(os.path.join(root, "src"))):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group(0).count("\n"), file.read(), flags=re.S)
                yield os.path.relpath(path, root), text


def collect(root):
    tags, functions, declared = (collections.defaultdict(set) for _ in range(3))
    for path, text in sources(root):
        for match in re.finditer(r"^(?:typedef |static |const )*(?:struct|union|enum)\s+(\w+)\s*\{", text, re.M):
            tags[match.group(1)].add(path)
            if path.endswith(".h"):
                declared[match.group(1)].add(path)
        for match in re.finditer(r"^(?!typedef|#|\s|return)(?:[\w*]+[\s*]+)+(\w+)\(", text, re.M):
            functions[match.group(1)].add(path)
            if path.endswith(".h"):
                declared[match.group(1)].add(path)
    return tags, functions, declared


def check_hooks(root):
    """What a part asks of one above it stands in its upcalls.h, not in a variable that somebody sets."""
    for path, text in sources(root):
        for match in re.finditer(r"^extern (?!const)[^;(]*\(\*(\w+)\)\(", text, re.M):
            yield "%s: %s is a function to be set at run time: see api/upcalls.c" % (path, match.group(1))


def check(root):
    tags, functions, declared = collect(root)
    for tag, paths in sorted(tags.items()):
        if len(paths) > 1:
            yield "the tag %s is defined in %s" % (tag, " and ".join(sorted(paths)))
        if tag in functions and (paths & functions[tag] or tag in declared):
            yield "%s is a tag in %s and a function in %s" % (
                tag, sorted(paths)[0], sorted(functions[tag])[0])
    owners = collections.defaultdict(lambda: collections.defaultdict(set))
    for name, paths in declared.items():
        for path in paths:
            folder = path.split("/")[1]
            own = OWN.get(folder, ("cup_",))
            if not name.startswith(own + ("impl_", "CU", "cu", "_")):
                yield "%s in %s does not begin with %s" % (name, path, own[0])
            word = re.match(r"cup_([a-z0-9]+)", name)
            if word:
                owners[word.group(1)][folder].add(name)
    for word, folders in sorted(owners.items()):
        if len(folders) > 1:
            yield "the prefix cup_%s is used by %s" % (word, "; ".join(
                "src/%s (%s)" % (folder, ", ".join(sorted(names)[:3])) for folder, names in sorted(folders.items())))


def main():
    root = os.path.abspath(sys.argv[1])
    problems = list(check(root)) + list(check_hooks(root))
    checked = sum(1 for _ in sources(root))
    for problem in problems:
        print(problem)
    if checked == 0:
        problems.append("no sources found")
    print("%d passed, %d failed" % (checked, len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
