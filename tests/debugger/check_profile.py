# SPDX-License-Identifier: MIT
"""The profile: exact counts of kernels whose work is known, the same with any number of workers.

usage: check_profile.py PROGRAM CUPIPE FOLDER
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM, CUPIPE, FOLDER = sys.argv[1:4]
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("not ok:", text)


def command(*words, **settings):
    result = subprocess.run([CUPIPE, *words], capture_output=True, text=True, timeout=120,
                            env={**os.environ, **settings})
    return result.returncode, result.stdout, result.stderr


def counts(kernel, **settings):
    """What cupipe profile --counts says of one run of the kernel."""
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/profile.json"
        code, _, error = command("run", "--profile", file, PROGRAM, f"{FOLDER}/profile.ptx", kernel,
                                 CUPIPE_CACHE=f"{folder}/cache", **settings)
        check(code == 0, f"{kernel} runs: {error}")
        code, text, error = command("profile", file, "--counts")
        check(code == 0, f"profile --counts: {error}")
        table = command("profile", file)[1]
        check(kernel in table and "lanes on" in table, f"the table: {table}")
        lines = command("profile", file, "--lines", kernel)[1]
        return json.loads(text), lines


# 2 blocks of 32 threads: 2 warps.
found, lines = counts("strided")
check(found["launches"] == 1 and found["blocks"] == 2 and found["threads"] == 64, f"the launch: {found}")
check(found["instructions"] == 2 * 8 and found["lanes_on"] == 1, f"instructions of 2 warps: {found}")
check(found["bytes_loaded"] == 64 * 4 and found["bytes_stored"] == 64 * 4, f"bytes: {found}")
check(found["sectors"] == 2 * 4 + 2 * 4, f"neighbouring words are 4 sectors: {found}")
check("ld.global.u32" in lines and "8" in lines, f"the text with counts: {lines}")

# The product is computed with the sum, as one operation, but both are instructions of the program.
found, lines = counts("products")
check(found["instructions"] == 2 * 9 and found["bytes_stored"] == 64 * 4 and "mul.f32" in lines, f"products: {found}, {lines}")

found, _ = counts("branches")
# 6 instructions of all lanes, 2 of the lanes below 8, and those lanes and the others return one after the other.
check(found["instructions"] == 2 * 10 and found["lanes_on"] == round((6 * 32 + 2 * 8 + 32) / (10 * 32), 4),
      f"divergence: {found}")

found, _ = counts("banks")
check(found["shared_accesses"] == 2 * 2 and found["shared_passes"] == 2 * (1 + 32), f"bank conflicts: {found}")
check(counts("banks", CUPIPE_THREADS="1") == counts("banks", CUPIPE_THREADS="4"), "the same with any number of workers")

code, _, error = command("profile", f"{FOLDER}/profile.ptx")
check(code != 0 and "is not a profile" in error, f"another file: {error}")
sys.exit(1 if failures else 0)
