#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library copies the texts of its configuration: what a program does to the memory of its
environment after cuInit has no effect. Each case starts changed_environment, which overwrites the
values, and looks for what the library writes.

usage: check_changed.py CHANGED_ENVIRONMENT
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

KEPT = ("PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS")
# Variable, its value ({} is a folder of the case's own), other variables, and what must be in the folder then.
CASES = [
    ("CUPIPE_PROFILE", "{}/profile.json", [], "profile.json"),
    ("CUPIPE_TRACE", "{}/trace.json", [], "trace.json"),
    ("CUPIPE_DUMP", "{}/dump", [], "dump/nothing.*.ll"),
    ("CUPIPE_CACHE", "{}/cache", [], "cache/*"),
    ("CUPIPE_LOG", "debug:{}/log", [], "log"),
    ("CUPIPE_CHECK_JSON", "{}/reports.json", ["CUPIPE_CHECK=leaks"], "reports.json"),
]


def run(folder, variable, value, others):
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment["CUPIPE_CACHE"] = "off"
    settings = others + ["%s=%s" % (variable, value.format(folder))]
    return subprocess.run([sys.argv[1], *settings], cwd=folder, env=environment, capture_output=True, text=True)


def main():
    failed = 0
    for number, (variable, value, others, pattern) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, variable, value, others)
            good = done.returncode == 0 and list(Path(folder).glob(pattern))
            wrong = [path.name for path in Path(folder).iterdir() if "xxx" in path.name]
            print("%s %d - %s is copied" % ("ok" if good and not wrong else "not ok", number, variable))
            if not good or wrong:
                failed += 1
                print("# exit code %d, wrong files %s, found %s\n# %s" % (
                    done.returncode, wrong, os.listdir(folder), done.stderr.replace("\n", "\n# ")))
    print("1..%d" % len(CASES))
    return 1 if failed else 0


sys.exit(main())
