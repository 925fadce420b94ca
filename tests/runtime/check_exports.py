#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a libcudart exports the names of its table under its version node, and nothing else.

usage: check_exports.py LIBRARY MAP NM
"""
import re
import subprocess
import sys

library, version_script, nm = sys.argv[1:4]
text = open(version_script).read()
node = text.split()[0]
wanted = set(re.findall(r"^    (\w+);$", text, flags=re.M))
listing = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
found = {}
for line in listing.splitlines():
    address, kind, name = line.split()
    base, _, version = name.partition("@")
    if kind == "T":
        found[base] = version.lstrip("@")
problems = [f"{name} is not exported" for name in sorted(wanted - set(found))]
problems += [f"{name} is exported and not in the table" for name in sorted(set(found) - wanted)]
problems += [f"{name} has the version {v or 'none'}, not {node}" for name, v in sorted(found.items()) if v != node]
print("\n".join(problems) or f"{len(found)} names, all of version {node}")
sys.exit(1 if problems else 0)
