#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/pictures: the pictures of the tools are drawn from what they show.

usage: check_pictures.py BUILD SOURCE CC
"""
import sys
from xml.etree import ElementTree

from command import BUILD, FOLDER, SOURCE, check, finish, run


def texts(name, kind="text"):
    """What stands in a picture, or, of the kind title, what its parts are called."""
    root = ElementTree.parse(FOLDER / name).getroot()
    check(root.tag.endswith("svg"), f"{name} is SVG: {root.tag}")
    return [element.text for element in root.iter() if element.tag.endswith(kind)]


if not (BUILD / "examples" / "julia").exists():
    print("the examples are not built")
    sys.exit(77)
code, _, err = run(SOURCE / "scripts" / "pictures", BUILD, FOLDER)
check(code == 0, f"pictures: {code} {err}")
if code == 0:
    found = texts("trace.svg")
    check(sum("stream" in text for text in found) == 2, f"two streams: {found}")
    found = texts("trace.svg", "title")
    check(sum(title.startswith("copy") for title in found) == 6, f"three copies of each: {found}")
    found = texts("smi.svg")
    check(sum("examples/julia" in text for text in found) == 2, f"two programs: {found}")
    check(len({len(text) for text in found if text[0] in "|+"}) == 1, f"lines of a length: {found}")
finish()
