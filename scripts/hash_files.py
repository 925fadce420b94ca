#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a header that defines NAME as a string: a hash of the contents of files, the same wherever they lie.

usage: hash_files.py HEADER NAME FILE...
"""
import hashlib
import os
import sys


def main():
    header, name, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    whole = hashlib.sha256()
    for path in sorted(files, key=os.path.basename):
        with open(path, "rb") as file:
            whole.update(os.path.basename(path).encode() + b"\0" + hashlib.sha256(file.read()).digest())
    with open(header, "w", encoding="utf-8") as file:
        file.write(f'#define {name} "{whole.hexdigest()[:32]}"\n')


if __name__ == "__main__":
    main()
