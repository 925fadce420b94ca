#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that every function whose name ends in _locked asserts that its lock is held.

usage: check_locked.py SOURCE_ROOT

The body calls cup_lock_assert_held (core/lock.h), cup_mutex_assert_held (os/mutex.h), or an assert_held
of its own file for a lock of another kind.
"""
import os
import re
import sys

FOLDERS = ["codec", "layers", "nvml", "runtime", "src", "tools"]
DEFINITION = re.compile(r"^\w[^;{}#]*?\b(\w+_locked)\([^;{}]*\)\s*\{(.*?)^\}", re.M | re.S)


def functions(root):
    """(file, name, body) of each such function"""
    for top in FOLDERS:
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if not name.endswith((".c", ".h")):
                    continue
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
                for match in DEFINITION.finditer(text):
                    yield os.path.relpath(path, root), match.group(1), match.group(2)


def main():
    checked = failed = 0
    for path, name, body in functions(sys.argv[1]):
        checked += 1
        if not re.search(r"\b(cup_(lock|mutex)_)?assert_held\(", body):
            print("%s: %s does not assert that its lock is held: begin with cup_lock_assert_held(&lock), or leave "
                  "_locked away if it needs no lock" % (path, name))
            failed += 1
    print("%d passed, %d failed" % (checked - failed, failed))
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
