#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes how many functions work into README.md, from the tables of the driver, the runtime and NVML.

The part between the two marker lines is replaced; the rest of the file is left alone.

usage: readme_status.py [--root DIR] [--check] [README]
    --check   changes nothing; exit status 1 when the file is stale
"""
import argparse
import pathlib
import sys
import textwrap

import entrypoints
import nvml
import runtime

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN = "<!-- status: made by scripts/readme_status.py, do not edit -->"
END = "<!-- end of status -->"
COLUMNS = 100


def runtime_count(table, version):
    own = [entry for entry in table.entries if version in entry.versions]
    return f"{sum(table.is_done(e) and not table.refuses(e) for e in own)} of {len(own)}"


def status_text(root):
    driver = entrypoints.Table(root / "src/api/entrypoints.def")
    functions = [entry for entry in driver.entries if not entry.is_object]
    done, refusing, missing = driver.counts(functions)
    monitor, cudart = nvml.Table(root), runtime.Table(root)
    newest = entrypoints.version_text(max(entry.since for entry in driver.entries))
    text = (f"Of the {len(functions)} functions of the CUDA {newest} driver, {done} work. {refusing} always refuse, because "
            "what they are about (32-bit addresses, VDPAU, EGL streams and the like) does not exist here "
            "([list](docs/API-COVERAGE.md)). "
            + (f"{missing} are missing. " if missing else "")
            + f"The runtime has {runtime_count(cudart, '13')} ([list](docs/RUNTIME-COVERAGE.md)), NVML "
            f"{sum(monitor.works(e) for e in monitor.entries)} of {len(monitor.entries)} ([list](docs/NVML-COVERAGE.md)).")
    return "\n".join(textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False))


def replaced(text, status):
    """The file with the status between its markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"the lines `{BEGIN}` and `{END}` are wanted, in this order")
    return f"{before}{BEGIN}\n{status}\n{END}{after}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("readme", nargs="?", default=ROOT / "README.md", type=pathlib.Path)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        status = status_text(arguments.root)
    except entrypoints.TableError as error:
        raise SystemExit(str(error)) from error
    text = arguments.readme.read_text()
    wanted = replaced(text, status)
    if wanted == text:
        return 0
    if arguments.check:
        print(f"{arguments.readme} is stale: run scripts/readme_status.py", file=sys.stderr)
        return 1
    arguments.readme.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
