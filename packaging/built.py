# SPDX-License-Identifier: MIT
"""What the makers of packages ask about a build and its files."""
import argparse
import re
from pathlib import Path

MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF


def is_elf(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def machine_of(path):
    """The kind of machine that an ELF file is for."""
    with path.open("rb") as file:
        number = int.from_bytes(file.read(20)[18:20], "little")
    if number not in MACHINES:
        raise SystemExit(f"{path}: made for machine {number} of ELF; packages are for {', '.join(MACHINES.values())}")
    return MACHINES[number]


def version_of(build):
    """The version in project() of the tree that the build is of."""
    cache = build / "CMakeCache.txt"
    if not cache.exists():
        raise SystemExit(f"{build} is not a build of cupipe, it has no CMakeCache.txt: run make, or cmake --preset release")
    return re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.+)$", cache.read_text(), re.M).group(1)


def arguments(usage):
    """What makers of packages are given: --fast, the build, and the folder for packages, which is made."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    return options
