#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The public headers of a library, held against the toolkit's of the same names.

usage: check_headers.py ROOT LIBRARY [HEADER ...] [-NAME ...]

ROOT is the repository; without HEADERs all headers of the library are compared. A NAME is an enumerator or a
macro that only CUDA 12 has. The toolkit's are looked for in
CUDA_INCLUDE, in CUDA_HOME, beside the nvcc on PATH and in /usr/local/cuda; the first of CUDA 13.0 counts. Skips (77)
where there is none, or no C++ compiler. For each header:
  - values: a program prints every enumerator, every macro with a value, the size of every structure and the places of
    its fields; compiled with either header it prints the same;
  - functions: our prototypes are exactly the toolkit's, and ours has all that the toolkit's has;
  - names: macros that stand for another name are the same.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
MAJOR = "130"  # CUDART_VERSION begins with this
CXX = os.environ.get("CXX", "c++").split()
WORD = r"[A-Za-z_]\w*"


def plain(path):
    """The text of a header without comments, lines that continue joined."""
    text = path.read_text(errors="replace").replace("\\\n", " ")
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def without_directives(text):
    return re.sub(r"^[ \t]*#[^\n]*", "", text, flags=re.M)


def bodies_of(text, word):
    """(what stands before, body, what follows to the semicolon) of each enum or struct."""
    for match in re.finditer(rf"\b{word}\b([^;{{}}()]*)\{{([^{{}}]*)\}}([^;]*);", text):
        yield match[1], match[2], match[3]


def enumerators(text):
    for _, body, _ in bodies_of(without_directives(text), "enum"):
        for part in body.split(","):
            name = re.match(rf"\s*({WORD})", part)
            if name:
                yield name[1]


def macros(text):
    """Macros with a value, and macros that stand for a name."""
    for match in re.finditer(rf"^[ \t]*#[ \t]*define[ \t]+({WORD})[ \t]+(\S[^\n]*)", text, re.M):
        yield match[1], match[2].strip()


def structures(text):
    for _, body, after in bodies_of(without_directives(text), "struct"):
        name = re.search(rf"({WORD})\s*(?:,|$)", after.strip())
        fields = [re.search(rf"({WORD})\s*(?:\[[^\]]*\]\s*)*$", line.strip()) for line in body.split(";") if line.strip()]
        if name and all(fields):
            yield name[1], [field[1] for field in fields]


def prototypes(text):
    """name -> (result, parameters) of every function that is declared and not defined."""
    found = {}
    for match in re.finditer(rf"((?:\b{WORD}\b|[\s*])+?)\b({WORD})\s*\(((?:[^;{{}}()]|\([^()]*\))*)\)\s*;",
                             without_directives(text)):
        words = [w for w in match[1].replace("*", " * ").split() if not re.fullmatch(r"extern|[A-Z]+(API|WINAPI)", w)]
        if words and words[0] not in ("return", "typedef", "static", "else"):
            found.setdefault(match[2], (" ".join(words), match[3].strip()))
    return found


def is_value(expression):
    return re.search(r"\d", expression) and not re.search(r'[;{"]|__', expression)


def expressions(text):
    yield from enumerators(text)
    for name, value in macros(text):
        if is_value(value) and not re.fullmatch(WORD, value):
            yield name
    for name, fields in structures(text):
        yield f"sizeof({name})"
        for field in fields:
            yield f"offsetof({name}, {field})"


def compile_and_run(folder, source, includes):
    path = folder / "program.cpp"
    path.write_text(source)
    done = subprocess.run([*CXX, "-std=c++17", "-w", *(f"-I{i}" for i in includes), str(path), "-o", str(folder / "program")],
                          capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr
    return subprocess.run([str(folder / "program")], capture_output=True, text=True, check=True).stdout, ""


def compare_values(folder, header, text, ours, theirs, older):
    names = [name for name in dict.fromkeys(expressions(text)) if name not in older]
    prints = "".join(f'    std::printf("%s %lld\\n", "{e}", (long long)({e}));\n' for e in names)
    source = f"#include <cstddef>\n#include <cstdio>\n#include <{header}>\nint main()\n{{\n{prints}}}\n"
    answers = [compile_and_run(folder, source, includes) for includes in (ours, theirs)]
    for whose, (answer, errors) in zip(("ours", "the toolkit's"), answers):
        if answer is None:
            return [f"{header}: values do not compile with {whose}:\n{errors[:2000]}"]
    pairs = zip(answers[0][0].splitlines(), answers[1][0].splitlines())
    return [f"{header}: {a}, the toolkit says {b}" for a, b in pairs if a != b]


def compare_functions(folder, header, ours, theirs_text, theirs):
    own, other = prototypes(ours), prototypes(theirs_text)
    problems = [f"{header}: {name} is missing" for name in sorted(other.keys() - own.keys())]
    lines = [f"{result} (*check_{i})({parameters}) = &{name};" for i, (name, (result, parameters)) in enumerate(own.items())]
    source = f"#include <{header}>\n" + "\n".join(lines) + "\n"
    path = folder / "functions.cpp"
    path.write_text(source)
    done = subprocess.run([*CXX, "-std=c++17", "-w", "-fsyntax-only", *(f"-I{i}" for i in theirs), str(path)],
                          capture_output=True, text=True)
    if done.returncode != 0:
        problems.append(f"{header}: prototypes differ:\n{done.stderr[:3000]}")
    return problems, len(own)


def compare_names(header, ours, theirs):
    other = dict(macros(theirs))
    return [f"{header}: {name} stands for {value}, in the toolkit for {other.get(name)}"
            for name, value in macros(ours) if re.fullmatch(WORD, value) and name in other and other[name] != value]


def toolkit():
    folders = [os.environ.get("CUDA_INCLUDE"), os.environ.get("CUDA_HOME") and os.environ["CUDA_HOME"] + "/include"]
    nvcc = shutil.which("nvcc")
    folders.append(nvcc and str(pathlib.Path(nvcc).resolve().parents[1] / "include"))
    folders.append("/usr/local/cuda/include")
    for folder in map(pathlib.Path, filter(None, folders)):
        runtime = folder / "cuda_runtime_api.h"
        if runtime.is_file() and re.search(rf"#define CUDART_VERSION\s+{MAJOR}\d\d", runtime.read_text(errors="replace")):
            return folder
    return None


def main():
    root, library, *rest = sys.argv[1:]
    headers, older = [a for a in rest if a[0] != "-"], {a[1:] for a in rest if a[0] == "-"}
    own = pathlib.Path(root) / "libraries" / library / "include"
    theirs = toolkit()
    if not theirs or not shutil.which(CXX[0]):
        print("no toolkit of CUDA 13.0, or no C++ compiler")
        return SKIP
    ours = [own, pathlib.Path(root) / "runtime/include", pathlib.Path(root) / "include"]
    problems, functions, compared = [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for header in headers or sorted(path.name for path in own.glob("*.h")):
            if not (theirs / header).is_file():
                continue
            text, other = plain(own / header), plain(theirs / header)
            problems += compare_values(folder, header, text, ours, [theirs], older)
            found, count = compare_functions(folder, header, text, other, [theirs])
            problems += found + compare_names(header, text, other)
            functions, compared = functions + count, compared + 1
    print("\n".join(problems) or f"{compared} headers with {functions} functions agree with {theirs}")
    if not compared and not problems:
        return SKIP
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
