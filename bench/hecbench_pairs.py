#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""HeCBench's programs twice: with CUDA on cupipe, and their versions for OpenMP, which gcc compiles for the same cores.

usage: bench/hecbench_pairs.py LIBRARY_FOLDER HECBENCH [options]
  --work FOLDER         where programs are built and results are kept (default: a temporary folder)
  --only REGEX          those pairs alone
  --count N             stop after N pairs
  --again               measure again what has a result in the folder
  --table PAGE          writes the table into that page, between its marks

A pair has the arguments of its Makefile, with repetitions for about a second of OpenMP; where one run takes more than 8
seconds, the smaller sizes of scripts/clients_runtime. Times are those that both programs print about their kernels, or of
the whole process where they print none. Each is the best of three runs in turns, or of one that takes long.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNITS = {"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "ms": 1e-3, "msec": 1e-3, "milliseconds": 1e-3,
         "us": 1e-6, "usec": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nanoseconds": 1e-9}
PRINTED = re.compile(r"(?i)\btime\b[^\n]*?(\d+\.?\d*(?:e[-+]?\d+)?)\s*[(\[]?(" + "|".join(UNITS) + r")\b")
UNIT_FIRST = re.compile(r"(?i)\btime\b[^\n\d]*?[(\[](" + "|".join(UNITS) + r")[)\]]\s*[:=]?\s*(\d+\.?\d*(?:e[-+]?\d+)?)")
TARGET_S, LONGEST_S, ROUNDS = 1.0, 8, 3
MARKS = "<!-- made by bench/hecbench_pairs.py -->\n", "<!-- end of what bench/hecbench_pairs.py makes -->\n"


def load(name):
    """A script of scripts/ as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


clients = load("clients_runtime")


def makefile_arguments(folder):
    text = (folder / "Makefile").read_text().replace("\\\n", " ")
    found = re.search(r"^\t\$\(LAUNCHER\)\s*\./\$\(program\)[ \t]*(.*)$", text, re.M)
    return found[1].split() if found else []


def sources_of(folder, makefile):
    text = (folder / makefile).read_text().replace("\\\n", " ")
    return re.search(r"^source\s*:?=\s*(.*)$", text, re.M)[1].split()


def flags_of(folder, makefile):
    commands = subprocess.run(["make", "-n", "-B", "-f", makefile, "-C", folder, "DEVICE=cpu"],
                              capture_output=True, text=True).stdout
    return list(dict.fromkeys(re.findall(r"(?<!\S)(?:-I|-D(?!DEBUG))\S+", commands)))


def compile_pair(name, source, work, library, nvcc):
    """Returns both programs with their folders, or the reason why there are none."""
    programs = []
    for kind in ("omp", "cuda"):
        origin = source / f"src/{name}-{kind}"
        binary = work / f"{name}.{kind}"
        makefile = next((m for m in ("Makefile.aomp", "Makefile") if (origin / m).is_file()), None) if kind == "omp" else "Makefile"
        if not binary.is_file():
            try:
                sources = sources_of(origin, makefile)
            except (TypeError, OSError):
                return f"{origin}: no sources"
            if kind == "omp":
                command = ["g++", "-std=c++17", "-O3", "-march=native", "-fopenmp", "-foffload=disable", "-w",
                           *flags_of(origin, makefile), "-o", binary, *sources, "-lm"]
            else:
                command = [nvcc, "-cudart", "shared", *clients.PTX, "-Wno-deprecated-gpu-targets", "-w", "-std=c++17", "-O3",
                           *clients.hecbench_flags(origin), "-Xcompiler", "-march=native", "-o", binary, *sources, "-L", library]
            try:
                result = subprocess.run(command, cwd=origin, capture_output=True, text=True, errors="replace", timeout=300)
            except subprocess.TimeoutExpired:
                return f"{kind}: the compiler takes more than 300 s"
            if result.returncode:
                errors = [line for line in (result.stderr + result.stdout).splitlines() if "error" in line]
                return f"{kind} does not compile: {(errors or ['?'])[0][:120]}"
        programs.append((binary, origin))
    return programs


def printed_time(output):
    times = [float(value) * UNITS[unit.lower()] for value, unit in PRINTED.findall(output)]
    return times or [float(value) * UNITS[unit.lower()] for unit, value in UNIT_FIRST.findall(output)]


def run(program, arguments, environment, limit):
    """Returns (seconds of the process, times that it prints, whether it failed, output)."""
    binary, folder = program
    start = time.monotonic()
    try:
        result = subprocess.run([binary, *arguments], cwd=folder, env=environment, timeout=limit, capture_output=True,
                                text=True, errors="replace", stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return limit, [], "longer", ""
    output = result.stdout + result.stderr
    # What OpenMP maps is the host's own memory here, so checks that compute on the same arrays again may fail.
    wrong = binary.suffix == ".cuda" and re.search(r"\bFAIL|cupipe \[error\]|Cannot load|not be loaded", output)
    failed = f"status {result.returncode}" if result.returncode else "FAIL" if wrong else ""
    return time.monotonic() - start, printed_time(output), failed, output


def choose(name, pair, environment):
    """Arguments of both for which OpenMP takes about a second, and why there are none."""
    full, small = [makefile_arguments(folder) for _, folder in pair], [clients.HECBENCH[name]] * 2
    for both in (full, small):
        arguments = both[0]
        repeats = bool(arguments) and arguments[-1].isdigit() and int(arguments[-1]) > 1
        once = [*arguments[:-1], "1"] if repeats else arguments
        seconds, times, failed, _ = run(pair[0], once, environment, LONGEST_S)
        if repeats and failed.startswith("status"):    # its last argument is something else
            repeats, once = False, arguments
            seconds, times, failed, _ = run(pair[0], once, environment, LONGEST_S)
        if failed == "longer":
            continue
        if failed:
            return None, f"OpenMP: {failed} with {' '.join(once)}"
        if not repeats:
            return both, ""
        count = max(1, min(max(100, int(arguments[-1])), round(TARGET_S / max(sum(times) or seconds, 1e-6))))
        return [[*words[:-1], str(count)] for words in both], ""
    return None, f"OpenMP takes more than {LONGEST_S} s"


def measure(name, pair, environment):
    arguments, problem = choose(name, pair, environment)
    if problem:
        return {"problem": problem}
    best = {}
    for _ in range(ROUNDS):
        if best and sum(seconds for seconds, _ in best.values()) > LONGEST_S:
            break
        for kind, program, words in zip(("omp", "cuda"), pair, arguments):
            seconds, times, failed, output = run(program, words, environment, 6 * LONGEST_S)
            if failed:
                return {"problem": f"{kind}: {failed} with {' '.join(words)}: {output[-200:]}"}
            if kind not in best or seconds < best[kind][0]:
                best[kind] = seconds, times
    count = [len(best[kind][1]) for kind in ("omp", "cuda")]
    printed = count[0] == count[1] > 0 and all(sum(best[kind][1]) > 0 for kind in best)
    omp, cuda = (sum(best[kind][1]) if printed else best[kind][0] for kind in ("omp", "cuda"))
    return {"arguments": " ".join(arguments[1]), "omp": omp, "cuda": cuda, "ratio": cuda / omp, "printed": printed,
            "process": [best["omp"][0], best["cuda"][0]]}


def table(results):
    measured = sorted(((result["ratio"], name, result) for name, result in results.items() if "ratio" in result))
    lines = ["| program | arguments | OpenMP | CUDA / OpenMP | |", "|---|---|---:|---:|---|"]
    for ratio, name, result in measured:
        arguments = result["arguments"] if len(result["arguments"]) < 40 else result["arguments"][:37] + "..."
        lines.append(f"| {name} | `{arguments}` | {result['omp'] * 1e3:.3g} ms | {ratio:.2g} | "
                     f"{'' if result['printed'] else 'whole process'} |")
    mean = math.exp(sum(math.log(ratio) for ratio, _, _ in measured) / max(1, len(measured)))
    lines.append(f"| geometric mean of {len(measured)} | | | {mean:.2g} | |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("hecbench", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", type=Path)
    options = parser.parse_args()
    nvcc = os.environ.get("NVCC") or shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    work = (options.work or Path(tempfile.mkdtemp(prefix="hecbench-"))).resolve()
    work.mkdir(parents=True, exist_ok=True)
    kept = work / "results.json"
    results = json.loads(kept.read_text()) if kept.is_file() else {}
    library = options.library.resolve()
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library))
    source = options.hecbench.resolve()
    names = [name for name in clients.HECBENCH if (source / f"src/{name}-omp").is_dir() and re.search(options.only, name)]
    for index, name in enumerate(names[:options.count]):
        if name not in results or options.again:
            pair = compile_pair(name, source, work, library, nvcc)
            results[name] = {"problem": pair} if isinstance(pair, str) else measure(name, pair, environment)
            kept.write_text(json.dumps(results, indent=1))
        result = results[name]
        what = f"{result['ratio']:.2g} of {result['omp'] * 1e3:.3g} ms, {result['arguments']}" if "ratio" in result \
            else result["problem"]
        print(f"{index + 1}/{len(names)} {name}: {what}", flush=True)
    chosen = {name: results[name] for name in names if name in results}
    print(table(chosen), end="")
    if options.table:
        text = options.table.read_text()
        begin, end = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
        options.table.write_text(text[:begin] + table(chosen) + text[end:])


if __name__ == "__main__":
    main()
