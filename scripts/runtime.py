#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from the table of the runtime's names, runtime/runtime.def.

    runtime.py generate --root DIR --output DIR
        wrappers13.c, wrappers12.c   every exported function: bring up, body, last error
        runtime_impl.h             the prototypes of the bodies that runtime/src implements
        driver_table.h, driver_table.c   the driver's functions that runtime/src calls
        libcudart.so.13.map, libcudart.so.12.map, libcudart_static.names   what is exported
    runtime.py coverage --root DIR [--check] FILE
    runtime.py check --root DIR

The columns of the table are described at its head. Prototypes are read from the public headers. A
symbol with @12 behind it is the form that libcudart.so.12 exports under that name where the two
libraries differ; its prototype and its body carry the suffix _v12.
"""

import dataclasses
import pathlib
import re
import sys

import entrypoints
from entrypoints import (LICENSE, THREAD_FLAVOURS, WITH_IMPL, TableError, include_lines, run_command, write_if_changed,
                         write_or_check)

HEADERS = ("cuda_runtime_api.h", "cuda_profiler_api.h", "cuda_gl_interop.h", "cuda_egl_interop.h",
           "cuda_vdpau_interop.h")
PRIVATE_HEADERS = ("private_api.h", "legacy_api.h")
DRIVER_HEADERS = ("cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h")
VERSIONS = ("13", "12")
LIBRARY_VERSIONS = {"13": 13040, "12": 12090}  # the newest that cudaRuntimeGetVersion answers
NEEDS = ("none", "init", "context")
NOTICE = "/* Made by scripts/runtime.py from runtime/runtime.def; do not edit. */\n"


@dataclasses.dataclass
class Entry:
    symbol: str  # as in the table, with @12
    versions: tuple  # the libraries, without the minor versions of `releases`
    releases: tuple  # as in the table: 13, 12, 13.1 ...
    flavour: str
    needs: str
    state: str
    chapter: str
    line: int
    parameters: list = dataclasses.field(default_factory=list)

    @property
    def exported(self):
        return self.symbol.split("@")[0]

    @property
    def identifier(self):
        return self.symbol.replace("@12", "_v12")

    @property
    def is_recorded(self):
        """NVIDIA's libcudart.so.13 of 13.0 was recorded."""
        return "13" in self.releases

    @property
    def target(self):
        return self.state[1:] if self.state.startswith("=") else self.symbol


class Table:
    def __init__(self, root):
        self.path = root / "runtime" / "runtime.def"
        self.entries, self.digest, chapter = [], None, ""
        for number, line in enumerate(self.path.read_text().splitlines(), 1):
            if line.startswith("## "):
                chapter = line[3:].strip()
            elif line.startswith("!names "):
                self.digest = line.split()[1:]
            elif line.strip() and not line.startswith("#"):
                fields = line.split()
                if len(fields) != 5:
                    raise TableError(f"{self.path}:{number}: 5 columns wanted, {len(fields)} found")
                symbol, versions, flavour, needs, state = fields
                releases = tuple(versions.split(","))
                self.entries.append(Entry(symbol, tuple(r.split(".")[0] for r in releases), releases, flavour, needs, state,
                                          chapter, number))
        self.by_symbol = {entry.symbol: entry for entry in self.entries}
        read_prototypes(root, self)

    def impl_of(self, entry):
        while entry.state.startswith("="):
            entry = self.by_symbol[entry.target]
        return entry

    def is_done(self, entry):
        """Whether a call reaches a body."""
        return self.impl_of(entry).state in (*WITH_IMPL, "direct")

    def refuses(self, entry):
        return self.impl_of(entry).state == "refuses"

    def takes_default_stream(self, entry):
        """A body has one more parameter when its symbol has a per-thread sibling that cannot be
        told from the arguments."""
        if any(parameter.type == "cudaStream_t" for parameter in entry.parameters):
            return False
        return any(f"{entry.exported}_{f}" in self.by_symbol for f in THREAD_FLAVOURS)


def read_prototypes(root, table):
    prototypes = {}
    for path in [root / "runtime/include" / name for name in HEADERS] + [root / "runtime/src" / n for n in PRIVATE_HEADERS]:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(), flags=re.S)
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
        text = re.sub(r"__dv\([^)]*\)", "", text)
        for match in re.finditer(r"\bcudaError_t\s+CUDARTAPI\s+(\w+)\s*\(([^;{]*)\)\s*;", text):
            prototypes[match[1]] = [] if match[2].strip() in ("", "void") else [
                entrypoints.parse_parameter(part, match[1]) for part in match[2].split(",")]
    for entry in table.entries:
        plain = re.sub(r"_pt[ds][sz]$", "", entry.identifier)
        if plain.endswith("_v12") or plain not in prototypes:
            plain = re.sub(r"_pt[ds][sz](_v12)?$", r"\1", entry.identifier)
        if plain not in prototypes and entry.state.startswith("="):
            target = table.impl_of(entry).identifier
            plain = target if target in prototypes else plain
        entry.parameters = prototypes.get(plain)


def problems(table):
    seen = {}
    for entry in table.entries:
        if entry.symbol in seen:
            yield entry.line, f"{entry.symbol} is also on line {seen[entry.symbol]}"
        seen[entry.symbol] = entry.line
        if entry.needs not in NEEDS:
            yield entry.line, f"unknown need {entry.needs}"
        if any(version not in VERSIONS for version in entry.versions):
            yield entry.line, f"unknown version in {entry.releases}"
        if entry.state.startswith("=") and entry.target not in table.by_symbol:
            yield entry.line, f"{entry.state} names no other symbol"
        elif not entry.state.startswith("=") and entry.state not in (*WITH_IMPL, "direct", "todo"):
            yield entry.line, f"unknown state {entry.state}"
        if entry.flavour in THREAD_FLAVOURS and not entry.state.startswith("="):
            yield entry.line, f"a {entry.flavour} line names its plain sibling"
        if entry.parameters is None and entry.state not in ("direct", "todo") and table.is_done(entry):
            yield entry.line, f"{entry.symbol} has no prototype in the headers"
    digest = entrypoints.names_digest(table)
    if table.digest != digest:
        yield 0, "the names have changed: the line `!names` should read `!names " + " ".join(digest) + "`"


def load(root):
    table = Table(root)
    found = [f"{table.path}:{line}: {text}" for line, text in problems(table)]
    if found:
        raise TableError("\n".join(found))
    return table


# The wrappers.


def argument_list(entry):
    return ", ".join(p.declaration for p in entry.parameters or []) or "void"


def call_arguments(table, entry, body):
    per_thread = entry.flavour in THREAD_FLAVOURS
    values = [f"rt_stream_per_thread({p.name})" if per_thread and p.type == "cudaStream_t" else p.name
              for p in entry.parameters]
    if table.takes_default_stream(body):
        values.append("cudaStreamPerThread" if per_thread else "cudaStreamLegacy")
    return ", ".join(values)


def emit_observed(entry, body):
    """The call as a tool sees it: told when it begins and when it ends."""
    names = ", ".join(p.name for p in entry.parameters)
    lines = [f"static RT_COLD cudaError_t observed_{entry.identifier}({argument_list(entry)})", "{"]
    name, params, kernel = entry.exported.lstrip("_"), "", ""
    if entry.parameters:
        members = " ".join(f"__typeof__({p.name}) {p.name};" for p in entry.parameters)
        lines.append(f"    const struct {{ {members} }} params = {{{names}}};")
        params = ", .params = &params"
    for parameter in entry.parameters if name.startswith("cudaLaunch") else []:
        namer = {"func": "rt_function_name", "kernel": "rt_kernel_name"}.get(parameter.name)
        kernel += f", .kernel = {namer}({parameter.name})" if namer else ""
    if body.needs != "none":
        lines.append("    (void)rt_enter();")
    return lines + [
        "    if (!rt_calls_are_told())", f"        return run_{entry.identifier}({names});",
        f'    struct cupipe_call told = {{.name = "{name}", .is_runtime = 1{params}{kernel}}};', "",
        "    rt_call_begins(&told);", f"    return rt_call_ends(&told, run_{entry.identifier}({names}));", "}"]


def emit_wrapper(table, entry):
    name = f"wrap_{entry.identifier}"
    done = table.is_done(entry) and entry.parameters is not None
    parameters = argument_list(entry) if done else "void"
    body = table.impl_of(entry)
    declaration = f'RT_EXPORT cudaError_t {name}({parameters}) __asm__("{entry.exported}");'
    if not done:
        return [declaration, f"cudaError_t {name}({parameters})", "{",
                f'    return rt_not_supported("{entry.exported}");', "}", ""]
    names = ", ".join(p.name for p in entry.parameters)
    lines = [f"static inline cudaError_t run_{entry.identifier}({parameters})", "{"]
    call = f"impl_{body.identifier}({call_arguments(table, entry, body)})"
    if body.needs == "none":
        lines += [f"    cudaError_t returned = {call};", ""]
    else:
        enter = "rt_enter_context" if body.needs == "context" else "rt_enter"
        lines += [f"    cudaError_t returned = {enter}();", "",
                  "    if (rt_likely(returned == cudaSuccess))", f"        returned = {call};"]
    if body.needs == "context":
        lines += ["    if (rt_unlikely(returned != cudaSuccess) && rt_context_recover(&returned))",
                  f"        returned = {call};"]
    lines += ["    return rt_likely(returned == cudaSuccess) ? returned : rt_error_record(returned);", "}"]
    if entry.exported.startswith("__") and "Launch" not in entry.exported:  # the compiler's, not the program's
        return lines + [declaration, f"cudaError_t {name}({parameters})", "{",
                        f"    return run_{entry.identifier}({names});", "}", ""]
    lines += emit_observed(entry, body)
    return lines + [declaration, f"cudaError_t {name}({parameters})", "{",
                    f"    return rt_likely(!rt_is_observed()) ? run_{entry.identifier}({names}) : "
                    f"observed_{entry.identifier}({names});", "}", ""]


def emit_wrappers(table, version):
    lines = [LICENSE + NOTICE, '#include "context.h"', '#include "enter.h"', '#include "error.h"',
             '#include "observe.h"', '#include "runtime_impl.h"', "",
             f"const int rt_library_version = {LIBRARY_VERSIONS[version]};", ""]
    for entry in table.entries:
        if version in entry.versions and table.impl_of(entry).state != "direct":
            lines += emit_wrapper(table, entry)
    return "\n".join(lines)


def emit_impl(table):
    # The names of the runtime are the table's; no macro may turn them into per-thread ones.
    lines = [LICENSE + NOTICE + "#ifndef RT_BODIES_H\n#define RT_BODIES_H\n",
             include_lines(HEADERS), '#include "legacy_api.h"', '#include "private_api.h"', ""]
    for entry in table.entries:
        if entry.state in WITH_IMPL:
            parameters = [p.declaration for p in entry.parameters]
            if table.takes_default_stream(entry):
                parameters.append("cudaStream_t default_stream")
            lines.append(f"cudaError_t impl_{entry.identifier}({', '.join(parameters) or 'void'});")
    return "\n".join(lines + ["", "#endif", ""])


# The driver's functions, as the sources call them.


def driver_functions(root):
    names = set()
    for path in sorted((root / "runtime" / "src").glob("*.[ch]")):
        text = path.read_text()
        names.update(re.findall(r"\brt_driver\.(cu[A-Z]\w+)", text))
        for name, suffix in re.findall(r"\bRT_BY_STREAM\([^,]+,\s*(cu[A-Z]\w+),\s*(\w+)\)", text):
            names.update((name, name + suffix))
    return sorted(names)


def emit_driver_header(names):
    lines = [LICENSE + NOTICE + "#ifndef RT_DRIVER_TABLE_H\n#define RT_DRIVER_TABLE_H\n", include_lines(DRIVER_HEADERS),
             "struct rt_driver_table {"]
    lines += [f"    __typeof__({name}) *{name};" for name in names]
    return "\n".join(lines + ["};", "", "#endif", ""])


def emit_driver_names(names):
    lines = [LICENSE + NOTICE, '#include "driver.h"', "", "const char *const rt_driver_names[] = {"]
    lines += [f'    "{name}",' for name in names]
    return "\n".join(lines + ["    0,", "};", ""])


def emit_map(table, version):
    names = sorted(entry.exported for entry in table.entries if version in entry.versions)
    node = f"libcudart.so.{version}"
    return f"{node} {{\nglobal:\n" + "".join(f"    {name};\n" for name in names) + "local:\n    *;\n};\n"


def command_generate(arguments):
    root, output = pathlib.Path(arguments.root), pathlib.Path(arguments.output)
    table = load(root)
    names = driver_functions(root)
    for version in VERSIONS:
        write_if_changed(output / f"wrappers{version}.c", emit_wrappers(table, version))
        write_if_changed(output / f"libcudart.so.{version}.map", emit_map(table, version))
    write_if_changed(output / "libcudart_static.names",
                     "".join(f"{e.exported}\n" for e in table.entries if "13" in e.versions))
    write_if_changed(output / "runtime_impl.h", emit_impl(table))
    write_if_changed(output / "driver_table.h", emit_driver_header(names))
    write_if_changed(output / "driver_table.c", emit_driver_names(names))
    return 0


# docs/RUNTIME-COVERAGE.md


def coverage_text(table):
    chapters = {}
    for entry in table.entries:
        chapters.setdefault(entry.chapter, []).append(entry)

    def count(entries, version):
        own = [e for e in entries if version in e.versions]
        return f"{sum(table.is_done(e) and not table.refuses(e) for e in own)} of {len(own)}"

    lines = ["<!-- SPDX-License-Identifier: MIT -->",
             "<!-- Made by scripts/runtime.py from runtime/runtime.def; do not edit. -->",
             "# Coverage of the runtime API", "",
             f"libcudart.so.13: {count(table.entries, '13')} names work; libcudart.so.12: "
             f"{count(table.entries, '12')}.",
             f"{sum(table.refuses(e) for e in table.entries)} functions refuse: they check their arguments and then always "
             "answer with an error on cupipe's driver, because what they are about does not exist here (EGL streams, VDPAU, "
             "NvSciSync, unified functions, private tables of NVIDIA's libraries). "
             f"{sum(not table.is_done(e) for e in table.entries)} are not written and answer cudaErrorNotSupported.",
             "A name with @12 is the form that only libcudart.so.12 has under that name; 13.1 and so on stand for "
             "libcudart.so.13 of that version and later.", "",
             "Answers of the functions that libcudart.so.13 of CUDA 13.0 has are compared with recordings of NVIDIA's runtime on "
             "an H200; the others are known from NVIDIA's documentation and headers only.", "",
             "| chapter | 13 | 12 |", "|---|---:|---:|"]
    lines += [f"| {name} | {count(entries, '13')} | {count(entries, '12')} |" for name, entries in chapters.items()]
    for name, entries in chapters.items():
        lines += ["", f"## {name}", "", "| symbol | libraries | state | known from |", "|---|---|---|---|"]
        for entry in entries:
            state = "refuses" if table.refuses(entry) else "done" if table.is_done(entry) else "not supported"
            if entry.state.startswith("=") and entry.flavour not in THREAD_FLAVOURS:
                state += f", as {entry.target}"
            known = "recorded" if entry.is_recorded else "documents"
            lines.append(f"| {entry.symbol} | {', '.join(entry.releases)} | {state} | {known} |")
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
