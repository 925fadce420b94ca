#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The instructions of PTX and what becomes of them, as a document.

    instruction_table.py --program EXE [--check] FILE

Writes FILE from src/ptx/forms.def and the table of tests/instructions, or with --check says whether
it is what would be written.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORM = re.compile(r'PTX_FORM\((\w+), "([^"]*)", "[^"]*", (\d+), (\d+), (\w+)\)')

HEAD = """<!-- SPDX-License-Identifier: MIT -->
# Instructions

Made by `scripts/instruction_table.py` from `src/ptx/forms.def` and the table of
`tests/instructions`; a test fails when it is not up to date. *Forms* are lines of `forms.def`, each
of which stands for many spellings. *Variants* are those whose results are compared with an H200's,
on both tiers; `tests/kernels`, `tests/textures` and `tests/api` test the other instructions.

Instructions that came with PTX ISA 9.1 to 9.4 were not compared with a device yet: they do what the
manual says, and `tests/kernels/test_recent.c` tests them. Two things follow from the manual: the
reports of mbarriers are always zero, because only copies that sm_90 does not have report anything;
and `.minperctamemory` gives blocks no memory, so that `%perctamemorysize` is 0.

| instruction | forms | variants |
|---|---:|---:|
"""

REFUSED = """
## Refused

These are read, and refused by name when a module is loaded. ptxas 13.4 compiles some spellings for
sm_90a that are refused here:

- `alloca`, `stacksave` and `stackrestore` with `.u32`: addresses of local memory have 64 bits here.
- `suq` of fields that NVIDIA's driver refuses as well.
- Addresses of 32 bits in `.global` and generic memory with `cp.async.bulk` and `tensormap`: no
  memory is there. With `mbarrier` ptxas takes them only when it generates no code (`compute_90a`);
  for every processor it refuses them as well.
- Words that ptxas ignores with every instruction: `.acc::f32`, the fields of `tensormap.replace`
  and the tests of `testp`. A program that has them elsewhere means something else.
- Operands whose type ptxas does not look at: a register plus a number (`popc.b32 %r, %d+4`), a
  vector where a scalar is due (`suld.b.2d.b32 {%r1, %r2}, ...`), `.4d` and `.5d` of textures and
  surfaces, `.pred` as a second type, `fma.rm.bf16x2`. Nothing says what they mean.

| instruction | words | from |
|---|---|---|
"""


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE")
    parser.add_argument("--program", required=True, metavar="EXE", help="tests' instructions")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def forms():
    with open(os.path.join(ROOT, "src/ptx/forms.def"), encoding="utf-8") as file:
        return FORM.findall(file.read())


def variants(program):
    names = subprocess.run([program, "--list"], check=True, capture_output=True, text=True).stdout
    return collections.Counter(re.split(r"[.-]", name)[0] for name in names.split())


def target_name(number):
    suffix = "a" if number > 1000 else ""
    return f"sm_{number % 1000}{suffix}"


def document(program):
    counts, compared, refused = collections.Counter(), variants(program), []
    for opcode, words, _, target, support in forms():
        if support == "LATER":
            refused.append((opcode, words, int(target)))
        else:
            counts[opcode] += 1
    text = HEAD
    for opcode in sorted(counts):
        text += f"| `{opcode}` | {counts[opcode]} | {compared[opcode] or ''} |\n"
    text += REFUSED
    for opcode, words, target in refused:
        spelled = words.replace("|", "\\|").replace("*", "...")
        rest = "whatever else there is" if words == "*" else f"`{spelled}`"
        text += f"| `{opcode}` | {rest} | {target_name(target)} |\n"
    return text


def main():
    args = parse_arguments()
    text = document(args.program)
    if not args.check:
        with open(args.file, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(args.file, encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print(f"{args.file} is out of date: run scripts/instruction_table.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
