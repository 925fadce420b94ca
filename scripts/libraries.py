#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from the tables of CUDA's libraries, NAME.def in the folder of each.

    libraries.py generate --root DIR --library NAME --output DIR
        NAME_entrypoints.c   the functions that the table makes: 32-bit forms, second names, refusals,
                             functions with a type in their names
        NAME_typed.h         what the latter call
        SONAME.map           what the library with that soname exports
    libraries.py coverage --root DIR [--check] FILE
    libraries.py check --root DIR

A table begins with directives:

    !soname 13 libcublas.so.13       the soname for a major version of CUDA; one line for each
    !headers cublas_api.h ...        in the folder `include` beside it: where prototypes are read
    !refuses CUBLAS_STATUS_...       what a function answers that is not done
    !names 757 0123456789abcdef      how many names there are, and a digest of them

and has one line for each exported name:

    symbol    the exported name
    in        the major versions of CUDA whose library has it: 12,13
    state     done      a function of that name in the folder `src`
              refuses   the same; it checks its arguments and then always refuses, because what it is
                        about does not exist here
              always:STATUS   answers STATUS whatever its arguments are, as NVIDIA's does; counts as `refuses`
              wide      the function with _64 behind its name does it; its integers are widened
              =other    the function `other` does it, with the same arguments
              S:other   the function `other` does it for all types; it is given the name and the type,
                        addresses of numbers as void *, and the addresses of numbers passed by value.
                        ZC:other gives the second letter, too
              no        answers what `!refuses` says

A line that starts with ## opens a chapter.
"""

import dataclasses
import pathlib
import re
import sys

import entrypoints
import npp
from entrypoints import LICENSE, TableError, run_command, write_if_changed, write_or_check

NOTICE = "/* Made by scripts/libraries.py from libraries/{0}/{0}.def; do not edit. */\n"
WITH_BODY = ("done", "refuses")
STATES = (*WITH_BODY, "wide", "no")
ALWAYS = re.compile(r"always:(\w+)")
TYPED = re.compile(r"([SDCZ])([A-Z]?):(\w+)")
NUMBERS = re.compile(r"\b(float|double|cuComplex|cuDoubleComplex)\b")
OWN_NAMES = ["cupipe_openblas", "cupipe_nvtx_listing"]  # exported besides: what `cupipe info` and gdb ask


@dataclasses.dataclass
class Entry:
    symbol: str
    majors: tuple
    state: str
    chapter: str
    line: int
    answer: str = None  # the type of the result; None: no prototype was found
    parameters: list = None


class Table:
    def __init__(self, root, name):
        self.name, self.folder = name, root / "libraries" / name
        self.path = self.folder / f"{name}.def"
        self.sonames, self.headers, self.refusal, self.digest, self.entries = {}, [], None, None, []
        chapter = ""
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            if line.startswith("## "):
                chapter = line[3:].strip()
            elif line.startswith("!"):
                self.read_directive(line.split(), number)
            elif line.strip() and not line.startswith("#"):
                fields = line.split()
                if len(fields) != 3:
                    raise TableError(f"{self.path}:{number}: 3 columns wanted, {len(fields)} found")
                self.entries.append(Entry(fields[0], tuple(fields[1].split(",")), fields[2], chapter, number))
        self.by_symbol = {entry.symbol: entry for entry in self.entries}
        for header in self.headers:
            self.read_prototypes(self.folder / "include" / header)

    def read_directive(self, words, number):
        if words[0] == "!soname" and len(words) == 3:
            self.sonames[words[1]] = words[2]
        elif words[0] == "!headers":
            self.headers = words[1:]
        elif words[0] == "!refuses" and len(words) == 2:
            self.refusal = words[1]
        elif words[0] == "!names" and len(words) == 3:
            self.digest = words[1:]
        else:
            raise TableError(f"{self.path}:{number}: unknown directive {' '.join(words)}")

    def read_prototypes(self, path):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.S)
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
        for match in re.finditer(r"([A-Za-z_][\w\s*]*?)\b(\w+)\s*\(((?:[^;{}()]|\([^()]*\))*)\)\s*;", text):
            entry = self.by_symbol.get(match[2])
            if not entry or entry.answer is not None:
                continue
            words = [w for w in match[1].replace("*", " * ").split() if not re.fullmatch(r"extern|[A-Z]+(API|WINAPI)", w)]
            entry.answer = " ".join(words)
            parameters = match[3].strip()
            entry.parameters = [] if parameters in ("void", "") else [
                entrypoints.parse_parameter(part, match[2]) for part in split_parameters(parameters)]

    def impl_of(self, entry):
        if entry.state == "wide":
            return self.by_symbol.get(entry.symbol + "_64", entry)
        return self.by_symbol.get(entry.state[1:], entry) if entry.state.startswith("=") else entry

    def state_of(self, entry):
        """What a call of the function comes to: done, refuses or no."""
        found = entry
        for _ in range(3):
            found = self.impl_of(found)
        if ALWAYS.fullmatch(found.state):
            return "refuses"
        return "done" if TYPED.fullmatch(found.state) else found.state


def split_parameters(text):
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def problems(table):
    seen = {}
    for entry in table.entries:
        if entry.symbol in seen:
            yield entry.line, f"{entry.symbol} is also on line {seen[entry.symbol]}"
        seen[entry.symbol] = entry.line
        for major in entry.majors:
            if major not in table.sonames:
                yield entry.line, f"there is no library for CUDA {major}"
        made = TYPED.fullmatch(entry.state) or ALWAYS.fullmatch(entry.state)
        if entry.state not in STATES and not entry.state.startswith("=") and not made:
            yield entry.line, f"unknown state {entry.state}"
        elif (entry.state == "wide" or entry.state.startswith("=")) and table.impl_of(entry) is entry:
            yield entry.line, f"{entry.symbol}: nothing does it"
        if entry.answer is None and entry.state not in WITH_BODY and not refusal_of(table, entry):
            yield entry.line, f"{entry.symbol} has no prototype in {' '.join(table.headers)}"
    digest = entrypoints.names_digest(table)
    if table.digest != digest:
        yield 0, "the names have changed: the line `!names` should read `!names " + " ".join(digest) + "`"


def refusal_of(table, entry):
    """What a function that the table makes always answers; None: it does something."""
    always = ALWAYS.fullmatch(entry.state)
    return always[1] if always else table.refusal if entry.state == "no" else None


def load(root, name):
    table = Table(root, name)
    found = [f"{table.path}:{line}: {text}" for line, text in problems(table)]
    if found:
        raise TableError("\n".join(found))
    return table


def library_names(root):
    return sorted(path.parent.name for path in (root / "libraries").glob("*/*.def") if path.stem == path.parent.name)


def emit_function(table, entry):
    declarations = ", ".join(p.declaration for p in entry.parameters or []) or "void"
    head = f"{entry.answer or 'int'} {entry.symbol}({declarations})"
    lines = [] if entry.answer else [head + ";"]
    if refusal_of(table, entry):
        unused = [f"    (void){p.name};" for p in entry.parameters or []]
        nothing = entry.answer == "void"
        return lines + [head, "{", *unused, *([] if nothing else [f"    return {refusal_of(table, entry)};"]), "}", ""]
    if TYPED.fullmatch(entry.state):
        call = emit_typed_call(entry)
    else:
        call = f"{table.impl_of(entry).symbol}({', '.join(p.name for p in entry.parameters)})"
    return lines + [head, "{", f"    {'' if entry.answer == 'void' else 'return '}{call};", "}", ""]


def is_number(parameter):
    """Whether a parameter is a number, as its type or by its address."""
    return NUMBERS.search(parameter.type)


def is_value(parameter):
    return "*" not in parameter.type and not parameter.suffix


def without_type(parameter):
    """The parameter as a function for all types has it."""
    if not is_number(parameter):
        return parameter
    if is_value(parameter):
        return entrypoints.Parameter("const void *", parameter.name)
    return entrypoints.Parameter(NUMBERS.sub("void", parameter.type), parameter.name, parameter.suffix)


def emit_typed_call(entry):
    letter, second, function = TYPED.fullmatch(entry.state).groups()
    typed = f"(struct lib_typed){{__func__, OPENBLAS_{letter}, '{second or letter}'}}"
    given = [p.name if not is_number(p) else "&" + p.name if is_value(p) else "(void *)" + p.name
             for p in entry.parameters]
    return f"{function}({', '.join([typed, *given])})"


def emit_typed_header(table):
    lines, seen = [LICENSE + NOTICE.format(table.name) + "#pragma once"], set()
    lines += [f"#include <{header}>" for header in table.headers] + ['#include "typed.h"', ""]
    for entry in table.entries:
        match = TYPED.fullmatch(entry.state)
        if match and match[3] not in seen:
            seen.add(match[3])
            parameters = ["struct lib_typed typed", *(without_type(p).declaration for p in entry.parameters)]
            lines.append(f"{entry.answer} {match[3]}({', '.join(parameters)});")
    return "\n".join(lines) + "\n"


def emit_entrypoints(table):
    lines = [LICENSE + NOTICE.format(table.name)]
    lines += [f"#include <{header}>" for header in table.headers]
    if any(TYPED.fullmatch(entry.state) for entry in table.entries):
        lines.append(f'#include "{table.name}_typed.h"')
    lines.append("")
    for entry in table.entries:
        if entry.state not in WITH_BODY:
            lines += emit_function(table, entry)
    return "\n".join(lines)


def emit_map(table, major):
    names = sorted([entry.symbol for entry in table.entries if major in entry.majors] + OWN_NAMES)
    return table.sonames[major] + " {\nglobal:\n" + "".join(f"    {name};\n" for name in names) + "local:\n    *;\n};\n"


def command_generate(arguments):
    table, output = load(pathlib.Path(arguments.root), arguments.library), pathlib.Path(arguments.output)
    write_if_changed(output / f"{table.name}_entrypoints.c", emit_entrypoints(table))
    write_if_changed(output / f"{table.name}_typed.h", emit_typed_header(table))
    for major, soname in table.sonames.items():
        write_if_changed(output / f"{soname}.map", emit_map(table, major))
    return 0


def count_states(table, entries):
    states = [table.state_of(entry) for entry in entries]
    return states.count("done"), states.count("refuses"), states.count("no")


def npp_chapters(chapters):
    """NPP has thousands of names, so its chapters count families."""
    lines = []
    for library, whole, families, bare, parts in chapters:
        lines += ["", f"## {library}", "", f"{whole} of {families} families work for all types and layouts."]
        if parts:
            lines += ["", "Not, or partly: " + ", ".join(parts) + "."]
        if bare:
            lines += ["", f"{bare} names that no header declares are not supported."]
    return lines


def coverage_text(tables, npp_coverage):
    npp_rows, chapters_of_npp = npp_coverage
    lines = ["<!-- SPDX-License-Identifier: MIT -->",
             "<!-- Made by scripts/libraries.py from libraries/*/*.def; do not edit. -->",
             "# Coverage of CUDA's libraries", "",
             "Every name that the libraries of CUDA 13.0 export, and those that only CUDA 12 had. A function that",
             "refuses checks its arguments and then always answers with an error, because what it is about does not",
             "exist here. One that is not supported answers the library's status for that.", "",
             "| library | files | names | work | refuse | not supported |", "|---|---|---:|---:|---:|---:|"]
    for table in tables:
        done, refuses, missing = count_states(table, table.entries)
        lines.append(f"| {table.name} | {', '.join(table.sonames.values())} | {len(table.entries)} | {done} | {refuses} | "
                     f"{missing} |")
    lines += [f"| {name} | {', '.join(files)} | {every} | {done} | 0 | {every - done} |"
              for name, files, every, done in npp_rows]
    for table in tables:
        chapters = {}
        for entry in table.entries:
            chapters.setdefault(entry.chapter, []).append(entry)
        lines += ["", f"## {table.name}"]
        for chapter, entries in chapters.items():
            done, refuses, missing = count_states(table, entries)
            lines += ["", f"### {chapter or 'Functions'}", "", f"{done} of {len(entries)} work.", ""]
            for state, title in (("refuses", "Refuse"), ("no", "Not supported")):
                names = [f"`{e.symbol}`" for e in entries if table.state_of(e) == state]
                if names:
                    lines += [f"{title}: " + ", ".join(names) + ".", ""]
            lines.pop()
    return "\n".join(lines + npp_chapters(chapters_of_npp)) + "\n"


def command_coverage(arguments):
    root = pathlib.Path(arguments.root)
    return write_or_check(arguments, coverage_text([load(root, name) for name in library_names(root)], npp.coverage(root)))


def command_check(arguments):
    root = pathlib.Path(arguments.root)
    for name in library_names(root):
        table = load(root, name)
        print(f"{name}: {len(table.entries)} names, {count_states(table, table.entries)[0]} work")
    return 0


def main():
    return run_command(__doc__, {"generate": command_generate, "coverage": command_coverage, "check": command_check},
                       {"--root": str(pathlib.Path(__file__).resolve().parents[1]), "--library": None})


if __name__ == "__main__":
    sys.exit(main())
