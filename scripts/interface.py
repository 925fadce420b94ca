#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes CUPIPE_INTERFACE in include/cupipe.h: a hash of what the driver's private tables are declared as.

usage: interface.py           writes it
       interface.py --check   fails if another is there

Comments and spaces do not count.
"""
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "cupipe.h"
DECLARED = [HEADER, ROOT / "src" / "device" / "monitor.h"]
LINE = re.compile(r'^#define CUPIPE_INTERFACE "([0-9a-f]*)"$', re.MULTILINE)


def tokens(text):
    """The text without comments, its words apart by one space."""
    text = re.sub(r"/\*.*?\*/", " ", LINE.sub("", text), flags=re.DOTALL).replace("\\\n", " ")
    return " ".join(re.findall(r"\w+|[^\w\s]", text))


def interface():
    whole = hashlib.sha256()
    for path in DECLARED:
        whole.update(tokens(path.read_text()).encode() + b"\n")
    return whole.hexdigest()[:16]


def main():
    text, wanted = HEADER.read_text(), interface()
    found = LINE.search(text)
    if not found:
        sys.exit(f"{HEADER} does not define CUPIPE_INTERFACE")
    if found.group(1) == wanted:
        return
    if sys.argv[1:] == ["--check"]:
        sys.exit("the private tables are declared otherwise than CUPIPE_INTERFACE says: run scripts/interface.py")
    HEADER.write_text(LINE.sub(f'#define CUPIPE_INTERFACE "{wanted}"', text))


if __name__ == "__main__":
    main()
