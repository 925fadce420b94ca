#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The compilers of CUDA that the tests use: what is installed, or what the caller names.

    NVCC     one nvcc, with the toolkit around it
    CLANG    names or paths of clangs, with blanks between them
    TOOLKIT  the toolkit whose headers clang takes, if not that of nvcc

usage: compilers.py [OLDEST_CLANG]     prints the clangs, one a line
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST, NEWEST = 19, 23  # of clang: those that docs/CLANG.md lists


def nvcc():
    """The path of nvcc, or None."""
    return shutil.which(os.environ.get("NVCC") or "nvcc") or (
        None if os.environ.get("NVCC") else shutil.which("/usr/local/cuda/bin/nvcc"))


def toolkit_of(nvcc_path):
    return Path(nvcc_path).resolve().parents[1]


def clang_version(clang):
    """The number before the first point, or 0 for what does not answer."""
    answer = subprocess.run([clang, "-dumpversion"], capture_output=True, text=True, check=False).stdout
    return int(re.match(r"\d*", answer).group() or 0)


def clangs(oldest=OLDEST):
    """The paths of all clangs that are not older; the unnumbered one counts where no other has its version."""
    if os.environ.get("CLANG"):
        return [path for path in map(shutil.which, os.environ["CLANG"].split()) if path]
    found = {version: shutil.which(f"clang-{version}") for version in range(oldest, NEWEST + 1)}
    found = {version: path for version, path in found.items() if path}
    plain = shutil.which("clang")
    if plain and clang_version(plain) >= oldest:
        found.setdefault(clang_version(plain), plain)
    return [found[version] for version in sorted(found)]


if __name__ == "__main__":
    print("\n".join(clangs(int(sys.argv[1]) if len(sys.argv) > 1 else OLDEST)))
