#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything that is derived from libraries/npp/functions.def, the table of NPP's functions.

    npp.py generate --root DIR --output DIR
        include/*.h            prototypes, one header for each library
        npp_call_fields.h      the fields of struct npp_call: one for each parameter that occurs
        LIBRARY_entrypoints.c  the exported functions
        LIBRARY.so.MAJOR.map   what a library exports
    npp.py summary --root DIR

Lines of the table:

    !library NAME             the library of the lines that follow
    own NAME ...              functions that src/ has by these names
    bare NAME ...             undocumented names, which are not done
    OPERATION HANDLER         a family of functions: src/ has npp_HANDLER for it; `+`: src/ has the functions themselves;
                              `-`: not done
      ( PARAMETERS            of the names that follow; T and U stand for the types in a name
      : SUFFIX ...            OPERATION_SUFFIX_Ctx; `.` stands for no suffix

A name with * has a form without _Ctx in CUDA 12; one with - has no _Ctx; @12 and @13 mark those that only one version of
CUDA has. A function that is not done answers NPP_NOT_IMPLEMENTED_ERROR.
"""

import collections
import dataclasses
import pathlib
import re
import sys

from entrypoints import LICENSE, run_command, write_if_changed

NOTICE = "/* Made by scripts/npp.py from libraries/npp/functions.def; do not edit. */\n"
TYPE = r"(?:8u|8s|16u|16s|16f|32u|32s|32f|64u|64s|64f)c?"
HEADERS = {
    "nppial": "nppi_arithmetic_and_logical_operations.h", "nppicc": "nppi_color_conversion.h",
    "nppidei": "nppi_data_exchange_and_initialization.h", "nppif": "nppi_filtering_functions.h",
    "nppig": "nppi_geometry_transforms.h", "nppim": "nppi_morphological_operations.h",
    "nppist": "nppi_statistics_functions.h", "nppitc": "nppi_threshold_and_compare_operations.h",
    "npps": "npps_functions.h"}
MAJORS = ("13", "12")
# Arrays that a function reads from the host, though its prototype does not say const.
HOST_ARRAYS = r"_level$|_bound$|^noise$|key_const$|_step$|_steps$|level_count|^(values?|coeffs|quad|bound|low|high)$"

# Results that a function writes to the host, so that the call waits for its work.
HOST_RESULTS = {"new_number", "connected_region", "contours_totals_info_host", "contours_pixels_found_list_host"}


@dataclasses.dataclass
class Parameter:
    type: str  # with `const`, without stars
    stars: int
    name: str
    dims: list

    @property
    def declaration(self):
        inner = " const" if self.dims and self.stars and self.type.startswith("const ") else ""
        return f"{self.type} {'*' * self.stars}{inner + ' ' if inner else ''}{self.name}" + "".join(f"[{d}]" for d in self.dims)

    @property
    def is_image(self):
        return self.stars == 1 and not self.dims

    @property
    def kind(self):
        base = self.type.replace("const ", "")
        if self.stars:
            return "pointers" if self.dims else "pointer"
        if base in ("NppiSize", "NppiPoint", "NppiRect", "NppStreamContext", "NppiHOGConfig", "NppPointPolar", "NppiPoint32f"):
            return "struct"
        if self.dims and not self.type.startswith("const ") and not re.search(HOST_ARRAYS, self.name):
            return "pointer"  # results in device memory
        if self.dims:
            return "integers" if base == "int" else "values"
        if base == "double" or re.fullmatch(r"Npp" + TYPE, base) and not re.search(r"step$|^length$|mask_length$|anchor_at$", self.name):
            return "value"
        return "integer"


@dataclasses.dataclass
class Function:
    operation: str
    handler: str
    suffix: str
    library: str
    parameters: list
    majors: tuple
    context: bool
    plain: bool

    @property
    def is_handled(self):
        return self.handler not in ("-", "+")

    @property
    def base(self):
        return self.operation + ("_" + self.suffix if self.suffix else "")

    @property
    def symbol(self):
        return self.base + ("_Ctx" if self.context else "")


def types_of(suffix):
    for part in suffix.split("_"):
        if re.fullmatch(f"(?:{TYPE})+", part):
            return re.findall(TYPE, part)
    return []


def parse_parameter(text, types):
    match = re.fullmatch(r"(.*?)(\**)(?:const\b)?\s*(\w+)((?:\[\d*\])*)", text.strip())
    kind, stars, name, dims = match[1].strip(), match[2], match[3], re.findall(r"\[(\d*)\]", match[4])
    for letter, index in (("T", 0), ("U", 1)):
        if len(types) > index:
            kind = re.sub(rf"\b{letter}\b", "Npp" + types[index], kind)
    return Parameter(re.sub(r"\*const", "", kind), len(stars), name, dims)


def split_mark(word):
    match = re.fullmatch(r"(.*?)(-?)(\*?)(?:@(12|13))?", word)
    return match[1], not match[2], bool(match[3]), (match[4],) if match[4] else ("12", "13")


def logical_lines(path):
    lines = []
    for line in path.read_text().splitlines():
        if line.startswith("    "):
            lines[-1] += " " + line.strip()
        elif line and not line.startswith("#"):
            lines.append(line)
    return lines


class Table:
    def __init__(self, root):
        self.functions, self.own, self.bare = [], [], []  # own, bare: (library, symbol, majors)
        library = operation = handler = signature = None
        for line in logical_lines(root / "libraries/npp/functions.def"):
            words = line.split()
            if words[0] == "!library":
                library = words[1]
            elif words[0] in ("own", "bare"):
                for word in words[1:]:
                    base, context, plain, majors = split_mark(word)
                    if words[0] == "own":
                        self.own.append((library, base, majors))
                        continue
                    self.bare.append((library, base + ("_Ctx" if context else ""), majors))
                    if plain:
                        self.bare.append((library, base, ("12",)))
            elif words[0] == "(":
                signature = line.split("(", 1)[1].strip()
            elif words[0] == ":":
                for word in words[1:]:
                    self.add(library, operation, handler, signature, word)
            else:
                operation, handler = words
        self.libraries = list(dict.fromkeys([f.library for f in self.functions] + [o[0] for o in self.own]))

    def add(self, library, operation, handler, signature, word):
        suffix, context, plain, majors = split_mark(word)
        suffix = "" if suffix == "." else suffix
        types = types_of(suffix)
        parameters = [parse_parameter(text, types) for text in signature.split(",")] if signature else []
        self.functions.append(Function(operation, handler, suffix, library, parameters, majors, context, plain))

    def of(self, library):
        return [f for f in self.functions if f.library == library]


def emit_header(table, library):
    lines = [LICENSE + NOTICE, "#pragma once", "", '#include "nppdefs.h"', "", "#ifdef __cplusplus", 'extern "C" {', "#endif", ""]
    for function in table.of(library):
        parameters = ", ".join(p.declaration for p in function.parameters) or "void"
        lines.append(f"NppStatus {function.symbol}({parameters});")
        if function.plain:
            lines.append(f"NppStatus {function.base}({', '.join(p.declaration for p in function.parameters[:-1]) or 'void'});")
    return "\n".join(lines + ["", "#ifdef __cplusplus", "}", "#endif", ""])


def field_of(parameter):
    """The field of struct npp_call that holds an argument."""
    return parameter.name + {"pointers": "_planes", "values": "_v", "value": "_v", "integers": "_i"}.get(parameter.kind, "")


def emit_fields(table):
    """The fields that most functions have come first: a call is as long as the last field that it fills."""
    fields = {}
    for function in sorted(table.functions, key=lambda f: not f.is_handled):
        for p in function.parameters:
            count = 1
            for d in p.dims:
                count *= int(d)
            key = field_of(p)
            if not function.is_handled and key in fields:
                continue
            fields.setdefault(key, set()).add((p.kind, p.type.replace("const ", ""), count))
    uses_of = collections.Counter(field_of(p) for f in table.functions if f.is_handled for p in f.parameters)
    lines = [LICENSE + NOTICE]
    for name, uses in sorted(fields.items(), key=lambda field: (-uses_of[field[0]], field[0])):
        kinds = {use[0] for use in uses}
        if kinds & {"value", "values"}:
            lines.append(f"double {name}[{max(2, 2 * max(use[2] for use in uses))}];")
        elif "pointer" in kinds:
            lines.append(f"const void *{name};")
        elif "pointers" in kinds:
            lines.append(f"const void *{name}[4];")
        elif "struct" in kinds:
            lines.append(f"{next(iter(uses))[1]} {name};")
        elif "integers" in kinds:
            lines.append(f"int {name}[4];")
        else:
            lines.append(f"long long {name};")
    return "\n".join(lines) + "\n"


def type_constant(name):
    return "NPP_T_" + name.upper()


def emit_assignments(function):
    plain, copied = [], []
    for p in function.parameters:
        base = p.type.replace("const ", "")
        if p.kind in ("pointer", "struct", "integer"):
            plain.append(f".{p.name} = {p.name}" if p.kind != "integer" else f".{p.name} = (long long){p.name}")
        elif p.kind == "pointers":
            plain.append(f".{p.name}_planes = {{{', '.join(f'{p.name}[{i}]' for i in range(int(p.dims[0])))}}}")
        elif p.kind == "integers":
            plain.append(f".{p.name}_i = {{{', '.join(f'{p.name}[{i}]' for i in range(int(p.dims[0])))}}}")
        else:
            count = 1
            for d in p.dims:
                count *= int(d)
            address = ("&" if p.kind == "value" else "") + p.name
            kind = type_constant("64f" if base == "double" else base[3:])
            copied.append(f"    npp_load({kind}, {address}, call.{p.name}_v, {count});")
    return plain, copied


def layout_of(suffix):
    """Channels, planes, alpha, in place, masked, of the part of a suffix that says so."""
    for part in suffix.split("_"):
        match = re.fullmatch(r"I?(A?)(C|P)(\d)(?:(A?)(C|P)(\d))?I?(CM|M|C)?I?R?(?:Sfs)?", part)
        if match:
            channels = "2" if match[1] and match[3] == "1" else match[3]  # AC1: a color and alpha
            target = match[6] or channels
            return [channels, target, "1" if match[2] == "P" else "0", "1" if (match[5] or match[2]) == "P" else "0",
                    "1" if match[1] or match[4] else "0", "1" if match[7] else "0"]
    return ["1", "1", "0", "0", "0", "0"]


def buffer_size_bytes(function):
    """How many bytes the size of a buffer has that the function reports; 0: it reports none."""
    for p in function.parameters:
        if p.stars == 1 and p.name in ("buffer_size", "device_memory_buffer_size"):
            return 8 if p.type in ("size_t", "Npp64u") else 4
    return 0


def element_bytes(name):
    """Bytes of an element of a type such as 16sc."""
    return int(re.match(r"\d+", name)[0]) // 8 * (2 if name.endswith("c") else 1)


def emit_operands(function):
    """What the driver is told of the memory that a function touches: images with a step, of the size of the region, and
    signals of a length. Images in planes, and those of another size, are left out."""
    names = {p.name: p for p in function.parameters}
    channels, target, _, _, alpha, masked = layout_of(function.suffix)
    for name in ("src", "src1", "src2", "src_dst", "dst", "mask"):
        p = names.get(name)
        match = p and p.kind == "pointer" and re.fullmatch(rf"(const )?Npp({TYPE})", p.type)
        image = "size_roi" in names and name + "_step" in names and names[name + "_step"].kind == "integer"
        signal = "size_roi" not in names and "length" in names and name != "mask"
        if not match or not (image or signal):
            continue
        if function.operation == "nppiTranspose" and name == "dst":
            continue  # its region is turned
        count = 1 if signal or name == "mask" or function.operation.startswith("nppiCompare") and name == "dst" else (
            target if name.endswith("dst") else channels)
        step = f"offsetof(struct npp_call, {name}_step)" if image else "0"
        partly = "1" if alpha == "1" or masked == "1" or "mask" in names else "0"
        access = "NPP_READS" if match[1] else "NPP_READS | NPP_WRITES" if name == "src_dst" else (
            "NPP_WRITES" if name == "dst" else "NPP_READS")
        yield (f"{{offsetof(struct npp_call, {name}), {step}, {element_bytes(match[2])}, {count}, {access}, {partly}}}")


def emit_required(function):
    """Other addresses that must not be NULL: what is read, and planes of images. The driver is told nothing of them."""
    for p in function.parameters:
        if p.kind == "pointers" and p.name in ("src", "dst", "src_dst"):
            addresses = [f"{p.name}_planes[{i}]" for i in range(int(p.dims[0]))]
        elif p.kind == "pointer" and not p.dims and (p.type.startswith("const ") or p.name in ("constant", "constants")):
            addresses = [p.name]
        else:
            continue
        for address in addresses:
            yield f"{{offsetof(struct npp_call, {address}), 0, 0, 0, 0, 0}}"


def second_type(function):
    """The type of the second source; that of the first where there is none."""
    for p in function.parameters:
        match = re.fullmatch(rf"const Npp({TYPE})", p.type)
        if p.name == "src2" and match:
            return match[1]
    return (types_of(function.suffix) or ["8u"])[0]


def emit_function(function, order):
    last = max((field_of(p) for p in function.parameters), key=order.index, default=order[0])
    names = {p.name for p in function.parameters}
    types = types_of(function.suffix) or ["8u"]
    channels, target, planar, target_planar, alpha, masked = layout_of(function.suffix)
    plain, copied = emit_assignments(function)
    operands = list(emit_operands(function))
    operands += [required for required in emit_required(function)
                 if not any(operand.startswith(required.split(")")[0] + ")") for operand in operands)]
    parameters = ", ".join(p.declaration for p in function.parameters)
    listed = [f"    static const struct npp_operand operands[] = {{{', '.join(operands)}}};"] if operands else []
    lines = [f"NppStatus {function.symbol}({parameters})", "{", *listed,
             f'    static const struct npp_function function = {{"{function.symbol}", "{function.suffix}", '
             f"{type_constant(types[0])}, {type_constant(types[-1])}, {type_constant(second_type(function))}, {channels}, {target}, {planar}, {target_planar}, "
             f"{alpha}, {masked}, {int('border_type' in names)}, {int('mask_form' in names)}, {buffer_size_bytes(function)}, {int(bool(names & HOST_RESULTS))}, "
             f"npp_{function.handler}, {'operands' if operands else 'NULL'}, {len(operands)}, NPP_END_OF({last})}};",
             f"    struct npp_call call = {{{', '.join(plain)}}};", "", *copied, "    return npp_submit(&function, &call);", "}", ""]
    if function.plain:
        names = ", ".join(p.name for p in function.parameters[:-1])
        declared = ", ".join(p.declaration for p in function.parameters[:-1])
        lines += [f"NppStatus {function.base}({declared})", "{",
                  f"    return {function.symbol}({names}{', ' if names else ''}npp_default_context());", "}", ""]
    return lines


def emit_entrypoints(table, library):
    order = [re.search(r"(\w+)(?:\[\d+\])?;$", line)[1] for line in emit_fields(table).splitlines() if line.endswith(";")]
    done = [f for f in table.of(library) if f.is_handled]
    lines = [LICENSE + NOTICE, '#include "call.h"', '#include "handlers.h"', ""]
    if library in HEADERS:
        lines += [f"#include <{HEADERS[library]}>", ""]
    for function in done:
        lines += emit_function(function, order)
    return "\n".join(lines)


def emit_missing(table, library):
    names = [name for lib, name, _ in table.bare if lib == library]
    for function in table.of(library):
        if function.handler == "-":
            names += [function.symbol] + ([function.base] if function.plain else [])
    lines = [LICENSE + NOTICE, "#include <nppdefs.h>", "",
             f"int npp_{library}_not_implemented(void);", f"int npp_{library}_not_implemented(void)", "{",
             "    return NPP_NOT_IMPLEMENTED_ERROR;", "}", ""]
    lines += [f'int {name}(void) __attribute__((alias("npp_{library}_not_implemented")));' for name in names]
    return "\n".join(lines) + "\n"


def emit_map(table, library, major):
    names = [name for lib, name, majors in table.own + table.bare if lib == library and major in majors]
    for function in table.of(library):
        if major in function.majors:
            names.append(function.symbol)
        if function.plain and major == "12":
            names.append(function.base)
    return f"lib{library}.so.{major} {{\nglobal:\n" + "".join(f"    {n};\n" for n in sorted(names)) + "local:\n    *;\n};\n"


def emit_handlers(table):
    names = sorted({f.handler for f in table.functions if f.is_handled})
    return LICENSE + NOTICE + '#include "call.h"\n\n' + "".join(f"npp_handler npp_{name};\n" for name in names)


def command_generate(arguments):
    table, output = Table(pathlib.Path(arguments.root)), pathlib.Path(arguments.output)
    write_if_changed(output / "npp_call_fields.h", emit_fields(table))
    write_if_changed(output / "handlers.h", emit_handlers(table))
    for library in table.libraries:
        if library in HEADERS:
            write_if_changed(output / "include" / HEADERS[library], emit_header(table, library))
        write_if_changed(output / f"{library}_entrypoints.c", emit_entrypoints(table, library))
        write_if_changed(output / f"{library}_missing.c", emit_missing(table, library))
        for major in MAJORS:
            write_if_changed(output / f"lib{library}.so.{major}.map", emit_map(table, library, major))
    return 0


def count_names(functions):
    """Names that work, and all."""
    return (sum(1 + f.plain for f in functions if f.handler != "-"), sum(1 + f.plain for f in functions))


def coverage(root):
    """Rows and chapters of the page on coverage: one chapter for each library, with the families that are not whole."""
    table, rows, chapters = Table(root), [], []
    for library in table.libraries:
        done, every = count_names(table.of(library))
        own = sum(o[0] == library for o in table.own)
        bare = sum(b[0] == library for b in table.bare)
        rows.append((library, [f"lib{library}.so.{major}" for major in MAJORS], every + own + bare, done + own))
        families = {}
        for function in table.of(library):
            families.setdefault(function.operation, []).append(function)
        counts = {name: count_names(members) for name, members in families.items()}
        whole = sum(done == every for done, every in counts.values())
        parts = [f"`{name}` ({done} of {every})" for name, (done, every) in sorted(counts.items()) if done != every]
        chapters.append((library, whole, len(counts), bare, parts))
    return rows, chapters


def command_summary(arguments):
    table = Table(pathlib.Path(arguments.root))
    for library in table.libraries:
        done, every = count_names(table.of(library))
        own = sum(o[0] == library for o in table.own)
        print(f"{library}: {every + own + sum(b[0] == library for b in table.bare)} names, {done + own} work")
    return 0


def main():
    return run_command(__doc__, {"generate": command_generate, "summary": command_summary},
                       {"--root": str(pathlib.Path(__file__).resolve().parents[1])})


if __name__ == "__main__":
    sys.exit(main())
