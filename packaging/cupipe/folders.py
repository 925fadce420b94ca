# SPDX-License-Identifier: MIT
"""Where the parts of this cupipe lie. The module is found in three places: in a wheel, which has a prefix inside the
module; below the libraries of an installation, in lib/cupipe/python; and in a build tree, in lib/python."""
import os

_HERE = os.path.dirname(os.path.abspath(__file__))


def _first(paths):
    """The first path that exists; the last one if none does, so that messages name a path."""
    for path in paths:
        path = os.path.normpath(path)
        if os.path.exists(path):
            break
    return path


def _library():
    return os.path.dirname(_first([os.path.join(_HERE, "../../libcuda.so.1"), os.path.join(_HERE, "lib/cupipe/libcuda.so.1")]))


LIBRARY = _library()
COMMAND = _first([os.path.join(LIBRARY, above, "bin/cupipe") for above in ("../..", "..")])
INCLUDE = _first([os.path.join(LIBRARY, above) for above in ("../../include/cupipe", "torch/include")])


def cache():
    """The folder of compiled code, as libcuda finds it; None: there is to be none."""
    asked = os.environ.get("CUPIPE_CACHE", "")
    if asked == "off":
        return None
    for folder, below in ((asked, ""), (os.environ.get("XDG_CACHE_HOME", ""), "cupipe"),
                          (os.environ.get("HOME", ""), ".cache/cupipe")):
        if folder.startswith("/") or folder and folder == asked:
            return os.path.join(folder, below)
    return None
