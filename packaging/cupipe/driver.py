# SPDX-License-Identifier: MIT
"""Whether the driver of this process is cupipe's: what the modules ask first that packages call by their entry points."""
import ctypes
import os

_MARK = os.path.join("torch", "include", "cupipe.h")  # lies beside every libcuda.so.1 of cupipe


def folder_of(name, symbol):
    """The folder of a library that the process has loaded by this name; None: it has not."""
    class Info(ctypes.Structure):
        _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                    ("address", ctypes.c_void_p)]
    try:
        library = ctypes.CDLL(name, mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        address = ctypes.cast(getattr(library, symbol), ctypes.c_void_p)
        info = Info()
        if not ctypes.CDLL(None).dladdr(address, ctypes.byref(info)):
            return None
        return os.path.dirname(os.fsdecode(info.file))
    except (OSError, AttributeError):
        return None


def is_ours(folder):
    return folder is not None and os.path.exists(os.path.join(folder, _MARK))


def folder():
    """The folder of cupipe's driver, if it is the driver of this process; else None. If none is loaded, the loader will
    take the first in LD_LIBRARY_PATH."""
    found = folder_of("libcuda.so.1", "cuInit")
    if found is None:
        for each in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
            if each and os.path.exists(os.path.join(each, "libcuda.so.1")):
                found = each
                break
    return found if is_ours(found) else None
