#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the instruction forms that our PTX reader takes with those that NVIDIA's ptxas takes.

    ptx_forms.py --reader build/tests/ptx/ptx_read_files [--ptxas PATH] [--table FILE] [--limit N]
                 [--opcodes OPCODE...] [--targets VERSION,TARGET...]

Every line of src/ptx/forms.def is expanded into instructions, and those of the first line of each
opcode are varied: another type, one modifier more. Our reader sees each instruction in a kernel of its
own; ptxas sees many in one, and again without those that it refused until it refuses none, so that one
error does not hide another. Forms with textures, labels and matrices are left out: they need more than
registers. Both see every instruction for several targets, with the versions that ptxas has.
"""

import argparse
import concurrent.futures
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGETS = (("6.0", "sm_70", "sm_90"), ("6.5", "sm_75", "sm_90"), ("7.0", "sm_80", "sm_90"),
           ("7.4", "sm_86", "sm_90"), ("7.8", "sm_90", "sm_90"), ("8.0", "sm_90a", "sm_90a"),
           ("8.3", "sm_90a", "sm_90a"), ("8.6", "sm_90a", "sm_90a"), ("9.0", "sm_90a", "sm_90a"),
           ("9.0", "sm_80", "sm_90"), ("9.1", "sm_90a", "sm_90a"), ("9.2", "sm_90a", "sm_90a"),
           ("9.3", "sm_90a", "sm_90a"), ("9.4", "sm_90a", "sm_90a"), ("9.4", "sm_90", "sm_90"),
           ("9.4", "sm_89", "sm_90"), ("9.4", "sm_80", "sm_90"), ("9.4", "sm_75", "sm_90"),
           ("9.5", "sm_90a", "sm_90a"), ("9.5", "sm_80", "sm_90"))
TYPES = ("u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f16 f16x2 bf16 bf16x2 f32 f64 u16x2 s16x2 "
         "pred").split()
MODIFIERS = "sat ftz rn rz rm rp rni approx full relu NaN cc wide hi lo volatile relaxed uni".split()
PER_FORM = 60
PER_FILE = 150
REGISTERS = ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .b128 %q<4>;"
OLD_REGISTERS = REGISTERS.replace(" .reg .b128 %q<4>;", "")


def named_sets():
    text = (ROOT / "src/ptx/forms.c").read_text()
    found = re.findall(r'\{"(\w+)",\s*((?:"[^"]+"\s*)+)\}', text)
    return {name: "".join(re.findall(r'"([^"]+)"', words)) for name, words in found}


def read_forms():
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "src/ptx/forms.def").read_text(), flags=re.S)
    return re.findall(r'PTX_FORM\((\w+),\s*"([^"]*)",\s*"([^"]*)",\s*\d+,\s*\d+,\s*(\w+)\)', text)


def choices(token, sets):
    """What may stand for one dot-word; None: nothing."""
    optional = token.startswith("{")
    words = []
    for word in token.strip("(){}").split("|"):
        if word.startswith("$"):
            words += choices("(" + sets[word[1:]] + ")", sets)
        else:
            words.append(word)
    return ([None] if optional else []) + words


def size_of(word):
    match = re.fullmatch(r"[usbf]f?(\d+)(?:x(\d))?", word) or re.fullmatch(r"(tf32)()", word)
    if not match:
        return None
    return 32 if match[1] == "tf32" else int(match[1]) * int(match[2] or 1)


def is_type(word):
    return word == "pred" or size_of(word) is not None


def register(word, number):
    if word == "pred":
        return f"%p{number}"
    size = size_of(word)
    return {8: "%h", 16: "%h", 32: "%r", 64: "%d", 128: "%q"}[size] + str(number)


def width(words):
    return next((int(word[1:]) for word in words if re.fullmatch(r"v[248]", word)), 1)


def operand(spec, words, number):
    """The text of one operand; None: this form needs more than registers."""
    match = re.fullmatch(r"(!a|\[a\]|[dpaiMm])([?_*>.|&]*)(?::(\w+))?", spec)
    if not match:
        return None
    kind, flags, kind_type = match.groups()
    types = [word for word in words if is_type(word)]
    if kind == "[a]":
        return "[%d7]"
    if kind == "i":
        return "1"
    if kind in ("p", "!a"):
        return f"%p{number % 4}"
    kind_type = kind_type or "0"
    if kind_type.isdigit():
        if int(kind_type) >= len(types):
            return None
        kind_type = types[int(kind_type)]
    elif kind_type == "w":
        kind_type = f"b{2 * size_of(types[0])}" if types and types[0] != "pred" else None
    elif kind_type == "A":
        kind_type = "b64"
    if not kind_type or not is_type(kind_type) or (kind_type != "pred" and size_of(kind_type) not in (8, 16, 32, 64, 128)):
        return None
    text = register(kind_type, number % 4)
    if "*" in flags and width(words) > 1:
        text = "{" + ", ".join([text] * width(words)) + "}" if kind != "d" else \
            "{" + ", ".join(register(kind_type, i % 8) for i in range(width(words))) + "}"
    return text + ("|%p3" if "&" in flags else "")


def instruction(opcode, words, operands):
    parts = []
    for number, spec in enumerate(part.strip() for part in operands.split(",") if part.strip()):
        if "?" in spec:
            continue
        text = operand(spec, words, number)
        if text is None:
            return None
        parts.append(text)
    return ".".join([opcode, *words]) + (" " + ", ".join(parts) if parts else "") + ";"


def expand(form, sets):
    opcode, pattern, operands, _ = form
    tokens = re.findall(r"\([^)]*\)|\{[^}]*\}|\S+", pattern)
    if "*" in tokens or any(token in ("param", "(param)") for token in tokens):
        return
    picked = list(itertools.islice(itertools.product(*(choices(t, sets) for t in tokens)), 4096))
    step = max(1, len(picked) // PER_FORM)
    for words in picked[::step]:
        yield opcode, [word for word in words if word], operands


def vary(opcode, words, operands):
    for position, word in enumerate(words):
        if is_type(word):
            for other in TYPES:
                yield opcode, words[:position] + [other] + words[position + 1:], operands
    last = next((i for i, word in enumerate(words) if is_type(word)), len(words))
    for modifier in MODIFIERS:
        if modifier not in words:
            yield opcode, words[:last] + [modifier] + words[last:], operands


def all_cases():
    sets, seen, opcodes = named_sets(), {}, set()
    for form in read_forms():
        base = list(expand(form, sets))
        varied = []
        if form[0] not in opcodes:
            opcodes.add(form[0])
            varied = [case for each in base[:1] for case in vary(*each)]
        for case in base + varied:
            text = instruction(*case)
            if text and text not in seen:
                seen[text] = form[0]
    return seen


def kernel(version, target, lines):
    registers = OLD_REGISTERS if float(version) < 8.3 else REGISTERS
    return (f".version {version}\n.target {target}\n.address_size 64\n"
            f".visible .entry k()\n{{\n{registers}\n" + "\n".join(lines) + "\nret;\n}\n")


def errors_of(ptxas, architecture, text):
    """Whether ptxas takes the text, its errors by line, and its first line."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([ptxas, f"-arch={architecture}", "-O0", file.name, "-o", "/dev/null"],
                             capture_output=True, text=True)
    found = re.findall(r"^ptxas (?!<builtin>).*line (\d+); (?:error|fatal) *: (.*)", run.stderr, flags=re.M)
    found += [(line, "an address of 32 bits") for line in re.findall(r"32-bit address on line '(\d+)'", run.stderr)]
    return run.returncode == 0, {int(line): message for line, message in reversed(found)}, run.stderr.split("\n")[0]


def ask_ptxas(ptxas, version, target, architecture, cases):
    """What ptxas says of each instruction. Without those that it refuses it sees the rest again; where it
    names none, it sees two halves."""
    start = kernel(version, target, []).split("\nret;")[0].count("\n") + 1
    answers, left = [(True, "")] * len(cases), [list(range(len(cases)))]
    while left:
        numbers = left.pop()
        good, errors, first = errors_of(ptxas, architecture, kernel(version, target, [cases[n] for n in numbers]))
        refused = {number: errors[start + at] for at, number in enumerate(numbers) if start + at in errors}
        for number, message in refused.items():
            answers[number] = (False, message)
        if good:
            continue
        rest = [number for number in numbers if number not in refused]
        if refused:
            left += [rest] if rest else []
        elif len(numbers) == 1:
            answers[numbers[0]] = (False, first)
        else:
            left += [numbers[:len(numbers) // 2], numbers[len(numbers) // 2:]]
    return answers


def ask_reader(reader, paths):
    """What our reader says of each file: one process reads many."""
    answers = {}
    for start in range(0, len(paths), 500):
        text = subprocess.run([reader, *map(str, paths[start:start + 500])], capture_output=True, text=True).stdout
        for match in re.finditer(r"^(\S+\.ptx): (read|refused)\n?((?:(?!\S+\.ptx: (?:read|refused)$).*\n?)*)", text, flags=re.M):
            answers[match[1]] = (match[2] == "read", match[3].strip().split("\n")[0])
    return answers


def versions_of(ptxas):
    return subprocess.run([ptxas, "--list-version"], capture_output=True, text=True, check=True).stdout.split()


def compare(arguments, version, target, architecture):
    cases = [case for case in all_cases().items()
             if not arguments.opcodes or case[1] in arguments.opcodes][:arguments.limit]
    texts = [text for text, _ in cases]
    with tempfile.TemporaryDirectory() as name:
        paths = [pathlib.Path(name) / f"{number}.ptx" for number in range(len(cases))]
        for path, text in zip(paths, texts):
            path.write_text(kernel(version, target, [text]))
        ours = ask_reader(arguments.reader, paths)
    parts = [texts[start:start + PER_FILE] for start in range(0, len(texts), PER_FILE)]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        theirs = [answer for answers in pool.map(
            lambda part: ask_ptxas(arguments.ptxas, version, target, architecture, part), parts) for answer in answers]
    return [(opcode, text, ours.get(str(path), (False, "no answer")), answer)
            for (text, opcode), path, answer in zip(cases, paths, theirs)]


def summary(rows, version, target):
    agree = sum(ours[0] == theirs[0] for _, _, ours, theirs in rows)
    taken = sum(ours[0] and theirs[0] for _, _, ours, theirs in rows)
    refused = [row for row in rows if row[3][0] and not row[2][0]]
    extra = [row for row in rows if row[2][0] and not row[3][0]]
    return f"| {version}, {target} | {len(rows)} | {taken} | {agree - taken} | {len(refused)} | {len(extra)} |", refused, extra


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reader", required=True)
    parser.add_argument("--ptxas", default="/usr/local/cuda/bin/ptxas")
    parser.add_argument("--limit", type=int, default=100000)
    parser.add_argument("--opcodes", nargs="+", help="these only")
    parser.add_argument("--targets", nargs="+", help="these only, such as 9.4,sm_90a")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--table", help="write every difference into this file")
    arguments = parser.parse_args()
    print("| PTX | forms | both take | both refuse | only ptxas takes | only ours takes |")
    print("|---|---:|---:|---:|---:|---:|")
    lines, versions = [], versions_of(arguments.ptxas)
    for version, target, architecture in TARGETS:
        if version not in versions or (arguments.targets and f"{version},{target}" not in arguments.targets):
            continue
        line, refused, extra = summary(compare(arguments, version, target, architecture), version, target)
        print(line, flush=True)
        for kind, rows in (("only ptxas takes", refused), ("only ours takes", extra)):
            lines += [f"{version} {target}\t{kind}\t{text}\t{(ours if kind == 'only ptxas takes' else theirs)[1]}"
                      for _, text, ours, theirs in rows]
        if arguments.table:
            pathlib.Path(arguments.table).write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
