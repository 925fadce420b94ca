#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs entries of a database of torch.testing for a dtype, one after another, and writes a line for each.

usage: worker.py KIND DTYPE FILE [--only REGEX] [--samples N] [--checks WORDS] [--no-gradient] [--seconds N] [--part K/N]
KIND is operators, foreach, sparse, modules or optimizers. A line of FILE is JSON: {"begin": INDEX, "name": …} before an
entry, {"index", "name", "result", "checks", "reasons"} behind it, so that a crash is known by the line that is missing.
FILE is NAME.jsonl, or NAME.K.jsonl for the K-th of N parts, which has every N-th entry. Entries that one of the files of a
NAME has are not run again.
Results: passed, failed, time (it took too long), absent (CUDA does not have the dtype).
"""
import argparse
import glob
import importlib
import json
import os
import re
import signal
import sys
import warnings

MODULES = {"operators": "operators", "foreach": "operators", "sparse": "operators", "modules": "modules", "optimizers": "optimizers"}
FATAL = re.compile("device-side assert|illegal memory|misaligned|launch failure|unspecified launch")    # the context is lost: the process cannot go on


class OutOfTime(BaseException):
    """Not an Exception, so that no check takes it for the answer of a kernel."""


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kind", choices=MODULES)
    parser.add_argument("dtype")
    parser.add_argument("file")
    parser.add_argument("--only", default="")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--checks", default="inplace,out,strides,errors")
    parser.add_argument("--no-gradient", dest="gradient", action="store_false")
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--part", default="0/1")
    return parser.parse_args()


def done(path):
    """The entries that the files of this database have."""
    found = set()
    for each in glob.glob(glob.escape(re.sub(r"(\.\d+)?\.jsonl$", "", path)) + "*.jsonl"):
        with open(each) as file:
            found |= set(map(int, re.findall(r'^\{"index": (\d+)', file.read(), re.M)))
    return found


def stop(*_):
    raise OutOfTime


def run_entry(module, entry, dtype, options):
    import torch
    if not module.applies(entry, dtype):
        return {"result": "absent"}
    reasons, checks, result = [], 0, "passed"
    signal.alarm(options.seconds)
    try:
        torch.manual_seed(0)
        for reason in module.check(options.kind, entry, dtype, options):
            checks += 1
            if reason:
                reasons.append(reason)
        torch.cuda.synchronize()
    except OutOfTime:
        result = "time"
    except Exception as error:    # of the database itself, or an error that came late
        reasons.append(f"{type(error).__name__}: {str(error).splitlines()[0][:160] if str(error) else ''}")
    finally:
        signal.alarm(0)
    if reasons:
        result = "failed"
    elif not checks and result == "passed":
        result = "absent"    # there are no samples
    return {"result": result, "checks": checks, "reasons": reasons[:4], "failures": len(reasons)}


def main():
    options = parse()
    warnings.filterwarnings("ignore")
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import torch
    module = importlib.import_module(MODULES[options.kind])
    dtype = getattr(torch, options.dtype)
    signal.signal(signal.SIGALRM, stop)
    entries = module.entries(options.kind)
    known = done(options.file)
    with open(options.file, "a") as file:
        def write(line):
            file.write(json.dumps(line) + "\n")
            file.flush()
        part, parts = map(int, options.part.split("/"))
        for index in range(part, len(entries), parts):
            name = module.name_of(entries[index])
            if index in known or not re.search(options.only, name):
                continue
            write({"begin": index, "name": name})
            line = run_entry(module, entries[index], dtype, options)
            write({"index": index, "name": name, **line})
            if any(FATAL.search(reason) for reason in line.get("reasons", [])):
                return 3    # the driver goes on with the next entry in a new process
    return 0


if __name__ == "__main__":
    sys.exit(main())
