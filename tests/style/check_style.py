#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what a compiler does not: licence lines, the direction of includes, headers that compile alone,
entry points that leave captures to cup_work_submit().

usage: check_style.py SOURCE_ROOT GENERATED_INCLUDE_DIR [CC]
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Who may include whom: a part includes itself and what stands in its list. The few includes that point
# the other way are named one by one, with the reason in docs/ARCHITECTURE.md.
PARTS = {
    "os": [],
    "core": ["os"],
    "device": ["core", "os"],
    "stream": ["device", "core", "os"],
    "memory": ["stream", "device", "core", "os"],
    "image": ["memory", "stream", "device", "core", "os"],
    "interop": ["image", "memory", "stream", "device", "core", "os"],
    "ptx": ["core"],
    "abi": [],  # what compiled kernels and the library agree upon
    "jit": ["abi", "ptx", "core"],
    "exec": ["abi", "jit", "ptx", "image", "memory", "stream", "device", "core", "os"],  # of jit its surface alone
    "module": ["abi", "exec", "ptx", "image", "memory", "stream", "device", "core", "os"],
    "check": ["abi", "exec", "interop", "ptx", "image", "memory", "stream", "device", "core", "os"],
    "graph": ["abi", "interop", "module", "exec", "ptx", "image", "memory", "stream", "device", "core",
              "os"],
    "api": ["abi", "check", "graph", "interop", "module", "exec", "ptx", "image", "memory", "stream", "device", "core", "os"],
}
EXCEPTIONS = {
    ("src/device/context.c", "stream"),  # a context owns its streams and events
    ("src/os/reserve.c", "core"),  # align.h only
    ("src/os/guard.c", "core"),  # compiler.h and thread.h only
}
PAGE_LINES = 200  # of a document
REFERENCES = ("ENVIRONMENT.md", "INSTRUCTIONS.md", "LOCKS.md")
SOURCES = (".c", ".h", ".py", ".sh", ".def", ".in")
BARE = ("Makefile", "CMakeLists.txt", "run", "demo", "install-packages")


def files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                            capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [name for name in listed.stdout.split("\n") if name]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if not f.startswith(("build", ".git"))]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found


def check_licence(root, names):
    for name in names:
        if "/third_party/" in name: # has the notices of others
            continue
        if name.endswith(SOURCES) or os.path.basename(name) in BARE:
            path = os.path.join(root, name)
            if os.path.isfile(path) and "SPDX-License-Identifier: MIT" not in "".join(
                    open(path, errors="replace").readlines()[:3]):
                yield "%s: no SPDX line at its top" % name


def check_direction(root, names):
    for name in names:
        match = re.match(r"src/(\w+)/", name)
        if not match or not name.endswith((".c", ".h")) or not os.path.isfile(os.path.join(root, name)):
            continue
        part = match.group(1)
        for include in re.findall(r'#include "(\w+)/', open(os.path.join(root, name)).read()):
            if include == part or include not in PARTS or (name, include) in EXCEPTIONS:
                continue
            if include not in PARTS.get(part, []):
                yield "%s: src/%s must not include src/%s" % (name, part, include)


def check_capture(root, names):
    """cup_work_submit() decides whether a stream captures; no entry point does."""
    for name in names:
        path = os.path.join(root, name)
        if name.startswith("src/api/") and name.endswith((".c", ".h")) and os.path.isfile(path):
            if "cup_stream_is_capturing" in open(path).read():
                yield "%s: give the work to cup_work_submit() instead of asking for a capture" % name


def check_environment(root, names):
    """A program that runs with another's rights takes nothing from the environment of who starts it."""
    for name in names:
        path = os.path.join(root, name)
        if re.match(r"(src|runtime|libraries|nvml|layers|codec|torch|tools/(common|nv\w+))/.*\.(c|cpp)$", name) and os.path.isfile(path):
            for number, line in enumerate(open(path, errors="replace"), 1):
                if re.search(r"(?<!secure_)\bgetenv\(", line):
                    yield "%s:%d: call secure_getenv()" % (name, number)


def check_documents(root, names):
    """Lines of prose have at most 100 columns; tables, code and what scripts write may be longer. A page answers one
    question: only those that list everything are long."""
    for name in names:
        if not re.match(r"(docs/.*|README|CONTRIBUTING|SECURITY)\.md$", os.path.relpath(name)) or "COVERAGE" in name:
            continue
        fenced = generated = False
        number = 0
        for number, line in enumerate(open(os.path.join(root, name), encoding="utf-8"), 1):
            fenced ^= line.startswith("```")
            generated = (generated or "made by scripts/" in line) and "end of" not in line
            if len(line.rstrip("\n")) > 100 and not fenced and not generated and line[0] not in "| ":
                yield "%s:%d: more than 100 columns" % (name, number)
        if number > PAGE_LINES and os.path.basename(name) not in REFERENCES:
            yield "%s: %d lines, more than %d: a page answers one question" % (name, number, PAGE_LINES)


def compile_header(root, generated, compiler, llvm, name):
    command = [compiler, "-std=gnu11", "-fsyntax-only", "-Wall", "-Wextra", "-D_GNU_SOURCE",
               "-D__CUDA_API_VERSION_INTERNAL", "-Iinclude", "-Isrc", "-I" + generated, "-x", "c", "-"]
    if llvm:
        command[1:1] = ["-isystem", llvm]
    run = subprocess.run(command, cwd=root, input='#include "%s"\n' % name[len("src/"):],
                         capture_output=True, text=True)
    return None if run.returncode == 0 else "%s: does not compile alone:\n%s" % (name, run.stderr)


def check_headers(root, generated, compiler, llvm, names):
    """Without LLVM's headers those of the compiler of kernels are left out."""
    headers = [name for name in names if re.match(r"src/.*\.h$", name)
               and os.path.isfile(os.path.join(root, name)) and (llvm or not name.startswith("src/jit/"))]
    with ThreadPoolExecutor() as pool:
        results = pool.map(lambda name: compile_header(root, generated, compiler, llvm, name), headers)
    return [result for result in results if result]


def main():
    root, generated = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    compiler = sys.argv[3] if len(sys.argv) > 3 else "cc"
    llvm = sys.argv[4] if len(sys.argv) > 4 else None
    names = files(root)
    problems = list(check_licence(root, names)) + list(check_direction(root, names)) + \
        list(check_capture(root, names)) + list(check_documents(root, names)) + \
        list(check_environment(root, names)) + \
        check_headers(root, generated, compiler, llvm, names)
    for problem in problems:
        print(problem)
    checked = len([n for n in names if n.startswith("src/")])
    if checked == 0:
        problems.append("no sources found")
    print("%d passed, %d failed" % (checked, len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
