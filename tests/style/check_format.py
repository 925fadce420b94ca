#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every C file is as .clang-format says. Versions of clang-format differ in small things: the
one of Debian 12 decides, and without it the check is skipped.

usage: check_format.py SOURCE_ROOT
"""
import shutil
import subprocess
import sys

SKIPPED = 77


def main():
    root, program = sys.argv[1], shutil.which("clang-format-14")
    if not program:
        print("clang-format-14 is not installed (scripts/install-packages test)")
        return SKIPPED
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "*.c", "*.h"],
                            capture_output=True, text=True)
    if listed.returncode != 0:
        print("not a git checkout: nothing to list the files by")
        return SKIPPED
    names = sorted(name for name in set(listed.stdout.split("\n")) if name)
    run = subprocess.run([program, "--dry-run", "-Werror", "--ferror-limit=1"] + names, cwd=root,
                         capture_output=True, text=True)
    print(run.stderr, end="")
    wrong = run.stderr.count("error: code should be clang-formatted")
    if wrong:
        print("run clang-format-14 -i on these files")
    print("%d passed, %d failed" % (len(names) - wrong, wrong))
    return 1 if run.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
