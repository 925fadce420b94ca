#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvml/include/nvml.h and the table of names, held against NVIDIA's header.

usage: check_header.py OUR_INCLUDE_FOLDER NVML_DEF

NVIDIA's nvml.h is looked for in NVML_INCLUDE (folders, with a colon between them), in CUDA_HOME, beside the
nvcc on PATH, and in the package nvidia-nvml-dev of the interpreter CUPIPE_TEST_PYTHON, or this one. The first
one that is as new as ours is compared with it; skips (77) where there is none.
  - values: one program prints the size of every type, the place of every field, every enumerator and every
    macro of our header; compiled with either header it prints the same;
  - functions: our prototypes are compatible with NVIDIA's;
  - since: of every header found that has cuda.h beside it, the table says which functions it has.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
NEWEST = "nvmlEventSetWait_v3"  # a function of the newest version that ours has
OWN = ("nvmlPciInfo_v2_t",)  # a structure to which NVIDIA's header no longer gives a name
WITHDRAWN = {"nvmlDeviceCcuGetStreamState", "nvmlDeviceCcuSetStreamState"}  # of 12.0 and 12.1 alone
CC = os.environ.get("CC", "cc").split()
PACKAGE = "import nvidia.cu13 as p; print(list(p.__path__)[0] + '/include')"


def plain(path):
    """The text of a header without comments."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", path.read_text(errors="replace"), flags=re.S)


def functions(text):
    return dict(re.findall(r"\bnvmlReturn_t\s+DECLDIR\s+(\w+)\s*(\([^;{]*\))\s*;", text))


def candidates():
    for folder in filter(None, os.environ.get("NVML_INCLUDE", "").split(":")):
        yield pathlib.Path(folder)
    if os.environ.get("CUDA_HOME"):
        yield pathlib.Path(os.environ["CUDA_HOME"]) / "include"
    nvcc = shutil.which("nvcc")
    if nvcc:
        yield pathlib.Path(nvcc).resolve().parents[1] / "include"
    asked = subprocess.run([os.environ.get("CUPIPE_TEST_PYTHON", sys.executable), "-c", PACKAGE], text=True,
                           capture_output=True)
    if asked.returncode == 0:
        yield pathlib.Path(asked.stdout.strip())


def find_theirs():
    return [folder for folder in dict.fromkeys(candidates()) if (folder / "nvml.h").is_file()]


def expressions(text):
    """What the program prints: every size, place and value that our header defines."""
    body = text.split("#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS")[0]
    for match in re.finditer(r"^typedef (struct|union|enum) \w+ \{([^\n]* |.*?\n)\} ([\w, ]+);", body, re.M | re.S):
        names = [name.strip() for name in match[3].split(",")]
        if names[0] in OWN:
            continue
        yield from (f"sizeof({name})" for name in names)
        if match[1] == "struct":
            inner = re.sub(r"(union|struct) \{.*?\}", r"\1", match[2], flags=re.S)
            yield from (f"__builtin_offsetof({names[0]}, {field})"
                        for field in re.findall(r"(\w+)(?:\[[^\]]*\])*;", inner))
    for match in re.finditer(r"enum(?: \w+)? \{(.*?)\}", body, re.S):
        yield from re.findall(r"(\w+)(?: = [^,]*)?(?:,|$)", match[1].strip())
    yield from (f"sizeof({name})" for name in re.findall(r"typedef [^;{]*?(\w+_t);", body))
    yield from re.findall(r"^#define (NVML_\w+|nvml\w+_v\d+|nvml\w*EventType\w+) (?=\S)(?!\")", body, re.M)


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr[:3000]}")
    return done.stdout


def values(include, program, work):
    (work / "values.c").write_text(program)
    run(CC + ["-w", "-I", str(include), "-o", str(work / "values"), str(work / "values.c")])
    return run([str(work / "values")]).splitlines()


def check_values(ours, theirs, wanted, work):
    lines = "".join(f'    printf("%s %llu\\n", "{each}", (unsigned long long)({each}));\n' for each in wanted)
    program = "#include <nvml.h>\n#include <stdio.h>\nint main(void)\n{\n" + lines + "    return 0;\n}\n"
    different = [(a, b) for a, b in zip(values(ours, program, work), values(theirs, program, work), strict=True) if a != b]
    assert not different, different


def check_functions(text, theirs, work):
    declared = functions(text.split("#ifdef NVML_NO_UNVERSIONED_FUNC_DEFS")[0])
    known = functions(plain(theirs / "nvml.h"))
    assert not declared.keys() - known.keys(), sorted(declared.keys() - known.keys())
    again = "".join(f"nvmlReturn_t {name}{parameters};\n" for name, parameters in declared.items())
    (work / "functions.c").write_text("#include <nvml.h>\n" + again)
    run(CC + ["-w", "-fsyntax-only", "-I", str(theirs), str(work / "functions.c")])
    return len(declared)


def check_since(table, theirs):
    """Returns whether there is a version to compare with."""
    if not (theirs / "cuda.h").is_file():
        return False
    version = int(re.search(r"#define CUDA_VERSION\s+(\d+)", (theirs / "cuda.h").read_text())[1])
    known = set(functions(plain(theirs / "nvml.h")))
    since = {fields[0]: 0 if fields[1] == "-" else int(fields[1])
             for fields in (line.split() for line in open(table) if re.match(r"nvml", line))}
    wrong = [name for name, first in since.items() if first and (first <= version) != (name in known)]
    assert not wrong, (version, wrong)
    lost = sorted(known - since.keys() - WITHDRAWN)
    assert not lost, lost
    return True


def main():
    ours, table, found = pathlib.Path(sys.argv[1]), sys.argv[2], find_theirs()
    compared = [str(folder) for folder in found if check_since(table, folder)]
    print("versions of functions as in", *compared or ["no header"])
    newest = [folder for folder in found if NEWEST in functions(plain(folder / "nvml.h"))]
    if not newest:
        print("no nvml.h of NVIDIA's that has", NEWEST)
        return SKIP
    text = plain(ours / "nvml.h")
    wanted = list(dict.fromkeys(expressions(text)))
    assert len(wanted) > 300, wanted
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        check_values(ours, newest[0], wanted, work)
        count = check_functions(text, newest[0], work)
    print(f"{len(wanted)} values and {count} functions as in {newest[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
