#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares our public headers with those of an installed CUDA toolkit.

Both are seen three ways: as a program sees them, with CUDA_API_PER_THREAD_DEFAULT_STREAM, and with
__CUDA_API_VERSION_INTERNAL. For each view the declarations of both are parsed, then
  - names: whatever the toolkit declares must be declared here, and nothing may be invented;
  - values: one program prints sizes, alignments, offsets, enumerators and macros; it is compiled
    and run against either include directory, and the two outputs must be equal;
  - types: the types of fields, typedefs and functions, spelled as in our headers, must be
    compatible with what the toolkit declares under that name.

The toolkit is CUDA_INCLUDE (a directory), CUDA_HOME, or that of the nvcc on PATH, if it has the
major version of our headers and is not newer. Of an older one, everything must be declared here with
the same values and types, and ours may have more; what a newer version changes by design is listed
below (Changes). src/core/enumerators.def and src/api/entrypoints.def say since when names exist: the
toolkit must have those of its version and none that came later.
Exit status: 0 equal, 1 different, 77 no such toolkit (the headers are then only compiled).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

OURS = Path(__file__).resolve().parents[2] / "include"
HEADERS = ["cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h"]
NEEDED = HEADERS[:4]    # what makes a folder a toolkit
VIEWS = {
    "public": [],
    "per-thread": ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"],
    "internal": ["-D__CUDA_API_VERSION_INTERNAL"],
}
CC = os.environ.get("CC", "cc").split()
CXX = os.environ.get("CXX", "c++").split()
SKIP = 77
SHOWN = 10

# Stand-ins for headers of other projects, searched last, so that installed ones are preferred.
STUBS = {
    "GL/gl.h": "#define GL_VERSION 0x1f02\ntypedef unsigned int GLenum;\ntypedef unsigned int GLuint;\n",
    "EGL/egl.h": "typedef int EGLint;\n",
    "EGL/eglext.h": "typedef void *EGLImageKHR;\ntypedef void *EGLStreamKHR;\n"
                    "typedef void *EGLSyncKHR;\n",
    "vdpau/vdpau.h": "#include <stdint.h>\n"
                     "typedef uint32_t VdpDevice, VdpFuncId, VdpOutputSurface, VdpVideoSurface;\n"
                     "typedef int VdpStatus;\n"
                     "typedef VdpStatus VdpGetProcAddress(VdpDevice, VdpFuncId, void **);\n",
}
ENUMERATORS = OURS.parent / "src" / "core" / "enumerators.def"
ENTRY_POINTS = OURS.parent / "src" / "api" / "entrypoints.def"


class Failure(Exception):
    pass


class Changes:
    """What differs by design from the headers of an older version."""

    # The ends of enumerations, and the versions themselves.
    VALUES = re.compile(r"\w+_MAX|CU_JIT_NUM_OPTIONS|\w+(?:Attr|Attribute)Max|cudaGraphNodeTypeCount|"
                        r"CUDA_VERSION|CUDART_VERSION")
    # New fields take the place of fields without a meaning.
    FIELDS = re.compile(r"(?:.*\.)?(?:reserved|padding|unused|_oversize)\d*")
    # Members of unions that have room for more, and the records with these members.
    GROWN = re.compile(r"CUDA_(?:HOST|EVENT_RECORD|EXT_SEM_SIGNAL|EXT_SEM_WAIT)_NODE_PARAMS(?:_v2)?|"
                       r"CUgraphNodeParams\.\w+|CUdevSmResource|CUdevResource(?:_v1|_v1\.sm)?|"
                       r"struct cuda(?:Host|Kernel|Conditional|EventRecord|ExternalSemaphoreSignal|"
                       r"ExternalSemaphoreWait)NodeParams(?:V2)?|struct cudaMemsetParamsV2|"
                       r"struct cudaGraphNodeParams\.\w+|struct cudaDevSmResource|struct cudaDevResource_st\.sm")
    # Names that an older version had.
    GONE = {"CUdevSmResourceSplit_flags", "CU_DEV_RESOURCE_TYPE_MAX", "RESOURCE_ABI_EXTERNAL_BYTES",
            "RESOURCE_ABI_VERSION"}

    @classmethod
    def allow(cls, ours, theirs):
        """Whether two lines of the list of values may differ."""
        what, rest = ours.split(" ", 1)
        name, mine = rest.rsplit(" ", 1)
        if what in ("enumerator", "macro"):
            return bool(cls.VALUES.fullmatch(name))
        return what in ("sizeof", "alignof") and bool(cls.GROWN.fullmatch(name)) and int(mine) > int(theirs.split()[-1])


def includes(toolkit=None):
    """The headers that are compared; those of pip lack cudaProfiler.h."""
    there = [h for h in HEADERS if not toolkit or (toolkit / h).is_file()]
    return "".join(f"#include <{h}>\n" for h in ["cuda.h", "vdpau/vdpau.h"] + there[1:])


def find_toolkit():
    places = []
    if os.environ.get("CUDA_INCLUDE"):
        places.append(Path(os.environ["CUDA_INCLUDE"]))
    if os.environ.get("CUDA_HOME"):
        places.append(Path(os.environ["CUDA_HOME"]) / "include")
    nvcc = shutil.which("nvcc")
    if nvcc:
        root = Path(nvcc).resolve().parents[1]
        places.append(root / "include")
        places += sorted(root.glob("targets/*/include"))
    for place in places:
        if all((place / h).is_file() for h in NEEDED) and place.resolve() != OURS:
            version = cuda_version(place)
            if version // 1000 == cuda_version(OURS) // 1000 and version <= cuda_version(OURS):
                return place
    return None


def cuda_version(include):
    return int(re.search(r"#define CUDA_VERSION\s+(\d+)", (include / "cuda.h").read_text())[1])


def run(command, **kwargs):
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, **kwargs)


# Parsing: enough of C for declarations without bodies, after the preprocessor.

TOKEN = re.compile(r'\s*("(?:\\.|[^"\\])*"|[A-Za-z_]\w*|\d\w*|<<|>>|\.\.\.|.)')
QUALIFIERS = {"extern", "static", "inline", "__inline", "__inline__"}


class Declarations:
    """What one view of one set of headers declares."""

    def __init__(self):
        self.functions = {}    # name -> [(type text, parameter name)]
        self.inlines = set()
        self.typedefs = {}     # name -> type text with @ for the name, or None for a definition
        self.records = {}      # type as C spells it -> [(field path, type text or None)]
        self.tags = set()
        self.enumerators = {}  # name -> type it belongs to
        self.macros = {}       # object-like macros: name -> replacement


class Parser:
    def __init__(self, text, out):
        self.tokens = TOKEN.findall(text)
        self.at = 0
        self.out = out

    def peek(self, ahead=0):
        i = self.at + ahead
        return self.tokens[i] if i < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected is not None and token != expected:
            near = " ".join(self.tokens[max(0, self.at - 8):self.at + 8])
            raise Failure(f"cannot parse: expected '{expected}' near: {near}")
        self.at += 1
        return token

    def skip_balanced(self, opening, closing):
        start, depth = self.at, 0
        while True:
            token = self.take()
            if token == "":
                raise Failure(f"cannot parse: '{opening}' is never closed")
            depth += (token == opening) - (token == closing)
            if depth == 0:
                return self.tokens[start + 1:self.at - 1]

    def parse(self):
        while self.at < len(self.tokens):
            token = self.peek()
            if token == "extern" and self.peek(1).startswith('"'):
                self.at += 2
                if self.peek() == "{":
                    self.take()
            elif token in ("}", ";"):
                self.take()
            elif token == "typedef":
                self.take()
                self.typedef()
            else:
                self.function()

    def definition(self):
        """struct/union/enum [tag] [{...}]: returns (spelling, fields or None)."""
        kind = self.take()
        tag = self.take() if re.match(r"[A-Za-z_]", self.peek()) else None
        if tag:
            self.out.tags.add(f"{kind} {tag}")
        spelling = f"{kind} {tag}" if tag else None
        if self.peek() != "{":
            return spelling, None
        if kind == "enum":
            for item in " ".join(self.skip_balanced("{", "}")).split(","):
                if item.strip():
                    self.out.enumerators[item.split()[0]] = spelling
            return spelling, None
        return spelling, self.fields()

    def fields(self):
        found = []
        self.take("{")
        while self.peek() != "}":
            if self.peek() in ("_Alignas", "alignas"):
                self.take()
                self.skip_balanced("(", ")")
            if self.peek() in ("struct", "union") and "{" in (self.peek(1), self.peek(2)):
                spelling, inner = self.definition()
                name = None if self.peek() == ";" else self.take()
                self.take(";")
                if spelling:
                    self.out.records[spelling] = inner
                if name:
                    found.append((name, None))
                found += [(f"{name}.{p}" if name else p, t) for p, t in inner]
                continue
            declaration = []
            while self.peek() != ";":
                declaration.append(self.take())
            self.take(";")
            found += split_declarators(declaration)
        self.take("}")
        return found

    def typedef(self):
        if self.peek() in ("struct", "union", "enum") and "{" in (self.peek(1), self.peek(2)):
            is_enum = self.peek() == "enum"
            spelling, fields = self.definition()
            name = self.take()
            self.take(";")
            self.out.typedefs[name] = None
            if not is_enum:
                self.out.records[name] = fields
            return
        declaration = []
        while self.peek() != ";":
            declaration.append(self.take())
        self.take(";")
        if declaration[0] in ("struct", "union", "enum"):
            self.out.tags.add(" ".join(declaration[:2]))
        if "(" in declaration:    # a pointer to a function
            at = declaration.index(")") - 1
            name = declaration[at]
            parameters = [p[1] for p in split_parameters(declaration[at + 3:-1])]
            text = " ".join(declaration[:at]) + " @ ) ( " + ", ".join(parameters) + " )"
        else:
            name, text = split_declarator(declaration)
        self.out.typedefs[name] = text

    def function(self):
        head = []
        while self.peek() != "(":
            head.append(self.take())
            if head[-1] in ("", ";"):
                raise Failure("cannot parse: " + " ".join(head))
        name = head[-1]
        returned = [t for t in head[:-1] if t not in QUALIFIERS]
        parameters = split_parameters(self.skip_balanced("(", ")"))
        if self.peek() == "{":
            self.skip_balanced("{", "}")
            self.out.inlines.add(name)
        else:
            self.take(";")
        if returned != ["CUresult"]:
            raise Failure(f"cannot parse: {name} returns {' '.join(returned)}")
        self.out.functions[name] = [(t, n) for n, t in parameters]


def split_declarator(tokens):
    """['char', 'x', '[', '4', ']'] -> ('x', 'char [ 4 ]')"""
    end = tokens.index("[") if "[" in tokens else len(tokens)
    return tokens[end - 1], " ".join(tokens[:end - 1] + tokens[end:])


def split_declarators(tokens):
    """['int', 'x', ',', 'y'] -> [('x', 'int'), ('y', 'int')]"""
    if "," not in tokens or "(" in tokens:
        return [split_declarator(tokens)]
    first = tokens[:tokens.index(",")]
    base = split_declarator(first)[1]
    return [split_declarator(first)] + [(t, base) for t in tokens[len(first):] if t != ","]


def split_parameters(tokens):
    if not tokens or tokens == ["void"]:
        return []
    groups, depth = [[]], 0
    for token in tokens:
        depth += (token in "([") - (token in ")]")
        if token == "," and depth == 0:
            groups.append([])
        else:
            groups[-1].append(token)
    return [split_declarator(g) for g in groups]


def declarations(include, flags, work, view, text):
    """Parses what HEADERS under `include` declare; `text` includes them."""
    source = work / f"all-{view}.c"
    source.write_text(text)
    base = CC + ["-std=c11", "-DCUDA_ENABLE_DEPRECATED", *flags, "-I", include,
                 "-idirafter", work / "stubs"]
    result = run(base + ["-E", source])
    if result.returncode:
        raise Failure(f"{include} ({view}) does not preprocess:\n{result.stderr}")
    wanted, text = {str(include / h) for h in HEADERS}, []
    keep = False
    for line in result.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            keep = marker[1] in wanted
        elif keep and not line.startswith("#"):
            text.append(line)
    out = Declarations()
    Parser("\n".join(text), out).parse()

    # -dD keeps the linemarkers, so that the macros of other headers can be told apart.
    keep = False
    for line in run(base + ["-E", "-dD", source]).stdout.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        macro = re.match(r"#(define|undef) (\w+)(\()?(?:.*?\))?\s*(.*)", line)
        if marker:
            keep = marker[1] in wanted
        elif keep and macro and macro[1] == "undef":
            out.macros.pop(macro[2], None)
        elif keep and macro and not macro[3]:
            out.macros[macro[2]] = line.split(macro[2], 1)[1].strip()
    return out


# Comparing

def common(ours, theirs, older):
    """What both declare, of which values and types are compared. The names of the rest are reported."""
    both = Declarations()
    for kind in ("functions", "typedefs", "enumerators", "macros"):
        setattr(both, kind, {k: v for k, v in getattr(ours, kind).items() if k in getattr(theirs, kind)})
    for name in ours.records.keys() & theirs.records.keys():
        known = {f for f, _ in theirs.records[name]}
        both.records[name] = [(f, t) for f, t in ours.records[name] if (f in known or f.rstrip("0123456789: ") in known)
                              and not (older and Changes.FIELDS.fullmatch(f))]
    return both


def compare_names(view, ours, theirs, internal, older):
    """`internal` is the toolkit's internal view: our public view may show more of that."""
    problems = []

    def differ(what, a, b, allowed=()):
        problems.extend(f"{view}: {what} {n} is missing here"
                        for n in sorted(set(b) - set(a)) if not (older and n in Changes.GONE))
        problems.extend(f"{view}: {what} {n} is unknown to the toolkit"
                        for n in sorted(set(a) - set(b) - set(allowed)) if not older)

    differ("function", ours.functions, theirs.functions, internal.functions)
    differ("type", ours.typedefs, theirs.typedefs)
    differ("tag", ours.tags, theirs.tags)
    differ("enumerator", ours.enumerators, theirs.enumerators)
    differ("macro", ours.macros, theirs.macros)
    for name in ours.records.keys() & theirs.records.keys():
        differ(f"field of {name},", [f for f, _ in ours.records[name]],
               [f for f, _ in theirs.records[name] if not (older and Changes.FIELDS.fullmatch(f))])
    for name in ours.functions.keys() & theirs.functions.keys():
        if len(ours.functions[name]) != len(theirs.functions[name]):
            problems.append(f"{view}: {name} has another number of parameters")
    return problems


def values_program(declared):
    """Returns the program and the number of lines it prints."""
    lines = []

    def show(label, expression):
        lines.append(f'    printf("%s %lld\\n", "{label}", (long long)({expression}));')

    for name in sorted(declared.typedefs):
        show(f"sizeof {name}", f"sizeof({name})")
        show(f"alignof {name}", f"_Alignof({name})")
    for record, fields in sorted(declared.records.items()):
        for path, _ in fields:
            show(f"offsetof {record}.{path}", f"offsetof({record}, {path})")
            show(f"sizeof {record}.{path}", f"sizeof((({record} *)0)->{path})")
    for name in sorted(declared.enumerators):
        show(f"enumerator {name}", name)
    for name, replacement in sorted(declared.macros.items()):
        if replacement and not name.startswith("cu"):
            show(f"macro {name}", name)
        elif replacement:    # a renamed function: print what it stands for
            lines.append(f'    puts("macro {name} " TEXT({name}));')
    text = ("#include <stddef.h>\n#include <stdio.h>\n"
            "#define TEXT_OF(x) #x\n#define TEXT(x) TEXT_OF(x)\n"
            "int main(void)\n{\n" + "\n".join(lines) + "\n    return 0;\n}\n")
    return text, len(lines)


def compare_values(view, flags, program, count, toolkit, work, older):
    outputs = []
    for which, include in (("ours", OURS), ("theirs", toolkit)):
        source, binary = work / f"values-{view}-{which}.c", work / f"values-{view}-{which}"
        source.write_text(program)
        result = run(CC + ["-std=c11", "-w", *flags, "-I", include, "-idirafter", work / "stubs",
                           source, "-o", binary])
        if result.returncode:
            return [f"{view}: the list of values does not compile with {include}:\n"
                    + "\n".join(result.stderr.splitlines()[:3 * SHOWN])]
        result = run([binary])
        outputs.append(result.stdout.splitlines())
        if result.returncode or len(outputs[-1]) != count:
            return [f"{view}: the list of values of {include} is cut short"]
    return [f"{view}: here '{a}', toolkit '{b}'" for a, b in zip(*outputs)
            if a != b and not (older and Changes.allow(a, b))]


def types_program(declared):
    """Our spelling of every type, asserted against the toolkit's. Returns (text, count)."""
    checks = []

    def same(label, expression, our_type):
        checks.append(f"_Static_assert(__builtin_types_compatible_p(__typeof__({expression}), "
                      f'{our_type}), "{label}");')

    for name, parameters in sorted(declared.functions.items()):
        types = ", ".join(t for t, _ in parameters) or "void"
        # Parentheses do not stop an object-like macro: undo the renaming first.
        checks.append(f"#undef {name}")
        same(name, f"&{name}", f"CUresult (*)({types})")
    for name, text in sorted(declared.typedefs.items()):
        if text:
            same(f"typedef {name}", f"({name} *)0", pointer_to(text))
    for record, fields in sorted(declared.records.items()):
        for path, text in fields:
            if text:
                same(f"{record}.{path}", f"&(({record} *)0)->{path}", pointer_to(text))
    count = sum(not c.startswith("#") for c in checks)
    return "\n".join(checks) + "\n", count


def pointer_to(text):
    if "@" in text:
        return text.replace("@", "*")
    base, bracket, rest = text.partition("[")
    return f"{base} (*) {bracket}{rest}" if bracket else f"{base} *"


def compare_types(view, flags, program, toolkit, work):
    source = work / f"types-{view}.c"
    source.write_text(program)
    result = run(CC + ["-std=gnu11", "-w", "-fsyntax-only", *flags, "-I", toolkit,
                       "-idirafter", work / "stubs", source])
    errors = [line for line in result.stderr.splitlines() if "error" in line]
    if result.returncode and not errors:
        errors = result.stderr.splitlines()
    return [f"{view}: type differs: {e}" for e in errors]


def compile_ours(work):
    """Every header must compile alone, as C and as C++, without a warning."""
    problems, count = [], 0
    for language, command in (("c", CC + ["-std=c11"]), ("c++", CXX + ["-std=c++11"])):
        for view, flags in VIEWS.items():
            for header in HEADERS:
                count += 1
                result = run(command + ["-x", language, "-Wall", "-Wextra", "-pedantic", "-Werror",
                                        *flags, "-I", OURS, "-fsyntax-only", "-"],
                             input=f"#include <{header}>\n")
                if result.returncode:
                    first = "\n".join(result.stderr.splitlines()[:SHOWN])
                    problems.append(f"{header} ({language}, {view}) does not compile:\n{first}")
    return problems, count


def versions_of(path, pattern):
    return {match[1]: int(match[2]) for match in re.finditer(pattern, path.read_text(), re.M)}


def compare_versions(version, ours, theirs):
    """The tables of the versions that names came with, against the toolkit's names."""
    enumerators = versions_of(ENUMERATORS, r"^CUP_ENUMERATOR\(\w+, (\w+), (\d+)\)")
    # Names of forms (_ptsz, _v2) may be hidden in an old header.
    functions = {n: since for n, since in versions_of(ENTRY_POINTS, r"^(cu\w+)\s+cu\w+\s+(\d+)\s").items() if n in ours.functions}
    if not enumerators or not functions:
        raise Failure(f"{ENUMERATORS} or {ENTRY_POINTS} cannot be read")
    problems = []
    for kind, table, names in (("enumerator", enumerators, theirs.enumerators), ("function", functions, theirs.functions)):
        problems += [f"{kind} {n} came with {since} by our table, the toolkit of {version} has it" for n, since
                     in sorted(table.items()) if since > version and n in names]
        # A function may be declared later than cuGetProcAddress finds it.
        problems += [f"{kind} {n} came with {since} by our table, the toolkit of {version} lacks it" for n, since
                     in sorted(table.items()) if since <= version and n not in names and kind == "enumerator"]
    kinds = {ours.enumerators[n] for n in enumerators if n in ours.enumerators} - {None}
    problems += [f"enumerator {n} is new since {version}, and not in {ENUMERATORS.name}" for n, kind
                 in sorted(ours.enumerators.items()) if kind in kinds and n not in theirs.enumerators
                 and n not in enumerators and not Changes.VALUES.fullmatch(n)]
    return problems


def check(work, toolkit):
    problems, compiled = compile_ours(work)
    if problems or not toolkit:
        return problems, f"{compiled} compilations"
    for path, text in STUBS.items():
        stub = work / "stubs" / path
        stub.parent.mkdir(parents=True, exist_ok=True)
        stub.write_text(text)

    text, version = includes(toolkit), cuda_version(toolkit)
    older = version < cuda_version(OURS)
    internal = declarations(toolkit, VIEWS["internal"], work, "internal", text)
    problems += compare_versions(version, declarations(OURS, VIEWS["internal"], work, "internal", text), internal)
    report = []
    for view, flags in VIEWS.items():
        ours = declarations(OURS, flags, work, view, text)
        theirs = declarations(toolkit, flags, work, view, text)
        for which, seen in (("our", ours), ("the toolkit's", theirs)):
            for kind in ("functions", "typedefs", "records", "tags", "enumerators", "macros"):
                if not getattr(seen, kind):
                    raise Failure(f"{view}: found no {kind} in {which} headers")
        problems += compare_names(view, ours, theirs, internal, older)
        both = common(ours, theirs, older)
        values, value_count = values_program(both)
        types, type_count = types_program(both)
        if not value_count or not type_count:
            raise Failure(f"{view}: nothing to compare")
        problems += compare_values(view, flags, text + values, value_count, toolkit, work, older)
        problems += compare_types(view, flags, text + types, toolkit, work)
        report.append(f"{view}: {len(both.functions)} functions, {len(both.typedefs)} types, "
                      f"{len(both.enumerators)} enumerators, {len(both.macros)} macros; "
                      f"{value_count} values and {type_count} types compared")
    return problems, "\n".join(report)


def verdict(toolkit):
    version = cuda_version(toolkit)
    return f"equal to {toolkit}" if version == cuda_version(OURS) else f"has all of {toolkit}, version {version}"


def main():
    toolkit = find_toolkit()
    with tempfile.TemporaryDirectory(prefix="check-headers-") as work:
        try:
            problems, report = check(Path(work), toolkit)
        except Failure as failure:
            problems, report = [str(failure)], ""
    if problems:
        for problem in problems[:SHOWN]:
            print(problem)
        if len(problems) > SHOWN:
            print(f"... and {len(problems) - SHOWN} more")
        return 1
    if not toolkit:
        print(f"skipped: no toolkit of CUDA {cuda_version(OURS) // 1000}, up to version {cuda_version(OURS)} "
              f"(CUDA_INCLUDE, CUDA_HOME, nvcc on PATH); {report} passed")
        return SKIP
    print(f"{report}\n{verdict(toolkit)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
