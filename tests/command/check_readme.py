#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What README.md shows is so: its program prints what is said under each schedule, and its commands exist.

usage: check_readme.py BUILD SOURCE CC
"""
import re

from command import LIBRARY, SOURCE, check, compile_c, cupipe, finish, run

TRIES = 5  # pending work also runs when the process was not scheduled for 100 ms
LINES = 150

readme = (SOURCE / "README.md").read_text()
check(readme.count("\n") <= LINES, f"README.md has {readme.count(chr(10))} lines, more than {LINES}")

source = re.search(r"^```c\n(.*?)^```", readme, re.S | re.M)[1]
session = re.findall(r"^    \$ (?:(CUPIPE_SCHEDULE)=(\S+) )?\./forgets.*\n    (\d+)$", readme, re.M)
check(len(session) == 4, f"four runs are shown: {session}")
options = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lcuda"]


def prints(program, name, value, wanted):
    """Whether the program prints it, and says with its exit code whether it is 42."""
    for _ in range(TRIES):
        code, out, _ = run(program, env={name: value} if name else None)
        if (code, out) == (int(wanted != "42"), wanted + "\n"):
            return True
    return False


forgets = compile_c("forgets", source, *options)
for name, value, wanted in session:
    check(prints(forgets, name, value, wanted), f"with {value or 'no schedule'} the program prints {wanted}")
mended = source.replace("/* cuStreamSynchronize(stream) is missing */", "cuStreamSynchronize(stream);")
check(mended != source, "the program says which call is missing")
waits = compile_c("waits", mended, *options)
for name, value, _ in session:
    check(prints(waits, name, value, "42"), f"with the call and {value or 'no schedule'} it prints 42")

_, usage, _ = cupipe("--help")
targets = set(re.findall(r"^([a-z-]+):", (SOURCE / "Makefile").read_text(), re.M))
for text in (readme, (SOURCE / "docs/INSTALL.md").read_text()):
    for words in re.findall(r"\bcupipe ((?:run|doctor|info|smi|trace)\b[^\n`|&#]*)", text):
        for word in [f"cupipe {words.split()[0]}", *re.findall(r"--[a-z]+", words)]:
            check(word in usage, f"`{word}` is in cupipe --help")
    for target in re.findall(r"(?:^    |`)make ([a-z-]+)", text, re.M):
        check(target in targets, f"`make {target}` exists")
finish()
