# SPDX-License-Identifier: MIT
"""cupipe: CUDA without a GPU.

The command `cupipe run python app.py` runs a whole program on it. To switch to it from within a program, before
anything else is imported that loads CUDA:

    import cupipe
    cupipe.enable(devices=2)
"""
import ctypes
import importlib.metadata
import os
import shlex
import subprocess
import sys
from pathlib import Path

from cupipe import folders

__all__ = ["enable", "command", "include_folder", "library_folder"]

_loaded = []


def __getattr__(name):
    """__version__, which stands beside the module, where pip or the installation wrote it."""
    if name != "__version__":
        raise AttributeError(f"module 'cupipe' has no attribute '{name}'")
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for found in importlib.metadata.distributions(name="cupipe", path=[beside]):
        return found.version
    raise AttributeError(f"'cupipe' has no version: there is no cupipe-*.dist-info in {beside}")


def command():
    """The path of the command cupipe."""
    return folders.COMMAND


def library_folder():
    """The folder of libcuda.so.1 and the other libraries."""
    return folders.LIBRARY


def include_folder():
    """The folder of cuda.h and the other headers."""
    return folders.INCLUDE


def _libraries():
    """The libraries that take the place of NVIDIA's, but for those that stand in front of NVIDIA's; newer versions first."""
    def key(path):
        name, _, version = path.name.partition(".so.")
        return name, -int(version.partition(".")[0] or 0)
    return sorted(Path(library_folder()).glob("lib*.so.*"), key=key)


def _others():
    """Libraries of the same names that the process has loaded from elsewhere."""
    files = _libraries() + list((Path(library_folder()) / "cubin").glob("lib*.so.*"))
    names = tuple({path.name.partition(".so.")[0] + ".so" for path in files})
    with open("/proc/self/maps") as maps:
        paths = {fields[5].strip() for fields in (line.split(None, 5) for line in maps) if len(fields) == 6}
    return sorted(path for path in paths
                  if os.path.basename(path).startswith(names) and not path.startswith(library_folder() + os.sep))


def _set_variables(settings):
    """Sets what `cupipe run` would set: for libcuda, for packages that read it, and for programs that are started."""
    options = [word for name, value in settings.items() for word in ("--" + name.replace("_", "-"), str(value))]
    python = f"--python={sys.executable}" if sys.executable else "--python"
    result = subprocess.run([command(), "env", python, *options], capture_output=True, text=True)
    if result.returncode:
        raise ValueError(result.stderr.strip() or "cupipe env failed")
    for word in shlex.split(result.stdout):
        name, equals, value = word.partition("=")
        if equals:
            os.environ[name] = value


def _for_compilers():
    """The libraries that stand in front of NVIDIA's, but for those of CUDA 13 in an environment of CUDA 12."""
    folder = Path(library_folder()) / "cubin"
    preloaded = [Path(word) for word in os.environ.get("LD_PRELOAD", "").split(":")]
    return [path for path in preloaded if path.parent == folder] or sorted(folder.glob("*.so.*"))


def enable(**settings):
    """Makes this process, and those that it starts, find cupipe's libraries in place of NVIDIA's.

    Settings are the options of `cupipe run`, such as devices=2, gpu="a100", memory="8G", check="memory,leaks". The
    loader knows a loaded library by its name, so whoever opens libcuda.so.1 afterwards gets the one loaded here. Packages
    that have copies of NVIDIA's under names of their own are bound to these all the same: they are in the scope of all,
    as preloaded ones are. A second call changes nothing that libcuda has read already. Raises RuntimeError if one of
    NVIDIA's is loaded.
    """
    others = [] if _loaded else _others()
    if others:
        raise RuntimeError("call cupipe.enable() before anything loads CUDA; loaded already: " + ", ".join(others))
    _set_variables(settings)
    if not _loaded:
        folder = Path(library_folder())
        for path in _libraries() + _for_compilers() + sorted(folder.glob("alias/*.so")):
            _loaded.append(ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL))
