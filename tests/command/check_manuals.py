#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Manual pages: one for each command, with the options that it has, in the language of man.

usage: check_manuals.py BUILD SOURCE CC
"""
import re
import shutil
import sys

from command import BUILD, CUPIPE, SOURCE, check, finish, run

FOLDERS = [SOURCE / "tools" / "manuals", SOURCE / "tools" / "command"]
# Not commands by themselves: what gdb loads, a link to cupipe-smi.
NO_PAGE = {"cupipe-gdb.py", "nvidia-smi"}
EXPECTED = re.compile(r"missing date")  # pages belong to a version, not to a day
PAGES = {path.stem: path for folder in FOLDERS for path in folder.glob("*.1")}


def check_every_command():
    programs = [path.name for path in (BUILD / "lib" / "bin").iterdir() if path.is_file()] + ["cupipe"]
    for name in sorted(set(programs) - NO_PAGE):
        check(name in PAGES or "cupipe-" + name in PAGES, f"{name} has a manual page")
    text = PAGES["cupipe"].read_text().replace("\\-", "-")
    code, out, _ = run(CUPIPE, "--help")
    words = set(re.findall(r"^(?:usage:)? *cupipe (\w+)", out, re.M))
    check(code == 0 and len(words) > 7, f"the subcommands: {words}")
    for word in words:
        check(re.search(r"cupipe %s\b" % word, text), f"cupipe.1 has cupipe {word}")


def check_options():
    code, out, err = run(sys.executable, SOURCE / "scripts" / "manuals.py", "--check", BUILD)
    check(code == 0, f"options: {out} {err}")


def check_language():
    for name, path in sorted(PAGES.items()):
        if shutil.which("mandoc"):
            _, out, err = run("mandoc", "-T", "lint", "-W", "warning", path)
            wrong = [line for line in (out + err).splitlines() if not EXPECTED.search(line)]
            check(not wrong, f"mandoc of {name}: {wrong}")
        if shutil.which("man"):
            code, out, err = run("man", "-l", "--warnings", path, env={"MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
            check(code == 0 and not err and "NAME" in out, f"man -l {name}: {code} {err}")


check(len(PAGES) > 9, f"pages: {sorted(PAGES)}")
check_every_command()
check_options()
check_language()
finish()
