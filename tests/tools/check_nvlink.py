#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""nvlink: options, messages and exit codes in NVIDIA's form, inputs of every kind, and images that load.

usage: check_nvlink.py LIBRARY_FOLDER
"""
import re
import shutil
import struct

from tools import ASK, FOLDER, HEAD, NVLINK, OBJDUMP, PTXAS, TWICE, Driver, check, finish, run, symbols, write

driver = Driver()
SM_90 = "-arch=sm_90"
for name, text in (("ask", ASK), ("twice", TWICE)):
    code, _, err = run(PTXAS, SM_90, "-c", write(name + ".ptx", text), "-o", name + ".cubin")
    check(code == 0, f"ptxas: {err}")


def link(*words):
    (FOLDER / "out.cubin").unlink(missing_ok=True)
    return run(NVLINK, *words, "-o", "out.cubin")


def check_links(what, *words):
    code, _, err = link(SM_90, *words)
    check(code == 0, f"{what}: {code} {err}")
    check(code != 0 or driver.ask((FOLDER / "out.cubin").read_bytes()) == 42, f"{what}: the kernel runs")


code, out, _ = run(NVLINK, "--version")
check(code == 0 and "cupipe" in out and re.search(r"release \d+\.\d+, V\d+\.\d+\.\d+", out), f"--version: {out}")
code, out, _ = run(NVLINK, "--help")
check(code == 0 and "--relocatable-link" in out, f"--help: {out}")

check_links("two images", "ask.cubin", "twice.cubin")
check_links("PTX", "ask.ptx", "twice.ptx")
for name, text in (("ask", ASK), ("twice", TWICE)):
    write(f"newer-{name}.ptx", text.replace(".version 8.0", ".version 9.9"))
check_links("PTX of a version that is not known yet", "newer-ask.ptx", "newer-twice.ptx")
check_links("options as nvcc and clang give them", "-m64", "--cpu-arch=AARCH64", "-L", "/nowhere", "-L/nowhere",
            "-lcudadevrt", "-v", "-g", "--shared", "--suppress-stack-size-warning", "--host-ccbin", "gcc", "--maxrregcount=32",
            "-Xptxas", "-O3", "ask.cubin", "twice.cubin")
write("options", "-m 64 'ask.cubin'\ntwice.cubin")
check_links("an options file", "--options-file", "options")
check_links("an options file by @", "@options")
run("ar", "rc", "libtwice.a", "twice.cubin")
check_links("a library", "ask.cubin", "libtwice.a")
check_links("a library by -l", "ask.cubin", "-L", FOLDER, "-ltwice")
code, _, err = link(SM_90, "-r", "ask.cubin")
check(code == 0, f"-r leaves names undefined: {err}")
shutil.copy(FOLDER / "out.cubin", FOLDER / "part.cubin")
check_links("the result of -r", "part.cubin", "twice.cubin")

code, out, _ = run(OBJDUMP, "out.cubin")
check("carries PTX" in out, f"the image says what it is: {out}")

for words, wanted, text in (
        ([], 1, "nvlink fatal   : Unknown arch name '(null)'"),
        ([SM_90, "--nope"], 1, "nvlink fatal   : Unknown option '-nope'"),
        ([SM_90, "-nope"], 1, "nvlink fatal   : Unknown option 'nope'"),
        (["-arch=zork"], 1, "nvlink fatal   : Value 'zork' is not defined for option 'arch'"),
        ([SM_90, "-m32", "ask.cubin"], 1, "nvlink fatal   : Value '32' is not defined for option 'machine'"),
        ([SM_90, "-maxrregcount=x", "ask.cubin"], 1, "nvlink fatal   : 'x': expected a number"),
        ([SM_90, "nofile.cubin"], 1, "nvlink fatal   : Could not open input file 'nofile.cubin'"),
        ([SM_90, "ask.cubin"], 255, "nvlink error   : Undefined reference to 'twice' in 'ask.cubin'"),
        ([SM_90, "ask.cubin", "twice.cubin", "twice.ptx"], 1,
         "nvlink error   : Multiple definition of 'twice' in 'twice.ptx', first defined in 'twice.cubin'"),
        (["-arch=sm_75", "ask.cubin", "twice.cubin"], 1,
         "nvlink fatal   : Input file 'ask.cubin' arch does not match target 'sm_75'"),
        ([SM_90, write("bad.ptx", HEAD + "zork\n")], 1, "cannot be linked")):
    code, _, err = link(*words)
    check(code == wanted and text in err and not (FOLDER / "out.cubin").exists(), f"{words}: {code} {err}")
code, _, err = run(NVLINK, SM_90, "ask.cubin", "twice.cubin")
check(code == 1 and "nvlink fatal   : Must specify output file with -o option" in err, f"without -o: {code} {err}")

# Machine code is refused by name: a cubin's ELF header without the mark of ours.
header = bytearray((FOLDER / "ask.cubin").read_bytes())
header[9:16] = bytes(7)
write("sass.cubin", bytes(header))
code, _, err = link(SM_90, "sass.cubin", "twice.cubin")
check(code == 1 and "machine code for sm_90" in err and "sass.cubin" in err, f"machine code: {code} {err}")

# Of several declarations the definition becomes the symbol.
write("data.ptx", HEAD + """
.visible .global .align 4 .u32 answer = 42;
.extern .func missing();
.visible .entry start() { call missing; ret; }
""")
write("missing.ptx", HEAD + ".visible .func missing() { ret; }\n.extern .global .align 4 .u32 answer;\n")
code, _, err = link(SM_90, "missing.ptx", "data.ptx")
found = symbols((FOLDER / "out.cubin").read_bytes())
check(code == 0 and found["missing"].defined and found["answer"].content == struct.pack("<I", 42),
      f"a definition counts more than a declaration: {err}")

finish()
