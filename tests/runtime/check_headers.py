#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the headers of the runtime with those of an installed CUDA toolkit.

As tests/headers does for the driver's, whose parser it uses: names, then the values of one program that
is compiled and run with either include directory (sizes, alignments, offsets, enumerators, macros), then
the types of fields and functions. A C++ program that uses every template of cuda_runtime.h compiles with
both, and prints the same channel descriptors.

usage: check_headers.py LIBRARY_FOLDER [FLAG...]
The toolkit is CUDA_INCLUDE, CUDA_HOME, or that of nvcc on PATH; if it is older than our headers, they must have all of
it and may have more, as with the driver's. The flags are for the program that is linked with the library, which may
need a sanitizer.
Exit status: 0 equal, 1 different, 77 no such toolkit (the headers are then only compiled).
"""
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "headers"))
import check_headers as driver    # noqa: E402  (the folder is known only now)

OURS = ROOT / "runtime" / "include"
COMPARED = ["host_defines.h", "vector_types.h", "vector_functions.h", "device_types.h", "driver_types.h", "texture_types.h",
            "surface_types.h", "library_types.h", "builtin_types.h", "driver_functions.h", "cuda_runtime_api.h",
            "cuda_runtime.h", "cuda_profiler_api.h", "cuda_gl_interop.h", "cuda_vdpau_interop.h", "cuda_egl_interop.h"]
OPTIONAL = "cuda_profiler_api.h"    # pip has it in a package of its own


def includes(toolkit):
    """On Arm, the toolkit's cuda_gl_interop.h leaves including OpenGL to its user."""
    there = [h for h in COMPARED if h != OPTIONAL or (toolkit / h).is_file()]
    return "#include <vdpau/vdpau.h>\n#include <GL/gl.h>\n" + "".join(f"#include <{h}>\n" for h in there)


VIEWS = {"public": [], "per-thread": ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]}
# Macros that say how the headers themselves are written, not what they offer.
PRIVATE_MACRO = re.compile(r"__|CUDART_CB$|CUDARTAPI|EXCLUDE_FROM_RTC|RESOLVED|DEPRECATED|CUDART_DEVICE|_H_?$")


class Parser(driver.Parser):
    """The runtime's headers define structs and enums outside of typedefs, and return other types than CUresult."""

    def parse(self):
        while self.at < len(self.tokens):
            token = self.peek()
            if token == "extern" and self.peek(1).startswith('"'):
                self.at += 3 if self.peek(2) == "{" else 2
            elif token in ("}", ";"):
                self.take()
            elif token == "typedef":
                self.take()
                self.typedef()
            elif token in ("struct", "union", "enum") and self.peek(2) == "{":
                spelling, fields = self.definition()
                if fields is not None:
                    self.out.records[spelling] = fields
                self.take(";")
            elif token in ("struct", "union", "enum") and self.peek(2) == ";":
                self.at += 2
            else:
                self.function()

    def typedef(self):
        """A record is known by its tag if it has one, whichever way it is written."""
        tag = f"{self.peek()} {self.peek(1)}" if self.peek(2) == "{" and self.peek() != "enum" else None
        before = set(self.out.records)
        super().typedef()
        if tag:
            name, = [n for n in self.out.records if n not in before and n in self.out.typedefs]
            self.out.records[tag] = self.out.records.pop(name)

    def function(self):
        head = []
        while self.peek() != "(":
            head.append(self.take())
            if head[-1] in ("", ";"):
                raise driver.Failure("cannot parse: " + " ".join(head))
        parameters = driver.split_parameters(self.skip_balanced("(", ")"))
        if self.peek() == "{":
            self.skip_balanced("{", "}")
            self.out.inlines.add(head[-1])
        else:
            self.take(";")
            self.out.functions[head[-1]] = [(t, n) for n, t in parameters]


def without_attributes(text):
    """Drops __attribute__((...)), which may have parentheses in strings."""
    parts, at = [], 0
    for found in re.finditer(r"__attribute__\s*\(|\b(?:_Alignas|alignas)\s*\(", text):
        if found.start() < at:
            continue
        parts.append(text[at:found.start()])
        depth, at = 1, found.end()
        while depth:
            if text[at] == '"':
                at = text.index('"', at + 1)
            depth += (text[at] == "(") - (text[at] == ")")
            at += 1
    return "".join(parts) + text[at:]


def declarations(include, flags, work, text_included):
    source = work / "all.c"
    source.write_text(text_included)
    base = driver.CC + ["-std=gnu11", "-w", *flags, "-I", include, "-I", ROOT / "include", "-idirafter", work / "stubs"]
    result = driver.run(base + ["-E", source])
    if result.returncode:
        raise driver.Failure(f"{include} does not preprocess:\n{result.stderr}")
    prefix, text, keep = str(include), [], False
    for line in result.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            keep = marker[1].startswith(prefix) and not marker[1].endswith(("/cuda.h", "cudaGL.h", "cudaVDPAU.h", "cudaEGL.h"))
        elif keep and not line.startswith("#"):
            text.append(line)
    out = driver.Declarations()
    Parser(without_attributes("\n".join(text)), out).parse()
    for name in out.inlines:    # may be declared before
        out.functions.pop(name, None)
    keep = False
    for line in driver.run(base + ["-E", "-dD", source]).stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        macro = re.match(r"#define (\w+) (.+)", line)    # object-like alone
        undone = re.match(r"#undef (\w+)", line)
        if marker:
            keep = marker[1].startswith(prefix) and Path(marker[1]).name in COMPARED
        elif undone:
            out.macros.pop(undone[1], None)
        elif keep and macro and not PRIVATE_MACRO.match(macro[1]):
            out.macros[macro[1]] = macro[2]
    return out


def compare_names(view, ours, theirs, older):
    problems = []
    for kind in ("functions", "typedefs", "enumerators", "macros", "records", "inlines"):
        a = {n for n in getattr(ours, kind) if not n.startswith("__")}
        b = {n for n in getattr(theirs, kind) if not n.startswith("__")}
        if kind == "inlines":    # what is inline there may be a function here
            b -= set(ours.functions) | set(ours.macros)
        if kind == "functions":
            a -= theirs.inlines
        problems += [f"{view}: {n} ({kind}) is missing here" for n in sorted(b - a)]
        problems += [f"{view}: {n} ({kind}) is unknown to the toolkit" for n in sorted(a - b) if not older]
    for name in sorted(ours.functions.keys() & theirs.functions.keys()):
        if len(ours.functions[name]) != len(theirs.functions[name]):
            problems.append(f"{view}: {name} has another number of parameters")
    for name in sorted(ours.records.keys() & theirs.records.keys()):
        a, b = [f for f, _ in ours.records[name]], [f for f, _ in theirs.records[name]]
        problems += [f"{view}: field {f} of {name} is missing here" for f in b
                     if f not in a and not (older and driver.Changes.FIELDS.fullmatch(f))]
        problems += [f"{view}: field {f} of {name} is unknown to the toolkit" for f in a if f not in b and not older]
    return problems


def values_program(declared):
    lines = []

    def show(label, expression):
        lines.append(f'    printf("%s %lld\\n", "{label}", (long long)({expression}));')

    for name, text in sorted(declared.typedefs.items()):
        show(f"sizeof {name}", f"sizeof({name})")
        show(f"alignof {name}", f"_Alignof({name})")
    for record, fields in sorted(declared.records.items()):
        show(f"sizeof {record}", f"sizeof({record})")
        show(f"alignof {record}", f"_Alignof({record})")
        for path, _ in fields:
            show(f"offsetof {record}.{path}", f"offsetof({record}, {path})")
            show(f"sizeof {record}.{path}", f"sizeof((({record} *)0)->{path})")
    for name in sorted(declared.enumerators):
        show(f"enumerator {name}", name)
    for name, replacement in sorted(declared.macros.items()):
        if "{" in replacement:
            continue
        if name.startswith("cuda") and re.match(r"[A-Za-z_]", replacement):    # another name of something
            lines.append(f'    puts("macro {name} " TEXT({name}));')
        else:
            show(f"macro {name}", name)
    return ("#include <stddef.h>\n#include <stdio.h>\n#define TEXT_OF(x) #x\n#define TEXT(x) TEXT_OF(x)\n"
            "int main(void)\n{\n" + "\n".join(lines) + "\n    return 0;\n}\n"), len(lines)


def types_program(declared):
    checks = []

    def same(label, expression, our_type):
        checks.append(f"_Static_assert(__builtin_types_compatible_p(__typeof__({expression}), {our_type}), \"{label}\");")

    for name, parameters in sorted(declared.functions.items()):
        if name in declared.macros:
            checks.append(f"#undef {name}")
        types = ", ".join(t for t, _ in parameters) or "void"
        returned = "const char *" if name in ("cudaGetErrorName", "cudaGetErrorString") else None
        returned = returned or ("struct cudaChannelFormatDesc" if name == "cudaCreateChannelDesc" else "cudaError_t")
        same(name, f"&{name}", f"{returned} (*)({types})")
    for record, fields in sorted(declared.records.items()):
        for path, text in fields:
            if text:
                same(f"{record}.{path}", f"&(({record} *)0)->{path}", driver.pointer_to(text))
    return "\n".join(checks) + "\n", sum(not c.startswith("#") for c in checks)


def compile_ours():
    """Every header compiles alone, as C and as C++, without a warning; cudart_clang.h is for clang -x cuda alone."""
    problems, count = [], 0
    for language, command in (("c", driver.CC + ["-std=c11"]), ("c++", driver.CXX + ["-std=c++11"])):
        for flags in VIEWS.values():
            for header in sorted(p.name for p in OURS.glob("*.h")):
                if header == "cudart_clang.h" or language == "c" and header.startswith("cudart_"):
                    continue
                count += 1
                result = driver.run(command + ["-x", language, "-Wall", "-Wextra", "-pedantic", "-Werror", *flags, "-I", OURS,
                                               "-I", ROOT / "include", "-fsyntax-only", "-"],
                                    input=f"#include <{header}>\nint nothing;\n")
                if result.returncode:
                    first = "\n".join(result.stderr.splitlines()[:driver.SHOWN])
                    problems.append(f"{header} ({language}) does not compile:\n{first}")
    return problems, count


def compare_outputs(name, source, command, folders, work, older):
    outputs = []
    for include in folders:
        binary = work / f"{name}-{len(outputs)}"
        result = driver.run(command[0] + ["-w", "-I", include, "-I", ROOT / "include", "-idirafter", work / "stubs", source,
                                          "-o", binary, *command[1]])
        if result.returncode:
            return [f"{name} does not compile with {include}:\n" + "\n".join(result.stderr.splitlines()[:3 * driver.SHOWN])]
        result = driver.run([binary])
        if result.returncode:
            return [f"{name} ends with {result.returncode}:\n" + "\n".join(result.stderr.splitlines()[:driver.SHOWN])]
        outputs.append(result.stdout.splitlines())
    if not outputs[0] or len(outputs[0]) != len(outputs[1]):
        return [f"{name}: {len(outputs[0])} lines here, {len(outputs[1])} with the toolkit's headers"]
    return [f"{name}: here '{a}', toolkit '{b}'" for a, b in zip(*outputs)
            if a != b and not (older and driver.Changes.allow(a, b))]


def check(work, toolkit, library, flags_linked):
    for path, text in driver.STUBS.items():
        stub = work / "stubs" / path
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(text)
    problems, compiled = compile_ours()
    if problems or not toolkit:
        return problems, f"{compiled} compilations"
    report, text, older = [], includes(toolkit), driver.cuda_version(toolkit) < driver.cuda_version(driver.OURS)
    for view, flags in VIEWS.items():
        ours, theirs = declarations(OURS, flags, work, text), declarations(toolkit, flags, work, text)
        problems += compare_names(view, ours, theirs, older)
        both = driver.common(ours, theirs, older)
        program, values = values_program(both)
        source = work / f"values-{view}.c"
        source.write_text(text + program)
        problems += compare_outputs(f"values-{view}", source, (driver.CC + ["-std=gnu11", *flags], []), (OURS, toolkit), work,
                                    older)
        program, types = types_program(both)
        source = work / f"types-{view}.c"
        source.write_text(text + program)
        result = driver.run(driver.CC + ["-std=gnu11", "-w", "-fsyntax-only", *flags, "-I", toolkit, "-idirafter",
                                         work / "stubs", source])
        problems += [f"{view}: type differs: {e}" for e in result.stderr.splitlines() if "error" in e]
        report.append(f"{view}: {len(both.functions)} functions, {len(both.records)} records, {len(both.enumerators)} "
                      f"enumerators, {len(both.macros)} macros; {values} values and {types} types compared")
    problems += compare_outputs("templates", HERE / "templates.cpp",
                                (driver.CXX + ["-std=c++11", f"-DCUDART_VERSION_COMPARED={driver.cuda_version(toolkit)}"],
                                 ["-L", library, "-lcudart", f"-Wl,-rpath,{library}", *flags_linked]),
                                (OURS, toolkit), work, False)
    return problems, "\n".join(report)


def main():
    driver.NEEDED, driver.OURS = ["cuda.h", "cuda_runtime.h", "cuda_gl_interop.h"], ROOT / "include"
    toolkit = driver.find_toolkit()
    with tempfile.TemporaryDirectory(prefix="check-runtime-headers-") as work:
        try:
            problems, report = check(Path(work), toolkit, sys.argv[1], sys.argv[2:])
        except driver.Failure as failure:
            problems, report = [str(failure)], ""
    if problems:
        print("\n".join(problems[:4 * driver.SHOWN]))
        if len(problems) > 4 * driver.SHOWN:
            print(f"... and {len(problems) - 4 * driver.SHOWN} more")
        return 1
    print(report)
    print(driver.verdict(toolkit) if toolkit else "skipped: no toolkit of this major version")
    return 0 if toolkit else driver.SKIP


if __name__ == "__main__":
    sys.exit(main())
