#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from the table of NVML's names, nvml/nvml.def.

    nvml.py generate --root DIR --output DIR
        nvml_wrappers.c    every exported function: checks, then the body
        nvml_impl.h        the prototypes of the bodies that nvml/src implements
        libnvidia-ml.map   what is exported
    nvml.py coverage --root DIR [--check] FILE
    nvml.py check --root DIR

The columns of the table are described at its head.
"""

import dataclasses
import pathlib
import re
import sys

import entrypoints
from entrypoints import LICENSE, WITH_IMPL, TableError, run_command, write_if_changed, write_or_check

NOTICE = "/* Made by scripts/nvml.py from nvml/nvml.def; do not edit. */\n"
NEEDS = ("none", "init", "device")


@dataclasses.dataclass
class Entry:
    symbol: str
    since: str
    needs: str
    state: str
    chapter: str
    line: int
    parameters: list = None


class Table:
    def __init__(self, root):
        self.path = root / "nvml" / "nvml.def"
        self.entries, self.digest, chapter = [], None, ""
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            if line.startswith("## "):
                chapter = line[3:].strip()
            elif line.startswith("!names "):
                self.digest = line.split()[1:]
            elif line.strip() and not line.startswith("#"):
                fields = line.split()
                if len(fields) != 4:
                    raise TableError(f"{self.path}:{number}: 4 columns wanted, {len(fields)} found")
                self.entries.append(Entry(*fields, chapter, number))
        self.by_symbol = {entry.symbol: entry for entry in self.entries}
        read_prototypes(root / "nvml" / "include" / "nvml.h", self)

    def impl_of(self, entry):
        return self.by_symbol[entry.state[1:]] if entry.state.startswith("=") else entry

    def is_done(self, entry):
        """Whether a call reaches a body."""
        return self.impl_of(entry).state in (*WITH_IMPL, "direct")

    def refuses(self, entry):
        return self.impl_of(entry).state == "refuses"

    def works(self, entry):
        return self.is_done(entry) and not self.refuses(entry)


def read_prototypes(path, table):
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    for match in re.finditer(r"\bnvmlReturn_t\s+DECLDIR\s+(\w+)\s*\(([^;{]*)\)\s*;", text):
        if match[1] not in table.by_symbol:
            raise TableError(f"{path}: {match[1]} is not in the table")
        table.by_symbol[match[1]].parameters = [] if match[2].strip() == "void" else [
            entrypoints.parse_parameter(part, match[1]) for part in match[2].split(",")]


def problems(table):
    seen = {}
    for entry in table.entries:
        if entry.symbol in seen:
            yield entry.line, f"{entry.symbol} is also on line {seen[entry.symbol]}"
        seen[entry.symbol] = entry.line
        if not re.fullmatch(r"-|1[2-9]0[1-9]0|1[3-9]000", entry.since):
            yield entry.line, f"{entry.since} is no version of CUDA after 12.0"
        if entry.state == "direct" and entry.since != "-":
            yield entry.line, f"{entry.symbol} has no wrapper that could look at the version"
        if entry.needs not in NEEDS:
            yield entry.line, f"unknown need {entry.needs}"
        if entry.state.startswith("="):
            if table.by_symbol.get(entry.state[1:], entry).state not in WITH_IMPL:
                yield entry.line, f"{entry.state} names no symbol with a body"
        elif entry.state not in (*WITH_IMPL, "direct", "no"):
            yield entry.line, f"unknown state {entry.state}"
        if entry.parameters is None and entry.state not in ("direct", "no"):
            yield entry.line, f"{entry.symbol} has no prototype in nvml.h"
        if entry.needs == "device" and (not entry.parameters or entry.parameters[0].type != "nvmlDevice_t"):
            yield entry.line, f"the first argument of {entry.symbol} is not a device"
    digest = entrypoints.names_digest(table)
    if table.digest != digest:
        yield 0, "the names have changed: the line `!names` should read `!names " + " ".join(digest) + "`"


def load(root):
    table = Table(root)
    found = [f"{table.path}:{line}: {text}" for line, text in problems(table)]
    if found:
        raise TableError("\n".join(found))
    return table


def declarations(entry):
    return ", ".join(p.declaration for p in entry.parameters) or "void"


def emit_wrapper(table, entry):
    absent = [] if entry.since == "-" else [f"    if (!nvml_has({entry.since}))",
                                            "        return NVML_ERROR_FUNCTION_NOT_FOUND;"]
    if entry.state == "no":
        return [f"NVML_EXPORT nvmlReturn_t {entry.symbol}(void);", f"nvmlReturn_t {entry.symbol}(void)", "{", *absent,
                "    return nvml_not_supported();", "}", ""]
    body = f"nvml_impl_{table.impl_of(entry).symbol}({', '.join(p.name for p in entry.parameters)})"
    lines = [f"NVML_EXPORT nvmlReturn_t {entry.symbol}({declarations(entry)})", "{"]
    if entry.needs == "none":
        return lines + absent + [f"    return {body};", "}", ""]
    checks = ["nvml_is_initialised() ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED"]
    lines += [f"    nvmlReturn_t result = {checks[0]};", "", *absent]
    if entry.needs == "device":
        for p in entry.parameters:
            if p.type == "nvmlDevice_t":
                lines += [f"    if (result == NVML_SUCCESS && !nvml_device_is_valid({p.name}))",
                          "        result = NVML_ERROR_INVALID_ARGUMENT;"]
    return lines + [f"    return result == NVML_SUCCESS ? {body} : result;", "}", ""]


def emit_wrappers(table):
    lines = [LICENSE + NOTICE, '#include "device.h"', '#include "nvml_impl.h"', "",
             '#define NVML_EXPORT __attribute__((visibility("default")))', ""]
    for entry in table.entries:
        if entry.state != "direct":
            lines += emit_wrapper(table, entry)
    return "\n".join(lines)


def emit_impl(table):
    lines = [LICENSE + NOTICE + "#ifndef NVML_IMPL_H\n#define NVML_IMPL_H\n", "#include <nvml.h>", ""]
    lines += [f"nvmlReturn_t nvml_impl_{e.symbol}({declarations(e)});" for e in table.entries
              if e.state in WITH_IMPL]
    return "\n".join(lines + ["", "#endif", ""])


def emit_map(table):
    names = sorted(entry.symbol for entry in table.entries)
    return "{\nglobal:\n" + "".join(f"    {name};\n" for name in names) + "local:\n    *;\n};\n"


def command_generate(arguments):
    root, output = pathlib.Path(arguments.root), pathlib.Path(arguments.output)
    table = load(root)
    write_if_changed(output / "nvml_wrappers.c", emit_wrappers(table))
    write_if_changed(output / "nvml_impl.h", emit_impl(table))
    write_if_changed(output / "libnvidia-ml.map", emit_map(table))
    return 0


def version_text(since):
    return "" if since == "-" else f"{int(since) // 1000}.{int(since) % 1000 // 10}"


def coverage_text(table):
    chapters = {}
    for entry in table.entries:
        chapters.setdefault(entry.chapter, []).append(entry)
    works = sum(table.works(e) for e in table.entries)
    refusing = sum(table.refuses(e) for e in table.entries)
    lines = ["<!-- SPDX-License-Identifier: MIT -->",
             "<!-- Made by scripts/nvml.py from nvml/nvml.def; do not edit. -->",
             "# Coverage of NVML", "",
             f"libnvidia-ml.so.1 exports {len(table.entries)} names; {works} work. {refusing} refuse: they check their arguments "
             "and then always answer", "with an error, because what they are about does not exist here (units, excluded devices, MIG "
             "devices, events).", "The others answer NVML_ERROR_NOT_SUPPORTED.", "",
             "`since` is the CUDA version whose driver brought a function; an older driver (`CUPIPE_DRIVER`) answers",
             "NVML_ERROR_FUNCTION_NOT_FOUND. Functions without a number are in every version. What the functions answer is",
             "taken from the public documentation; none of it was recorded on a device.", "",
             "| chapter | done |", "|---|---:|"]
    lines += [f"| {name} | {sum(table.works(e) for e in entries)} of {len(entries)} |"
              for name, entries in chapters.items()]
    for name, entries in chapters.items():
        lines += ["", f"## {name}", "", "| symbol | since | state |", "|---|---:|---|"]
        for entry in entries:
            state = "refuses" if table.refuses(entry) else "done" if table.is_done(entry) else "not supported"
            if entry.state.startswith("="):
                state += f", as {entry.state[1:]}"
            lines.append(f"| {entry.symbol} | {version_text(entry.since)} | {state} |")
    return "\n".join(lines) + "\n"


def command_coverage(arguments):
    return write_or_check(arguments, coverage_text(load(pathlib.Path(arguments.root))))


def command_check(arguments):
    table = load(pathlib.Path(arguments.root))
    print(f"{len(table.entries)} names, {sum(table.is_done(e) for e in table.entries)} done")
    return 0


def main():
    return run_command(__doc__, {"generate": command_generate, "coverage": command_coverage,
                                 "check": command_check},
                       {"--root": str(pathlib.Path(__file__).resolve().parents[1])})


if __name__ == "__main__":
    sys.exit(main())
