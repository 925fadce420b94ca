#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The driver takes no compiler of kernels of another build, and says so.

usage: check_other_build.py LIBRARY_FOLDER PROGRAM TEST

The test of the program, which launches a kernel, passes with a copy of the compiler, and fails with a copy that says that
its interface is another one.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def run(libraries, program, test, change):
    """Whether the test passes, and the driver's log."""
    with tempfile.TemporaryDirectory() as folder:
        for path in libraries.glob("libcupipe-*.so"):
            Path(folder, path.name).symlink_to(path)
        compiler = Path(folder, "libcupipe-jit.so")
        compiler.unlink()
        compiler.write_bytes(change((libraries / compiler.name).read_bytes()))
        log = Path(folder, "log")
        environment = dict(os.environ, CUPIPE_CACHE="off", CUPIPE_LOG=f"error:{log}", CUPIPE_JIT_LIBRARY=str(compiler))
        done = subprocess.run([program, test], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode < 0:
            sys.exit(f"the program ends by a signal: {done.stdout.decode()}")
        return done.returncode == 0, log.read_text() if log.exists() else ""


def main():
    libraries, program, test = Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    passes, log = run(libraries, program, test, lambda data: data)
    if not passes:
        sys.exit(f"a copy of the compiler is not used: {log}")
    passes, log = run(libraries, program, test,
                      lambda data: re.sub(rb"(cupipe-jit interface )[0-9a-f]{8}", rb"\g<1>xxxxxxxx", data))
    if passes:
        sys.exit("the compiler of another build is used")
    if "is of another build of cupipe" not in log:
        sys.exit(f"the log does not say that the compiler is of another build: {log}")


if __name__ == "__main__":
    main()
