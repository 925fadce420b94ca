# SPDX-License-Identifier: MIT
"""The shared objects for versions of PyTorch: which are ready, which were compiled before, and compiling another one.

Ready ones lie in the folder torch beside the libraries. One that is compiled at first use is kept in the folder torch of
the cache, under a name with the digest of all that it was made of.
"""
import contextlib
import fcntl
import hashlib
import os
import platform
import re
import stat
import sys
import tempfile
import time

from cupipe import folders
from cupipe.torch_build import (BuildError, Torch, build as _build, describe_compiler, find_compiler, hash_sources,
                                list_sources, object_name)

__all__ = ["BuildError", "build", "describe", "find", "is_ready", "ready_versions"]

FOLDER = os.path.join(folders.LIBRARY, "torch")
SOURCE = os.path.join(FOLDER, "source")
INCLUDE = os.path.join(FOLDER, "include")


def describe(torch):
    """The version and folders of the torch that is imported."""
    return Torch(os.path.dirname(os.path.abspath(torch.__file__)))


def ready_versions():
    """The minor versions that have an object: ["2.14", "2.15"]."""
    names = os.listdir(FOLDER) if os.path.isdir(FOLDER) else []
    found = [re.fullmatch(r"libcupipe-torch-(\d+)\.(\d+)\.so", name) for name in names]
    return ["%d.%d" % pair for pair in sorted((int(each.group(1)), int(each.group(2))) for each in found if each)]


def _is_private(path):
    """Code that others could have written is not loaded."""
    status = os.stat(path)
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _kept_folder(create):
    """The folder of compiled objects; without a cache that can be written, one in the folder of temporary files."""
    cache = folders.cache()
    candidates = [os.path.join(cache, "torch")] if cache else []
    candidates.append(os.path.join(tempfile.gettempdir(), f"cupipe-{os.geteuid()}", "torch"))
    for folder in candidates:
        with contextlib.suppress(OSError):
            if create:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            if _is_private(folder) and _is_private(os.path.dirname(folder)) and (not create or os.access(folder, os.W_OK)):
                return folder
    if create:
        raise BuildError(f"there is no folder to keep what is compiled: neither of {', '.join(candidates)} can be written "
                         "and belongs to you alone; name one in CUPIPE_CACHE")
    return None


def _digest(*words):
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]


def _kept_name(torch):
    """The beginning of the name; the compiler follows."""
    key = _digest(torch.version, torch.git, torch.cuda or "", platform.machine(), hash_sources(SOURCE, INCLUDE))
    return f"libcupipe-torch-{torch.version}-{key}"


def is_ready(path):
    """Whether it is one that came with cupipe."""
    return os.path.dirname(path) == FOLDER


def find(torch):
    """The path of an object for this version: one that was compiled before, or a ready one; None: there is none."""
    kept = _find_kept(torch)
    ready = os.path.join(FOLDER, object_name(torch))
    return kept or (ready if torch.is_release and os.path.exists(ready) else None)


def _find_kept(torch):
    folder = _kept_folder(create=False)
    if not folder or not os.path.isdir(SOURCE):
        return None
    name = _kept_name(torch)
    kept = sorted(each for each in os.listdir(folder) if each.startswith(name + "-") and each.endswith(".so"))
    return os.path.join(folder, kept[-1]) if kept and _is_private(os.path.join(folder, kept[-1])) else None


def _tell(text):
    print(f"cupipe: {text}", file=sys.stderr, flush=True)


def _explain(error):
    ready = ready_versions()
    versions = f", or install a PyTorch that needs none: {', '.join(ready)}" if ready else ""
    return BuildError(f"its operators have to be compiled once, and {error}{versions}")


def _jobs():
    """As many compilers at once as there are processors, and memory: each takes up to 1.3 GB."""
    with open("/proc/meminfo", encoding="ascii") as file:
        available_kb = int(re.search(r"^MemAvailable: +(\d+)", file.read(), re.M).group(1))
    return max(1, min(len(os.sched_getaffinity(0)), available_kb // 1300000))


def _estimate():
    """How long it takes, roughly, on a processor of 2023: the common headers, then each source."""
    return 10 * round((20 + 4 * len(list_sources(SOURCE)) / _jobs()) / 10)


def build(torch):
    """Compiles the object, once: another process that comes to the same waits for the first. Returns its path."""
    if not os.path.isdir(SOURCE):
        raise BuildError(f"this cupipe comes without the sources of its operators ({SOURCE})")
    try:
        compiler = find_compiler()
        description = describe_compiler(compiler)
    except BuildError as error:
        raise _explain(error) from None
    folder = _kept_folder(create=True)
    name = _kept_name(torch)
    path = os.path.join(folder, f"{name}-{_digest(description)[:8]}.so")
    with open(os.path.join(folder, name + ".lock"), "w", encoding="utf-8") as lock:
        _wait(lock, torch)
        if os.path.exists(path):
            return path
        _tell(f"compiling the operators for PyTorch {torch.version} with {' '.join(compiler)}, once: about {_estimate()} s")
        start = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="cupipe-torch-") as work:
            _build(torch, SOURCE, [INCLUDE], path, work, _jobs(), compiler)
        _tell(f"compiled in {time.monotonic() - start:.0f} s; kept as {path}")
    return path


def _wait(lock, torch):
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        _tell(f"waiting for another process, which compiles the operators for PyTorch {torch.version}")
        fcntl.flock(lock, fcntl.LOCK_EX)
