# SPDX-License-Identifier: MIT
"""Programs in processes of their own, under variables of their own.

To import torch takes seconds. So one process imports it and uses no CUDA; for each program it forks, and the child, which
has a driver of its own, sets the variables and runs the program. Nor does it end as Python does, which frees all objects
first: in a child that takes as long as the import.
"""
import atexit
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import traceback

_server = None


def _start():
    global _server
    _server = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(_end)


def _end():
    _server.stdin.close()
    _server.wait()


def run(program, frees_objects=False, **variables):
    """Runs a program of Python; returns its exit code and what it printed, errors included. With frees_objects the process
    ends as Python does."""
    if _server is None:
        _start()
    with tempfile.NamedTemporaryFile("r", prefix="cupipe-program-", errors="replace") as output:
        _server.stdin.write(json.dumps([program, frees_objects, variables, output.name]) + "\n")
        _server.stdin.flush()
        answer = _server.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process that runs programs has ended with {_server.wait()}")
        return int(answer), output.read()


def _become(program, frees_objects, variables, output):
    """The child: prints into the file and runs the program as the main one."""
    file = os.open(output, os.O_WRONLY | os.O_APPEND)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.environ.update(variables)
    code = 0
    try:
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    except Exception:
        traceback.print_exc()
        code = 1
    if frees_objects:
        sys.exit(code)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    ctypes.CDLL(None).exit(code)


def _serve():
    import torch._dynamo, torch._meta_registrations  # noqa: F401,E401: Meta kernels of late work import these
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            return _become(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _serve()
