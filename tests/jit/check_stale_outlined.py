#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A library of outlined operations that another compiler has made is not used.

usage: check_stale_outlined.py LIBRARY_FOLDER PROGRAM TEST

The program runs with copies of the libraries whose code traps: where their functions are called, the test of the
program fails. It must fail with a copy that is otherwise the built one, and pass with a copy of another compiler.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path


def section(data, wanted):
    """The header of a section of an ELF file of 64 bits: name, type, flags, address, offset, size."""
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", data, table + size * k) for k in range(count)]
    start = headers[names][4]
    for header in headers:
        if data[start + header[0]:].split(b"\0", 1)[0] == wanted:
            return header
    sys.exit(f"no section {wanted}")


def trap(data):
    """Fills the code of the operations with instructions that trap: int3 on x86_64, zeros on aarch64."""
    byte = b"\xcc" if struct.unpack_from("<H", data, 0x12)[0] == 62 else b"\0"
    _, _, _, address, offset, _ = section(data, b".text")
    _, _, _, _, symbols, size = section(data, b".dynsym")
    names = section(data, b".dynstr")[4]
    changed = bytearray(data)
    for at in range(symbols, symbols + size, 24):
        name, _, _, _, value, length = struct.unpack_from("<IBBHQQ", data, at)
        if data.startswith(b"cup_outlined_", names + name):
            start = value - address + offset
            changed[start:start + length] = byte * length
    return bytes(changed)


def of_another(data):
    return re.sub(rb"(cupipe-jit )[0-9a-f]{8}", rb"\g<1>xxxxxxxx", data)


def run(libraries, program, test, change):
    """Whether the test passes, and the driver's log."""
    with tempfile.TemporaryDirectory() as folder:
        for path in libraries.glob("libcupipe-*.so"):
            target = Path(folder, path.name)
            if path.name.startswith("libcupipe-outlined"):
                target.write_bytes(change(path.read_bytes()))
                shutil.copymode(path, target)
            else:
                target.symlink_to(path)
        log = Path(folder, "log")
        environment = dict(os.environ, CUPIPE_JIT="first", CUPIPE_CACHE="off", CUPIPE_LOG=f"warning:{log}",
                           CUPIPE_JIT_LIBRARY=f"{folder}/libcupipe-jit.so")
        done = subprocess.run([program, test], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        return done.returncode == 0, log.read_text() if log.exists() else ""


def main():
    libraries, program, test = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    if not any(libraries.glob("libcupipe-outlined-*.so")):
        sys.exit(77)
    passes, log = run(libraries, program, test, lambda data: data)
    if not passes or "is not used" in log:
        sys.exit(f"with the library as built: passes {passes}, {log}")
    if run(libraries, program, test, trap)[0]:
        sys.exit("the library is not used at all")
    passes, log = run(libraries, program, test, lambda data: of_another(trap(data)))
    if not passes:
        sys.exit(f"the library of another compiler is used: {log}")
    if "is not used" not in log:
        sys.exit(f"the log does not say that the library is not used: {log}")


if __name__ == "__main__":
    main()
