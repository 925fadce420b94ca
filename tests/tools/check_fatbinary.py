#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fatbinary: the options of clang of several versions, and files that load.

usage: check_fatbinary.py LIBRARY_FOLDER
"""
import re

from tools import FOLDER, LIBRARY, OBJDUMP, PTXAS, WHOLE, Driver, check, finish, run, write

FATBINARY = LIBRARY / "bin" / "fatbinary"
driver = Driver()
write("whole.ptx", WHOLE)
write("a,b.ptx", WHOLE)
run(PTXAS, "-arch=sm_90", "whole.ptx", "-o", "whole.cubin")

code, out, _ = run(FATBINARY, "--version")
check(code == 0 and "cupipe" in out and re.search(r"release \d+\.\d+, V\d+\.\d+\.\d+", out), f"--version: {out}")

for name, words in (
        ("clang 19, machine code", ["-64", "--create", "out", "--image=profile=sm_90,file=whole.cubin"]),
        ("clang without a toolkit", ["--cuda", "-64", "--create", "out", "--image=profile=compute_80,file=whole.ptx"]),
        ("clang 19, PTX", ["-64", "--create", "out", "--image=profile=compute_80,file=whole.ptx"]),
        ("clang 22", ["-64", "--create=out", "--image3=kind=elf,sm=90,file=whole.cubin"]),
        ("both", ["--cmdline=--compile-only", "--link", "--compress-all", "--create=out",
                  "--image3=kind=elf,sm=90,file=whole.cubin", "--image3=kind=ptx,sm=80,file=whole.ptx"]),
        ("a name with a comma", ["--create=out", "-image3=kind=ptx,sm=80,file=a,b.ptx"])):
    (FOLDER / "out").unlink(missing_ok=True)
    code, _, err = run(FATBINARY, *words)
    check(code == 0, f"{name}: {err}")
    check(code != 0 or driver.ask((FOLDER / "out").read_bytes()) == 42, f"{name}: the kernel runs")
run(FATBINARY, "--create=out", "--image3=kind=elf,sm=90,file=whole.cubin", "--image3=kind=ptx,sm=80,file=whole.ptx")
code, out, err = run(OBJDUMP, "out")
check(code == 0 and "sm_90" in out and "compute_80" in out, f"both images are found: {out} {err}")

write("text", "no device code")
for words, text in ((["--create=bad", "--image3=kind=elf,sm=90,file=text"], "neither PTX nor a cubin"),
                    (["--create=bad", "--image3=kind=elf,sm=90,file=nofile"], "Could not open input file 'nofile'"),
                    (["--create=bad", "--image3=kind=ptx,file=whole.ptx"], "has no architecture"),
                    (["--create=bad", "--image3=zork=1,file=whole.ptx"], "Unknown keyword"),
                    (["--image3=kind=ptx,sm=90,file=whole.ptx"], "Must specify output file"),
                    (["--embedded-fatbin=bad"], "--create only"),
                    (["--nope"], "fatbinary fatal   : Unknown option '-nope'")):
    code, _, err = run(FATBINARY, *words)
    check(code == 1 and text in err and not (FOLDER / "bad").exists(), f"{words}: {code} {err}")

finish()
