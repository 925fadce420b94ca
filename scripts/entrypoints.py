#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from the table of entry points, src/api/entrypoints.def.

    entrypoints.py generate --table T --include DIR --output DIR
        entrypoints.c            every exported function: hooks, precondition, body
        entrypoint_names.c       their names
        types.c          the structures and enumerations of parameters, for the trace
        impl.h           the prototypes of the bodies that src/api implements
        procaddr_table.h   what cuGetProcAddress looks names up in
        exports.map        the linker's version script
    entrypoints.py coverage --table T --include DIR [--check] FILE
    entrypoints.py check --table T --include DIR
    entrypoints.py names --table T

The columns of the table are described at its head. Prototypes are read from the public headers.
"""

import argparse
import dataclasses
import hashlib
import pathlib
import re
import sys

import header_types

PLAIN_FLAVOURS = ("-", "legacy", "bare")
THREAD_FLAVOURS = ("ptds", "ptsz")
WITH_IMPL = ("done", "refuses")  # states of symbols that src/api implements
PRECONDITIONS = {"any": None, "handle": "cup_precondition_handle()", "init": "cup_precondition_init()",
         "context": "cup_precondition_context()"}
# What a rule of captures consists of (enum cup_call_capture_rule), and the argument that it is about.
CAPTURE_RULES = {
    "-": ([], None),
    "unsafe": (["UNSAFE"], None),
    "refused": (["REFUSED"], "CUstream"),
    "refused+unsafe": (["REFUSED", "UNSAFE"], "CUstream"),
    "node+unsafe": (["NODE", "UNSAFE"], "CUstream"),
    "batch": (["BATCH"], "CUstream"),
    "context": (["CONTEXT"], "CUcontext"),
    "event": (["EVENT", "UNSAFE"], "CUevent"),
}
HEADERS = ("cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h")
PRIVATE_HEADER = "private.h"  # beside the table
OLDEST_DRIVER = 12000  # the first line of src/core/driver_versions.def
ENUMERATORS = "core/enumerators.def"  # beside the folder of the table
NEWEST_RECORDED = 13000  # functions that came later are known from documentation alone
LICENSE = "/* SPDX-License-Identifier: MIT */\n"
NOTICE = "/* Made by scripts/entrypoints.py from src/api/entrypoints.def; do not edit. */\n"


class TableError(Exception):
    """What is wrong with the table or the headers, for the person who edits them."""


@dataclasses.dataclass
class Parameter:
    type: str
    name: str
    suffix: str = ""  # "[2]" and the like

    @property
    def declaration(self):
        glue = "" if self.type.endswith("*") else " "
        return f"{self.type}{glue}{self.name}{self.suffix}"


@dataclasses.dataclass
class Entry:
    symbol: str
    base: str
    since: int  # 0: cuGetProcAddress does not know it
    flavour: str
    precondition: str
    capture: str
    state: str
    chapter: str
    line: int
    parameters: list = dataclasses.field(default_factory=list)
    has_prototype: bool = False

    @property
    def is_object(self):
        return self.flavour.startswith("object")

    @property
    def target(self):
        """The symbol whose body does the work."""
        return self.state[1:] if self.state.startswith("=") else self.symbol


class Table:
    def __init__(self, path):
        self.entries = []
        self.digest = None
        chapter = ""
        for number, line in enumerate(pathlib.Path(path).read_text().splitlines(), 1):
            if line.startswith("## "):
                chapter = line[3:].strip()
            elif line.startswith("!names "):
                self.digest = line.split()[1:]
            elif line.strip() and not line.startswith("#"):
                self.entries.append(parse_row(path, number, line, chapter))
        self.by_symbol = {entry.symbol: entry for entry in self.entries}
        self.enumerations = {}  # C type -> name in src/core/enumerators.def

    def is_done(self, entry):
        """Whether a call reaches a body: `=` rows are as done as what they name."""
        seen = set()
        while entry.state.startswith("=") and entry.symbol not in seen:
            seen.add(entry.symbol)
            entry = self.by_symbol[entry.target]
        return entry.state in (*WITH_IMPL, "32bit")

    def refuses(self, entry):
        """Whether a call is refused whatever its arguments are."""
        return self.impl_of(entry).state in ("refuses", "32bit")

    def counts(self, entries):
        """(functions that work, that refuse, that have no body)"""
        refusing = sum(self.refuses(entry) for entry in entries)
        done = sum(self.is_done(entry) for entry in entries) - refusing
        return done, refusing, len(entries) - done - refusing

    def impl_of(self, entry):
        """The entry whose body runs, at the end of a chain of `=`."""
        while entry.state.startswith("="):
            entry = self.by_symbol[entry.target]
        return entry

    def takes_default_stream(self, entry):
        """A body has one more parameter when its symbol has a per-thread sibling that
        cannot be told from the arguments."""
        if any(parameter.type == "CUstream" for parameter in entry.parameters):
            return False
        return any(entry.symbol + "_" + f in self.by_symbol for f in THREAD_FLAVOURS)


def parse_row(path, number, line, chapter):
    fields = line.split()
    if len(fields) != 7:
        raise TableError(f"{path}:{number}: 7 columns wanted, {len(fields)} found")
    symbol, base, since, flavour, precondition, capture, state = fields
    if since != "-" and not since.isdigit():
        raise TableError(f"{path}:{number}: `since` is a CUDA version such as 11020, or -")
    return Entry(symbol, base, 0 if since == "-" else int(since), flavour, precondition, capture, state, chapter,
                 number)


# Prototypes and types, from the public headers.


class Headers:
    SCALARS = {
        "int": "SIGNED", "long": "SIGNED", "long long": "SIGNED", "short": "SIGNED", "int32_t": "SIGNED",
        "int64_t": "SIGNED", "unsigned": "UNSIGNED", "unsigned int": "UNSIGNED", "unsigned long": "UNSIGNED",
        "unsigned long long": "UNSIGNED", "unsigned short": "UNSIGNED", "unsigned char": "UNSIGNED",
        "size_t": "UNSIGNED", "uint32_t": "UNSIGNED", "uint64_t": "UNSIGNED", "float": "FLOAT",
        "GLuint": "UNSIGNED", "GLenum": "UNSIGNED", "EGLint": "SIGNED", "EGLImageKHR": "POINTER",
        "EGLStreamKHR": "POINTER", "EGLSyncKHR": "POINTER", "VdpDevice": "UNSIGNED",
        "VdpOutputSurface": "UNSIGNED", "VdpVideoSurface": "UNSIGNED", "CUresult": "RESULT",
        "CUdeviceptr": "ADDRESS", "CUdeviceptr_v2": "ADDRESS", "CUdeviceptr_v1": "ADDRESS",
    }

    def __init__(self, include):
        self.prototypes = {}
        self.kinds = dict(self.SCALARS)
        self.types = header_types.Types()
        self.aliases = []  # (name, origin) of `typedef origin name;`
        for name in HEADERS:
            path = pathlib.Path(include) / name
            if path.exists():
                self.read(path.read_text())

    def read(self, text):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
        aliases = re.findall(r"^#define[ \t]+(CU\w+)[ \t]+(CU\w+)[ \t]*$", text, flags=re.M)
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
        for match in re.finditer(r"\bCUresult\s+CUDAAPI\s+(cu\w+)\s*\(([^;{]*)\)[^;{}()]*;", text):
            self.prototypes[match[1]] = [] if match[2].strip() in ("", "void") else [
                parse_parameter(part, match[1]) for part in match[2].split(",")]
        self.read_types(text)
        self.aliases += [(name, origin) for origin, name in re.findall(r"\btypedef (\w+) (\w+);", text)]
        self.types.read(text)
        self.types.aliases.update(aliases)
        for name, origin in aliases:
            if origin in self.kinds:
                self.kinds.setdefault(name, self.kinds[origin])

    def read_types(self, text):
        for match in re.finditer(r"\btypedef\s+(enum|struct|union)\b[^;{}()]*\{", text):
            end = closing_brace(text, match.end())
            name = re.match(r"\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)", text[end:])
            if name:
                self.kinds.setdefault(name[1], "SIGNED" if match[1] == "enum" else "BYTES")
        for match in re.finditer(r"\btypedef\b[^;{}()]*\(\s*(?:\w+\s*)?\*\s*(\w+)\s*\)\s*\(", text):
            self.kinds.setdefault(match[1], "POINTER")
        for match in re.finditer(r"\btypedef\s+([^;{}()]+?)(\**)\s*(\w+)(?:\s*\[\w*\])?\s*;", text):
            origin, stars, name = " ".join(match[1].split()), match[2], match[3]
            if name in self.kinds:
                continue
            self.kinds[name] = "POINTER" if stars or origin.endswith("*") else self.kind_of_base(origin)

    def kind_of_base(self, origin):
        origin = re.sub(r"\bconst\b|\bvolatile\b", "", origin).strip()
        if origin.startswith("enum "):
            return "SIGNED"
        return self.kinds.get(origin, "BYTES")

    def kind(self, parameter):
        """How the trace shows an argument: (kind of the value, kind of what it points to)."""
        kind = parameter.type
        if parameter.suffix or kind.endswith("*"):
            pointee = kind[:-1].strip() if not parameter.suffix else kind
            if pointee == "const char":
                return "STRING", None
            if parameter.suffix or (pointee.startswith("const ") and not pointee.endswith("*")):
                return "POINTER", None
            if pointee.endswith("*"):
                return "POINTER", {"void *": "POINTER", "const char *": "STRING"}.get(pointee)
            inner = self.kinds.get(pointee)
            return "POINTER", inner if inner in ("SIGNED", "UNSIGNED", "ADDRESS", "POINTER", "FLOAT") else None
        return self.kind_of_base(kind), None


def closing_brace(text, position):
    depth = 1
    while depth and position < len(text):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        position += 1
    return position


def parse_parameter(text, symbol):
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)
    match = re.match(r"^\s*(.*?)(\w+)\s*((?:\[\w*\])*)\s*$", text, flags=re.S)
    if not match or not match[1].strip():
        raise TableError(f"{symbol}: cannot read the parameter `{text.strip()}`")
    kind = re.sub(r"\s*\*\s*", " *", " ".join(match[1].split()))
    return Parameter(re.sub(r"\* \*", "**", kind).strip(), match[2], match[3])


# Checks.


def names_digest(table):
    names = sorted(entry.symbol for entry in table.entries)
    return [str(len(names)), hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]]


def attach_prototypes(table, headers):
    for entry in table.entries:
        plain = re.sub(r"_pt[ds][sz]$", "", entry.symbol)
        for symbol in (entry.symbol, plain):
            if symbol in headers.prototypes and not entry.has_prototype:
                entry.parameters = headers.prototypes[symbol]
                entry.has_prototype = True


def read_enumerations(path, headers):
    """The enumerations that have newer enumerators, by each name of their C type."""
    found = {kind: name for name, kind in re.findall(r"^CUP_ENUMERATION\((\w+), (\w+)\)", path.read_text(), re.M)}
    for alias, origin in headers.aliases:
        if origin in found:
            found[alias] = found[origin]
    return found


def problems(table, headers):
    """Every mistake in the table, as (line, sentence)."""
    seen = {}
    chosen = {}
    for entry in table.entries:
        if entry.symbol in seen:
            yield entry.line, f"{entry.symbol} is also on line {seen[entry.symbol]}"
        seen[entry.symbol] = entry.line
        if entry.since:
            key = (entry.base, entry.since, entry.flavour in THREAD_FLAVOURS)
            if key in chosen:
                yield entry.line, f"{entry.symbol} and {chosen[key]} both serve {entry.base} from {entry.since}"
            chosen[key] = entry.symbol
        if entry.precondition not in PRECONDITIONS:
            yield entry.line, f"unknown precondition {entry.precondition}"
        yield from problems_of_capture(table, entry)
        if not entry.symbol.startswith(entry.base):
            yield entry.line, f"{entry.symbol} does not begin with its base name {entry.base}"
        yield from problems_of_state(table, entry)
        if not entry.has_prototype and not entry.is_object and table.is_done(entry):
            yield entry.line, f"{entry.symbol} has no prototype in the headers"
    if table.digest != names_digest(table):
        yield 0, "the names have changed: the line `!names` should read `!names " + " ".join(names_digest(table)) + "`"
    for symbol in headers.prototypes:
        if symbol not in table.by_symbol and symbol not in NOT_ON_LINUX:
            yield 0, f"{symbol} has a prototype but no line"


# The headers declare these for the platforms whose driver has them.
NOT_ON_LINUX = {"cuEventCreateFromEGLSync", "cuWGLGetDevice"}


def problems_of_capture(table, entry):
    """All forms of a function have the same rule, and the rule's argument."""
    if entry.capture not in CAPTURE_RULES:
        yield entry.line, f"unknown capture rule {entry.capture}"
        return
    subject = CAPTURE_RULES[entry.capture][1]
    if subject and subject != "CUcontext" and entry.has_prototype and capture_subject(entry) < 0:
        yield entry.line, f"{entry.symbol} has no {subject} for the rule {entry.capture}"
    if entry.state.startswith("=") and entry.target in table.by_symbol:
        other = table.by_symbol[entry.target]
        if other.capture != entry.capture:
            yield entry.line, f"{entry.symbol} and {other.symbol} differ in their capture rules"


def capture_subject(entry):
    """The index of the argument that the rule is about; -1: none."""
    subject = CAPTURE_RULES[entry.capture][1]
    return next((i for i, p in enumerate(entry.parameters) if subject and p.type == subject), -1)


def problems_of_state(table, entry):
    if entry.is_object:
        if not re.fullmatch(r"object[1-9]\d*", entry.flavour) or entry.state != "done":
            yield entry.line, "exported data is `objectN` (N bytes), state `done`"
    elif entry.flavour in THREAD_FLAVOURS:
        plain = entry.symbol[: -len(entry.flavour) - 1]
        if not entry.symbol.endswith("_" + entry.flavour) or plain not in table.by_symbol:
            yield entry.line, f"{entry.symbol} has no plain sibling"
        elif entry.state != "=" + plain:
            yield entry.line, f"a {entry.flavour} line is done when {plain} is: its state is `={plain}`"
    elif entry.flavour not in PLAIN_FLAVOURS:
        yield entry.line, f"unknown flavour {entry.flavour}"
    elif entry.state.startswith("="):
        other = table.by_symbol.get(entry.target)
        if other is None or other is entry:
            yield entry.line, f"{entry.state} names no other symbol"
        elif other.state.startswith("=") or other.flavour in THREAD_FLAVOURS:
            yield entry.line, f"{entry.state} must name a plain symbol with a state of its own"
        elif [p.type for p in other.parameters] != [p.type for p in entry.parameters]:
            yield entry.line, f"{entry.symbol} and {other.symbol} differ in their parameters"
    elif entry.state not in ("stub", *WITH_IMPL, "32bit"):
        yield entry.line, f"unknown state {entry.state}"


def load(arguments, strict=True):
    table = Table(arguments.table)
    headers = Headers(arguments.include)
    private = pathlib.Path(arguments.table).parent / PRIVATE_HEADER
    if private.exists():
        headers.read(private.read_text())
    attach_prototypes(table, headers)
    table.enumerations = read_enumerations(pathlib.Path(arguments.table).parents[1] / ENUMERATORS, headers)
    found = [f"{arguments.table}:{line}: {text}" for line, text in problems(table, headers)]
    if found and strict:
        raise TableError("\n".join(found))
    return table, headers


# entrypoints.c


def argument_list(entry):
    return ", ".join(p.declaration for p in entry.parameters) or "void"


def known_value(table, parameter):
    """An argument as a driver of the chosen version understands it."""
    enumeration = table.enumerations.get(parameter.type)
    if parameter.suffix or not enumeration:
        return parameter.name
    return f"({parameter.type})cup_driver_enumerator(CUP_ENUM_{enumeration}, (int){parameter.name})"


def call_arguments(table, entry):
    """What the door hands to the body."""
    body = table.impl_of(entry)
    per_thread = entry.flavour in THREAD_FLAVOURS
    values = [f"cup_entrypoint_stream({p.name})" if per_thread and p.type == "CUstream" else known_value(table, p)
              for p in entry.parameters]
    if table.takes_default_stream(body):
        values.append("CU_STREAM_PER_THREAD" if per_thread else "CU_STREAM_LEGACY")
    return ", ".join(values)


def emit_run(table, entry):
    """The precondition and the body, or what stands for a body that is not written."""
    symbol = entry.symbol
    if table.impl_of(entry).state == "32bit":
        call, parameters = "cup_api_refuse_32bit()", argument_list(entry)
    elif table.is_done(entry):
        call = f"impl_{table.impl_of(entry).symbol}({call_arguments(table, entry)})"
        parameters = argument_list(entry)
    else:
        call = f'cup_entrypoint_missing("{symbol}", &said)'
        parameters = "void"
    lines = [f"static inline CUresult run_{symbol}({parameters})", "{"]
    if table.impl_of(entry).state == "32bit":
        lines += [f"    (void){parameter.name};" for parameter in entry.parameters]
    if not table.is_done(entry):
        lines.append("    static atomic_bool said;")
    if entry.since > OLDEST_DRIVER:
        lines += [f"    if (cup_unlikely(!cup_driver_has({entry.since})))",
                  f'        return cup_entrypoint_too_new("{symbol}", {entry.since});']
    if entry.precondition == "any":
        lines += [f"    return {call};"]
    else:
        lines += [f"    CUresult precondition = {PRECONDITIONS[entry.precondition]};", "",
                  f"    return cup_likely(precondition == CUDA_SUCCESS) ? {call} : precondition;"]
    return lines + ["}"]


def value_expression(headers, parameter):
    kind, _ = headers.kind(parameter)
    if kind == "BYTES":
        return f"(uintptr_t)&{parameter.name}"
    if kind == "FLOAT":
        return f"cup_entrypoint_float({parameter.name})"
    if kind in ("POINTER", "STRING"):
        return f"(uintptr_t){parameter.name}"
    return f"(uint64_t){parameter.name}"


# Parameters that look like one output and are arrays, or are read and not written: by name alone, and
# by function.
ARRAY_NAMES = {"data", "extra", "jitOptions", "jitOptionsValues", "kernelParams", "libraryOptionValues",
               "libraryOptions", "optionValues", "options"}
NOT_OUTPUTS = {
    "cuMemcpyBatchAsync": {"dsts", "srcs", "sizes", "attrsIdxs"},
    "cuMemcpyBatchAsync_v2": {"dsts", "srcs", "sizes", "attrsIdxs"},
    "cuMemPrefetchBatchAsync": {"dptrs", "sizes", "prefetchLocIdxs"},
    "cuMemDiscardBatchAsync": {"dptrs", "sizes"},
    "cuMemDiscardAndPrefetchBatchAsync": {"dptrs", "sizes", "prefetchLocIdxs"},
    "cuPointerGetAttributes": {"attributes"},
    "cuMemRangeGetAttributes": {"dataSizes", "attributes"},
    "cuGraphicsMapResources": {"resources"},
    "cuGraphicsUnmapResources": {"resources"},
    "cuGLGetDevices": {"pCudaDevices"},
    "cuGLGetDevices_v2": {"pCudaDevices"},
    "cuLibraryEnumerateKernels": {"kernels"},
    "cuModuleEnumerateFunctions": {"functions"},
    "cuGraphGetNodes": {"nodes"},
    "cuGraphGetRootNodes": {"rootNodes"},
    "cuGraphGetEdges": {"from", "to"},
    "cuGraphGetEdges_v2": {"from", "to"},
    "cuGraphNodeGetDependencies": {"dependencies"},
    "cuGraphNodeGetDependencies_v2": {"dependencies"},
    "cuGraphNodeGetDependentNodes": {"dependentNodes"},
    "cuGraphNodeGetDependentNodes_v2": {"dependentNodes"},
    "cuStreamUpdateCaptureDependencies": {"dependencies"},
    "cuStreamUpdateCaptureDependencies_v2": {"dependencies"},
    "cuTexRefGetBorderColor": {"pBorderColor"},
    "cuTexRefSetBorderColor": {"pBorderColor"},
    "cuMemPoolGetAccess": {"location"},
    "cuMemGetAccess": {"location"},
    "cuDeviceGetHostAtomicCapabilities": {"capabilities"},
    "cuDeviceGetP2PAtomicCapabilities": {"capabilities"},
}


def structure_of(types, entry, parameter):
    """The number of the structure that a parameter points to, and what counts or selects it: 1 + the
    index of a parameter, positive for a count. None: it points to no structure, or to an unknown number."""
    pointee = re.sub(r"^const ", "", parameter.type)
    if not pointee.endswith("*") or parameter.suffix:
        return None
    pointee = pointee[:-1].strip()
    if types.form(pointee) not in ("struct", "union"):
        return None
    positions = {p.name: i + 1 for i, p in enumerate(entry.parameters) if not p.type.endswith("*")}
    if types.form(pointee) == "union" and "attr" in positions:
        return types.number(pointee), -positions["attr"]
    if parameter.name not in header_types.COUNTS or f"{entry.base}.{parameter.name}" in header_types.SINGLE:
        return types.number(pointee), 0
    count = next((positions[name] for name in header_types.COUNTS[parameter.name] if name in positions), None)
    return (types.number(pointee), count) if count else None


def emit_argument(headers, types, entry, parameter, inputs):
    kind, pointee = headers.kind(parameter)
    structure = structure_of(types, entry, parameter)
    if structure:
        is_input = "true" if parameter.type.startswith("const ") else "false"
        return f'"{parameter.name}", CUP_ARGUMENT_POINTER, CUP_ARGUMENT_STRUCT, 0, {structure[0]}, {structure[1]}, {is_input}'
    form = types.form(parameter.type) if not parameter.suffix and kind in ("SIGNED", "BYTES") else None
    if form:
        kind = "ENUM" if form == "enum" else "STRUCT"
        return f'"{parameter.name}", CUP_ARGUMENT_{kind}, CUP_ARGUMENT_NONE, 0, {types.number(parameter.type)}, 0, false'
    if pointee and parameter.name not in inputs:
        output = parameter.type[:-1].strip()
        number = types.number(output) if types.form(output) == "enum" else 0
        return (f'"{parameter.name}", CUP_ARGUMENT_{kind}, CUP_ARGUMENT_{"ENUM" if number else pointee}, '
                f"sizeof({output}), {number}, 0, false")
    size = f"sizeof({parameter.type})" if kind == "BYTES" else "0"
    return f'"{parameter.name}", CUP_ARGUMENT_{kind}, CUP_ARGUMENT_NONE, {size}, 0, 0, false'


def emit_arguments(headers, types, entry):
    """The names and kinds of the arguments, for the trace."""
    inputs = ARRAY_NAMES | NOT_OUTPUTS.get(re.sub(r"_pt[ds][sz]$", "", entry.symbol), set())
    lines = [f"static const struct cup_call_argument arguments_{entry.symbol}[] = {{"]
    lines += ["    {" + emit_argument(headers, types, entry, parameter, inputs) + "}," for parameter in entry.parameters]
    return lines + ["};"]


def emit_site(entry, arguments):
    """What hooks know of the function; of the capture only where a rule applies."""
    rule = CAPTURE_RULES[entry.capture][0]
    fields = [f'.name = "{entry.symbol}"', f'.base = "{entry.base}"', f".arguments = {arguments}",
              f".count = {len(entry.parameters)}"]
    if rule:
        fields += [".capture = " + " | ".join("CUP_CALL_" + part for part in rule),
                   f".subject = {capture_subject(entry)}"]
        if entry.flavour in THREAD_FLAVOURS:
            fields.append(".per_thread = true")
        if entry.precondition != "any":
            fields.append(f".precondition = check_{entry.precondition}")
    return ["    static const struct cup_call_site site = {" + ", ".join(fields) + "};"]


def emit_params(entry):
    """The parameters as one structure, which tools are given."""
    members = " ".join(f"__typeof__({p.name}) {p.name};" for p in entry.parameters)
    return [f"    const struct {{ {members} }} params = {{{', '.join(p.name for p in entry.parameters)}}};"]


def emit_bare(entry):
    """A function whose result is no CUresult: no hooks, no gate, no log."""
    declaration = f"CUresult CUDAAPI {entry.symbol}({argument_list(entry)})"
    names = ", ".join(p.name for p in entry.parameters)
    return [f"CUP_EXPORT {declaration};", declaration, "{", f"    return impl_{entry.symbol}({names});", "}", ""]


def emit_function(table, headers, types, entry):
    symbol = entry.symbol
    declaration = f"CUresult CUDAAPI {symbol}({argument_list(entry)})"
    names = ", ".join(p.name for p in entry.parameters)
    run = f"run_{symbol}({names if table.is_done(entry) else ''})"
    lines = [f"CUP_EXPORT {declaration};"]
    lines += emit_run(table, entry)
    arguments, values = "NULL", "NULL"
    lines += ["static CUP_COLD " + declaration.replace(f"CUDAAPI {symbol}", f"traced_{symbol}"), "{"]
    if entry.parameters:
        arguments, values = f"arguments_{symbol}", "values"
        lines += ["    " + line for line in emit_arguments(headers, types, entry)]
    lines += emit_site(entry, arguments)
    if entry.parameters:
        expressions = ", ".join(value_expression(headers, p) for p in entry.parameters)
        lines.append(f"    const uint64_t values[] = {{{expressions}}};")
        lines += emit_params(entry)
    params = "&params" if entry.parameters else "NULL"
    lines += [f"    struct cup_entrypoint_call call = cup_entrypoint_enter(&site, {values}, {params});", "",
              f"    return cup_entrypoint_leave(&site, {values}, &call, call.refused ? call.result : {run});", "}",
              declaration, "{",
              "    struct cup_thread *self = cup_gate_enter();",
              f"    CUresult outcome = cup_likely(!cup_entrypoint_hooked()) ? {run} : traced_{symbol}({names});", "",
              "    cup_gate_leave(self);",
              f'    return cup_likely(outcome == CUDA_SUCCESS) ? outcome : cup_entrypoint_failed("{symbol}", outcome);', "}",
              f"extern __typeof__({symbol}) local_{symbol} CUP_LOCAL_ALIAS({symbol});", ""]
    return lines


def emit_object(entry):
    size = int(entry.flavour[6:])
    kind = {4: "uint32_t {}", 8: "uint64_t {}"}.get(size, f"char {{}}[{size}]").format(entry.symbol)
    return [f"extern CUP_EXPORT {kind};", f"{kind};", ""]


def emit_entrypoints(table, headers, types):
    lines = [LICENSE + NOTICE,
             '#include "api/entrypoint.h"', '#include "api/refuse_32bit.h"', '#include "impl.h"',
             '#include "core/driver_version.h"', '#include "core/precondition.h"', ""]
    for name, call in PRECONDITIONS.items():
        if call:
            lines += [f"static CUP_COLD __attribute__((unused)) CUresult check_{name}(void)", "{",
                      f"    return {call};", "}", ""]
    chapter = None
    for entry in table.entries:
        if entry.chapter != chapter:
            chapter = entry.chapter
            lines += [f"/* {chapter} */", ""]
        if entry.is_object:
            lines += emit_object(entry)
        else:
            lines += emit_bare(entry) if entry.flavour == "bare" else emit_function(table, headers, types, entry)
    return "\n".join(lines)


def emit_names(table):
    names = sorted({name for e in table.entries if not e.is_object for name in (e.symbol, e.base)})
    lines = [LICENSE + NOTICE + '#include "api/entrypoint_names.h"\n',
             "/* Every name a function goes by, each with a zero behind it, and one more. */",
             "const char cup_entrypoint_names[] ="] + [f'    "{name}\\0"' for name in names] + ["    ;", ""]
    return "\n".join(lines)


# impl.h, procaddr_table.h, exports.map


def include_lines(headers_found):
    # The entry points need none of X11's names, and many machines have none of its headers.
    no_x11 = "".join(f"#ifndef {name}\n#define {name}\n#endif\n" for name in ("EGL_NO_X11", "MESA_EGL_NO_X11_HEADERS"))
    return no_x11 + "".join(f"#include <{name}>\n" for name in headers_found)


def emit_impl(table, headers_found):
    lines = [LICENSE + NOTICE + "#ifndef CUP_IMPL_H\n#define CUP_IMPL_H\n",
             include_lines(headers_found) + f'#include "api/{PRIVATE_HEADER}"\n']
    for entry in table.entries:
        if entry.state not in WITH_IMPL or entry.is_object:
            continue
        parameters = [p.declaration for p in entry.parameters]
        if table.takes_default_stream(entry):
            parameters.append("CUstream default_stream")
        lines.append(f"CUresult impl_{entry.symbol}({', '.join(parameters) or 'void'});")
    return "\n".join(lines + ["", "#endif", ""])


def emit_procaddr(table, headers_found):
    known = [e for e in table.entries if e.since and not e.is_object]
    lines = [LICENSE + NOTICE, include_lines(headers_found)]
    for entry in known:
        lines.append(f"CUresult CUDAAPI local_{entry.symbol}({argument_list(entry)});")
    bases = sorted({entry.base for entry in known})
    forms, index = [], []
    for base in bases:
        own = sorted((e for e in known if e.base == base), key=lambda e: -e.since)
        plain = [e for e in own if e.flavour not in THREAD_FLAVOURS]
        thread = [e for e in own if e.flavour in THREAD_FLAVOURS]
        index.append(f'    {{"{base}", {len(forms)}, {len(plain)}, {len(thread)}}},')
        forms += [f"    {{{e.since}, (cup_entry *)local_{e.symbol}}}," for e in plain + thread]
    lines += ["", "/* The forms of each name, newest first; those for the per-thread default stream last. */",
              "static const struct cup_procaddr_form procaddr_forms[] = {"] + forms + ["};", "",
              "/* The names, sorted. */",
              "static const struct cup_procaddr_name procaddr_names[] = {"] + index + ["};", ""]
    return "\n".join(lines)


# gdb finds compiled kernels by these names (src/exec/tools/debugger.c).
DEBUGGER_NAMES = ["__jit_debug_descriptor", "__jit_debug_register_code"]


def emit_exports(table):
    names = sorted(entry.symbol for entry in table.entries) + DEBUGGER_NAMES
    return "{\nglobal:\n" + "".join(f"    {name};\n" for name in names) + "local:\n    *;\n};\n"


def write_if_changed(path, text):
    path = pathlib.Path(path)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_or_check(arguments, text):
    """Writes a generated document, or says with --check that it is not what would be written."""
    if not arguments.check:
        write_if_changed(arguments.file, text)
        return 0
    path = pathlib.Path(arguments.file)
    if path.exists() and path.read_text() == text:
        return 0
    print(f"{path} is stale: run scripts/{pathlib.Path(sys.argv[0]).name} coverage", file=sys.stderr)
    return 1


def run_command(description, commands, options):
    """The command line of a generator: `commands` by name, `options` (name to default) of all of them."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    subparsers = parser.add_subparsers(required=True)
    for name, function in commands.items():
        command = subparsers.add_parser(name)
        command.set_defaults(function=function)
        for option, default in options.items():
            command.add_argument(option, default=default)
        if name == "generate":
            command.add_argument("--output", required=True)
        if name == "coverage":
            command.add_argument("--check", action="store_true")
            command.add_argument("file")
    arguments = parser.parse_args()
    try:
        return arguments.function(arguments)
    except TableError as error:
        print(error, file=sys.stderr)
        return 1


def command_generate(arguments):
    table, headers = load(arguments)
    found = [name for name in HEADERS if (pathlib.Path(arguments.include) / name).exists()]
    output = pathlib.Path(arguments.output)
    types = header_types.TypeTable(headers.types, headers.kind_of_base)
    write_if_changed(output / "entrypoints.c", emit_entrypoints(table, headers, types))
    write_if_changed(output / "entrypoint_names.c", emit_names(table))
    write_if_changed(output / "types.c", LICENSE + NOTICE + include_lines(found) + types.source())
    write_if_changed(output / "impl.h", emit_impl(table, found))
    write_if_changed(output / "procaddr_table.h", emit_procaddr(table, found))
    write_if_changed(output / "exports.map", emit_exports(table))
    return 0


# docs/API-COVERAGE.md


def version_text(since):
    return f"{since // 1000}.{since % 1000 // 10}" if since else "-"


def coverage_text(table):
    functions = [entry for entry in table.entries if not entry.is_object]
    chapters = {}
    for entry in functions:
        chapters.setdefault(entry.chapter, []).append(entry)

    done, refusing, missing = table.counts(functions)
    lines = ["<!-- SPDX-License-Identifier: MIT -->",
             "<!-- Made by scripts/entrypoints.py from src/api/entrypoints.def; do not edit. -->",
             "# Coverage of the driver API", "",
             f"cupipe exports all {len(table.entries)} names of the CUDA {version_text(max(e.since for e in table.entries))} driver: "
             f"{len(functions)} functions and "
             f"{len(table.entries) - len(functions)} variables of the debugger's interface.",
             f"{done} functions work. {refusing} refuse: they check their arguments and then always answer with an error, "
             "because what they are about does not exist here."
             + (f" {missing} answer CUDA_ERROR_NOT_SUPPORTED and say so once in the log." if missing else ""), "",
             "What does not exist here: contexts with 32-bit addresses, which the forms from before CUDA 3.2 need "
             "(`cuMemAlloc`; programs call `cuMemAlloc_v2`); the first forms of the stream memory operations, which NVIDIA's "
             "driver refuses as well; EGL streams and VDPAU, which need NVIDIA's libraries for them; logical endpoints and "
             "fabric clusters; contexts shared with graphics (CIG); NvSciSync; LUIDs, which are Windows' names of adapters; "
             "unified functions; the profiler's configuration of CUDA 11.", "",
             "Answers of the functions up to CUDA 13.0 are compared with recordings of NVIDIA's driver 580 on an H200; "
             "those that came later are known from NVIDIA's documentation and headers only, and have no `recorded` below.",
             "", "| chapter | done | refuses | of |", "|---|---:|---:|---:|"]
    for name, entries in chapters.items():
        lines.append(f"| {name} | {table.counts(entries)[0]} | {table.counts(entries)[1]} | {len(entries)} |")
    lines.append(f"| all chapters | {done} | {refusing} | {len(functions)} |")
    for name, entries in chapters.items():
        lines += ["", f"## {name}", "", "| symbol | since CUDA | state | known from |", "|---|---|---|---|"]
        for entry in entries:
            state = "done" if table.is_done(entry) else "not supported"
            if table.refuses(entry):
                state = "refuses"
            if entry.state.startswith("=") and entry.flavour not in THREAD_FLAVOURS:
                state += f", as {entry.target}"
            known = "documents" if entry.since > NEWEST_RECORDED else "recorded"
            lines.append(f"| {entry.symbol} | {version_text(entry.since)} | {state} | {known} |")
    return "\n".join(lines) + "\n"


def command_coverage(arguments):
    table, _ = load(arguments)
    return write_or_check(arguments, coverage_text(table))


def command_check(arguments):
    table, _ = load(arguments)
    done, refusing, _ = table.counts(table.entries)
    print(f"{len(table.entries)} names, {done} done, {refusing} refuse")
    return 0


def command_names(arguments):
    print("\n".join(sorted(entry.symbol for entry in Table(arguments.table).entries)))
    return 0


def main():
    return run_command(__doc__, {"generate": command_generate, "coverage": command_coverage,
                                 "check": command_check, "names": command_names},
                       {"--table": "src/api/entrypoints.def", "--include": "include"})


if __name__ == "__main__":
    sys.exit(main())
