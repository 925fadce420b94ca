#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of what works into README.md, from src/api/entrypoints.def.

The part between the two marker lines is replaced; the rest of the file is left alone.

usage: readme_status.py [--table FILE] [--check] [README]
    --check   changes nothing; exit status 1 when the file is stale
"""
import argparse
import pathlib
import sys

import entrypoints

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN = "<!-- status: made by scripts/readme_status.py, do not edit -->"
END = "<!-- end of status -->"


def chapters_of(table):
    """[(chapter, functions done, functions)], in the table's order."""
    counts = {}
    for entry in table.entries:
        if entry.is_object:
            continue
        done, total = counts.get(entry.chapter, (0, 0))
        counts[entry.chapter] = (done + (table.is_done(entry) and not table.refuses(entry)), total + 1)
    return [(chapter, done, total) for chapter, (done, total) in counts.items()]


def status_text(table):
    chapters = chapters_of(table)
    all_done = sum(done for _, done, _ in chapters)
    all_total = sum(total for _, _, total in chapters)
    lines = ["| chapter | done | of |", "|---|---:|---:|"]
    lines += [f"| {name} | {done} | {total} |" for name, done, total in chapters if done]
    lines += [f"| all chapters | {all_done} | {all_total} |", ""]
    nothing = [f"{name} ({total})" for name, done, total in chapters if not done]
    if nothing:
        lines += ["Refused throughout, because no device has it: " + ", ".join(nothing) + ".", ""]
    return "\n".join(lines)


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
    parser.add_argument("--table", default=ROOT / "src/api/entrypoints.def", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        status = status_text(entrypoints.Table(arguments.table))
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
