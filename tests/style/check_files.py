#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds names of files in documents and comments that do not exist, and links that lead nowhere.

usage: check_files.py SOURCE_ROOT

A name is a word such as map.c, memory/map.c or src/memory/map.c, or a path that begins with a folder of the
tree (scripts/demo, src/memory/heap*.c). It exists when a file of the tree ends with it. Names that belong to no
file of the tree stand below. In Markdown, links to other documents and to their headings are followed, too.
"""
import fnmatch
import os
import posixpath
import re
import subprocess
import sys

# What the build makes.
GENERATED = {
    "entrypoints.c", "entrypoint_names.c", "types.c", "impl.h", "procaddr_table.h", "exports.map", "fuzz_calls.h",
    "fuzz_zero_calls.h", "driver_table.c", "driver_table.h", "runtime_impl.h", "wrappers12.c", "wrappers13.c",
    "libcudart.so.12.map", "libcudart.so.13.map", "nvml_impl.h", "nvml_wrappers.c", "libnvidia-ml.map", "npp_call_fields.h",
}
# Files of a reader, in examples of what to type and of what is printed.
EXAMPLES = {
    "a.c", "a.cpp", "a.cu", "a.ptx", "b.cu", "app.cu", "app.py", "ci/cuda.supp", "expected-counts.json", "fast.cu", "squares.cu", "file.cu", "fill.cu",
    "both.json", "kernel.cu", "ours.json", "p.json", "picture.svg", "profile.json", "program.c", "program.cu", "reports.json", "sum.cu", "sums.cu", "test.py",
    "test_ops.py", "torch.json", "trace.json", "train.py", "requirements.txt", "binding.cpp",
}
# Files of other projects.
FOREIGN = {"cuComplex.h", "curand_kernel.h", "llama.cpp", "llm.c", "setup.py", "sizes.h", "tests/system", "texture_fetch_functions.h"}

ENDINGS = r"(?:c|h|cpp|cu|py|md|def|inc|in|cmake|ptx|txt|yml|json|map|svg|png|supp)"
WORD = r"(?<![\w./~$<>{}*%+:@=-])"  # not in the middle of a path, an address or an option
FILE = re.compile(WORD + r"((?:[\w.*-]+/)*[\w*-][\w.*-]*\." + ENDINGS + r")(?![\w/*-]|\.\w)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
SCRIPT_COMMENT = re.compile(r'"""(?:.*?)"""|(?:^|(?<=\s))#[^\n]*', re.S | re.M)
SKIPPED = 77
C_FILES = (".c", ".h", ".cu", ".cpp", ".inc")
SCRIPTS = (".py", ".sh", ".def", ".in", ".cmake", ".yml", ".txt", "Makefile")


def listed(root):
    run = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if run.returncode != 0:
        print("not a git checkout: nothing to list the files by")
        sys.exit(SKIPPED)
    return [name for name in run.stdout.split("\n") if name and os.path.isfile(os.path.join(root, name))]


class Tree:
    """The files of the tree, by every path that ends at one."""

    def __init__(self, names):
        self.names = set(names)
        self.endings, self.folders, self.wild = set(), set(), {}
        for name in names:
            parts = name.split("/")
            for first in range(len(parts)):
                self.endings.add("/".join(parts[first:]))
                for last in range(first + 1, len(parts)):
                    self.folders.add("/".join(parts[first:last]))
        self.top = sorted({name.split("/")[0] for name in names if "/" in name})

    def has(self, name):
        if "*" in name:
            if name not in self.wild:
                self.wild[name] = any(fnmatch.fnmatch(ending, name) for ending in self.endings)
            return self.wild[name]
        return name in self.endings or name in self.folders


def paragraphs(name, text):
    """(offset, text) of what is said to people: a document whole, of a source its comments."""
    if name.endswith(".md"):
        yield 0, text
    elif name.endswith(C_FILES):
        yield from ((match.start(), match[0]) for match in COMMENT.finditer(text) if match[0][0] == "/")
    elif name.endswith(SCRIPTS) or text.startswith("#!"):
        yield from ((match.start(), match[0]) for match in SCRIPT_COMMENT.finditer(text))


def is_known(tree, word):
    base = posixpath.basename(word)
    return (word.startswith(("build/", "../")) or base in GENERATED or word in EXAMPLES or word in FOREIGN
            or any(part.isupper() for part in re.split(r"[_.]", base)[:-1])  # FILE.png, check_NAME.py
            or tree.has(word))


def words_of(tree, text):
    for match in FILE.finditer(text):
        yield match.start(), match[1]
    path = WORD + r"((?:%s)/[\w./*-]*[\w*])" % "|".join(re.escape(top) for top in tree.top)
    for match in re.finditer(path, text):
        yield match.start(), match[1]


def headings(text):
    """The anchors of a document, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    for title in re.findall(r"^#+ (.*)$", text, re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def check_links(root, name, text):
    for match in LINK.finditer(text):
        path, _, anchor = match[1].partition("#")
        if "://" in path or path.startswith("mailto:"):
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        if not os.path.exists(os.path.join(root, target)):
            yield match.start(), "the link leads to %s, which does not exist" % target
        elif anchor and target.endswith(".md") and anchor not in headings(open(os.path.join(root, target)).read()):
            yield match.start(), "%s has no heading #%s" % (target, anchor)


def check(root, tree, name):
    text = open(os.path.join(root, name), encoding="utf-8", errors="replace").read()
    found = {}
    for offset, paragraph in paragraphs(name, text):
        for inner, word in words_of(tree, paragraph):
            if not is_known(tree, word):
                found[text.count("\n", 0, offset + inner) + 1, "%s does not exist" % word] = True
    if name.endswith(".md"):
        for offset, problem in check_links(root, name, text):
            found[text.count("\n", 0, offset) + 1, problem] = True
    return ["%s:%d: %s" % (name, line, problem) for line, problem in sorted(found)]


def check_itself():
    """A name and a link that lead nowhere are found; what exists and what is listed above is not."""
    tree = Tree(["src/exec/grid.c", "scripts/demo"])
    text = "grid.c, exec/grid.c, src/exec/*.c, scripts/demo, impl.h, a.cu, FILE.png; jit/grid.c, none.h, scripts/none"
    wrong = sorted({word for _, word in words_of(tree, text) if not is_known(tree, word)})
    if wrong != ["jit/grid.c", "none.h", "scripts/none"]:
        yield "check_files.py: takes %s for the names that do not exist" % wrong


def main():
    root = os.path.abspath(sys.argv[1])
    names = listed(root)
    tree = Tree(names)
    problems = list(check_itself())
    problems += [problem for name in sorted(names) for problem in check(root, tree, name)]
    for problem in problems:
        print(problem)
    if "README.md" not in tree.names:
        problems.append("no tree found")
    print("%d files read, %d problems" % (len(names), len(problems)))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
