#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What kernels executed: prints a profile that CUPIPE_PROFILE wrote.

usage: cupipe profile FILE                  a table: a line for each kernel, then for each function of a library
       cupipe profile FILE --lines [NAME]   the source, or the PTX text, with counts beside it; of kernels with NAME in it
       cupipe profile FILE --counts         counts without times, the same on every machine: for comparing in CI

This is scripts/profile.py, installed as cupipe-profile.
"""
import argparse
import collections
import json
import os
import sys

LANES = 32
NAME_COLUMNS = 60
KINDS = {
    "memory": "ld ldu st atom red cp prefetch prefetchu suld sust sured cvta isspacep applypriority discard",
    "texture": "tex tld4 txq suq istypep",
    "matrix": "mma wmma wgmma ldmatrix stmatrix movmatrix",
    "control": "bra brx call ret exit trap brkpt bar barrier membar fence nanosleep setmaxnreg griddepcontrol mbarrier",
    "warp": "shfl vote match redux activemask elect",
}
KIND_OF = {op: kind for kind, ops in KINDS.items() for op in ops.split()}


def kind_of(row):
    """memory, texture, matrix, control, warp; all other instructions compute: float or integer."""
    kind = KIND_OF.get(row["op"])
    if kind:
        return kind
    return "float" if any(f".{name}" in row["text"].split(" ")[0] for name in ("f16", "f32", "f64", "bf16")) else "integer"


def join(kernels):
    """The kernels of one name, which were compiled for several block shapes, as one; in order of work."""
    joined = {}
    for kernel in kernels:
        one = joined.setdefault(kernel["name"], {
            "name": kernel["name"], "plain_name": kernel.get("plain_name", kernel["name"]), "instructions": {},
            **dict.fromkeys(("launches", "blocks", "threads", "duration_ns"), 0)})
        for key in ("launches", "blocks", "threads", "duration_ns"):
            one[key] += kernel[key]
        seen = collections.Counter()
        for row in kernel["instructions"]:
            place = (row["function"], row["line"], row["text"])
            seen[place] += 1
            known = one["instructions"].setdefault((*place, seen[place]), dict(row, **dict.fromkeys(
                [key for key in row if key in COUNTS], 0)))
            for key in COUNTS:
                if key in row:
                    known[key] = known.get(key, 0) + row[key]
    for one in joined.values():
        one["instructions"] = list(one["instructions"].values())
    return sorted(joined.values(), key=lambda one: (-sum(row["executions"] for row in one["instructions"]), one["name"]))


COUNTS = ("executions", "lanes", "accesses", "bytes", "sectors", "passes")


def total(rows, key, **wanted):
    return sum(row.get(key, 0) for row in rows if all(row.get(name) == value for name, value in wanted.items()))


def per(part, whole):
    return part / whole if whole else 0.0


def sum_up(kernel):
    """The numbers of a kernel that do not depend on the machine."""
    rows = kernel["instructions"]
    executed = total(rows, "executions")
    kinds = collections.Counter()
    for row in rows:
        kinds[kind_of(row)] += row["executions"]
    loads = [row for row in rows if row.get("memory") == "global" and row["op"] in ("ld", "ldu", "atom")]
    stores = [row for row in rows if row.get("memory") == "global" and row["op"] in ("st", "red", "atom")]
    return {
        "kernel": kernel["name"], "launches": kernel["launches"], "blocks": kernel["blocks"],
        "threads": kernel["threads"], "instructions": executed, "kinds": dict(sorted(kinds.items())),
        "lanes_on": round(per(total(rows, "lanes"), executed * LANES), 4),
        "bytes_loaded": total(loads, "bytes"), "bytes_stored": total(stores, "bytes"),
        "sectors": total(rows, "sectors"), "global_accesses": total(rows, "accesses", memory="global"),
        "shared_passes": total(rows, "passes"), "shared_accesses": total(rows, "accesses", memory="shared"),
    }


def size(number):
    for unit in ("", "K", "M", "G", "T"):
        if number < 10000 or unit == "T":
            return f"{number:.0f}{unit}" if number >= 100 or number == int(number) else f"{number:.1f}{unit}"
        number /= 1000
    return ""


def print_table(kernels):
    heads = ("kernel", "launches", "ms", "instructions", "lanes on", "loaded", "stored", "sectors", "passes")
    lines = [heads]
    for kernel in kernels:
        sums = sum_up(kernel)
        name = kernel["plain_name"]
        lines.append((name if len(name) <= NAME_COLUMNS else name[:NAME_COLUMNS - 3] + "...", size(sums["launches"]), f"{kernel['duration_ns'] / 1e6:.2f}",
                      size(sums["instructions"]), f"{100 * sums['lanes_on']:.0f}%", size(sums["bytes_loaded"]),
                      size(sums["bytes_stored"]), f"{per(sums['sectors'], sums['global_accesses']):.1f}",
                      f"{per(sums['shared_passes'], sums['shared_accesses']):.1f}"))
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        print("  ".join(text.ljust(width) if column == 0 else text.rjust(width)
                        for column, (text, width) in enumerate(zip(line, widths))).rstrip())
    print("\nms: with counting, several times as long as without. instructions: of warps. sectors of 32 bytes, passes over "
          "the banks\nof shared memory: of an access; 4 for 32 neighbouring words, 1 without bank conflicts.")


def join_host_work(rows):
    """Calls of libraries and operators of PyTorch by name; in order of time."""
    joined = collections.defaultdict(collections.Counter)
    for row in rows:
        joined[row["name"]].update({key: row[key] for key in ("calls", "duration_ns", "bytes_read", "bytes_written")})
    return sorted(joined.items(), key=lambda item: (-item[1]["duration_ns"], item[0]))


def print_host_work(rows):
    lines = [("host work", "calls", "ms", "read", "written")]
    lines += [(name, size(row["calls"]), f"{row['duration_ns'] / 1e6:.2f}", size(row["bytes_read"]), size(row["bytes_written"]))
              for name, row in rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    for line in lines:
        print("  ".join(text.ljust(width) if column == 0 else text.rjust(width)
                        for column, (text, width) in enumerate(zip(line, widths))).rstrip())


def read_lines(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def print_lines(kernel):
    """The lines of the source with what was executed there; without a source, the instructions."""
    print(f"{kernel['plain_name']}\n{'instructions':>12} {'lanes on':>8} {'sectors':>8} {'passes':>8}")
    rows = kernel["instructions"]
    if not all("file" in row for row in rows if row["op"] != "ret"):
        for row in sorted(rows, key=lambda row: (row["function"], row["line"])):
            print_line([row], f"{row['line']:5} {row['text']}")
        return
    files = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows:
        if "file" in row:
            files[row["file"]][row["source_line"]].append(row)
    for name, by_line in files.items():
        text = read_lines(name)
        print(f"{'':40}{name}")
        for number in range(min(by_line), max(by_line) + 1) if text else sorted(by_line):
            print_line(by_line.get(number, []), f"{number:5} {text[number - 1] if 0 < number <= len(text) else ''}")


def print_line(rows, text):
    executed = total(rows, "executions")
    lanes = f"{100 * per(total(rows, 'lanes'), executed * LANES):.0f}%" if executed else ""
    print(f"{executed or '':>12} {lanes:>8} {total(rows, 'sectors') or '':>8} {total(rows, 'passes') or '':>8} "
          f"{text}".rstrip())


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        profile = json.load(file)
    return join(profile["kernels"]), join_host_work(profile.get("host_work", []))


def main():
    parser = argparse.ArgumentParser(prog="cupipe profile", description="prints a profile that CUPIPE_PROFILE wrote")
    parser.add_argument("file")
    parser.add_argument("--lines", nargs="?", const="", metavar="NAME", help="the source with counts beside it")
    parser.add_argument("--counts", action="store_true", help="counts without times, as JSON lines")
    arguments = parser.parse_args()
    try:
        kernels, host_work = read(arguments.file)
    except OSError as error:
        sys.exit(f"cupipe profile: {arguments.file}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.exit(f"cupipe profile: {arguments.file} is not a profile: cupipe run --profile FILE writes one when the program ends")
    if arguments.counts:
        for kernel in sorted(kernels, key=lambda kernel: kernel["name"]):
            print(json.dumps(sum_up(kernel)))
        for name, row in sorted(host_work):
            print(json.dumps({"host_work": name, **{key: row[key] for key in ("calls", "bytes_read", "bytes_written")}}))
    elif arguments.lines is not None:
        for kernel in kernels:
            if arguments.lines in kernel["name"] or arguments.lines in kernel["plain_name"]:
                print_lines(kernel)
    else:
        if kernels or not host_work:
            print_table(kernels)
        if host_work:
            print("" if not kernels else "\n", end="")
            print_host_work(host_work)


try:
    main()
except BrokenPipeError:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
