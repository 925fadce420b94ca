#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ptxas and cupipe-objdump: options, messages and exit codes in NVIDIA's form, and images that load.

usage: check_ptxas.py LIBRARY_FOLDER
"""
import re
import struct

from tools import ASK, FOLDER, HEAD, OBJDUMP, PTXAS, TWICE, WHOLE, Driver, check, finish, run, symbols, write

whole, ask, twice = write("whole.ptx", WHOLE), write("ask.ptx", ASK), write("twice.ptx", TWICE)

code, out, _ = run(PTXAS, "--version")
check(code == 0 and re.search(r"release (\d+\.\d+), V(\d+)\.(\d+)", out), "the version is in a form that others parse")

code, out, err = run(PTXAS, "-arch=sm_90", "-m64", "-O3", "--opt-level", "2", "-lineinfo", "--maxrregcount=32", "-w",
                     whole, "-o", "whole.cubin")
check((code, out, err) == (0, "", ""), f"a good text says nothing: {code} {out} {err}")
image = (FOLDER / "whole.cubin").read_bytes()
check(image[:4] == b"\x7fELF" and image[18] == 190, "the image is an ELF file for a GPU")
driver = Driver()
check(driver.ask(image) == 42, "the image runs")

code, _, err = run(PTXAS, "-v", "--gpu-name", "sm_80", "--output-file=v.cubin", whole)
check(code == 0 and "Compiling entry function 'ask' for 'sm_80'" in err and re.search(r"Used \d+ registers", err),
      f"-v lists kernels: {err}")

# (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 in one operation; a product of its own is rounded to 1 + 2^-11.
write("product.ptx", HEAD + """.visible .entry ask(.param .u64 out)
{
    .reg .f32 %f<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    mov.f32 %f1, 0f3f800800;
    mul.f32 %f2, %f1, %f1;
    add.f32 %f3, %f2, 0fbf801000;
    st.global.f32 [%rd1], %f3;
    ret;
}
""")
for option, bits in (("true", 0x33800000), ("false", 0), ("true", 0x33800000)):
    code, _, err = run(PTXAS, "-arch=sm_90", f"--fmad={option}", "product.ptx", "-o", "product.cubin")
    check(code == 0 and driver.ask((FOLDER / "product.cubin").read_bytes()) == bits, f"--fmad={option}: {err}")

write("options", "-arch sm_90 \"-o\" 'two.cubin' --compile-only")
code, _, err = run(PTXAS, "@options", ask, twice)
check(code == 0 and driver.ask((FOLDER / "two.cubin").read_bytes()) == 42, f"two texts, options of a file: {err}")

code, _, err = run(PTXAS, "-arch=sm_90", "-", "-o", "stdin.cubin", input=WHOLE)
check(code == 0 and driver.ask((FOLDER / "stdin.cubin").read_bytes()) == 42, f"the standard input: {err}")
code, _, err = run(PTXAS, "-arch=sm_90", "--input-as-string", WHOLE, "-o", "string.cubin")
check(code == 0 and driver.ask((FOLDER / "string.cubin").read_bytes()) == 42, f"a text as an argument: {err}")

# A driver refuses a text of an unknown version, and runs machine code that was made of one.
newer = WHOLE.replace(".version 8.0", ".version 9.9")
code, _, err = run(PTXAS, "-arch=sm_90", "-", "-o", "newer.cubin", input=newer)
check(code == 0 and driver.ask((FOLDER / "newer.cubin").read_bytes()) == 42, f"a version not known yet: {err}")
code, _, err = run(PTXAS, "-arch=sm_90", "-", "-o", "never.cubin", input=WHOLE.replace(".version 8.0", ".version 8.9"))
check(code == 255 and "Unsupported .version 8.9; current version is '9.5'" in err, f"no such version: {err}")
# XLA and Mosaic GPU ask so for the newest version: the answer stands between the only two apostrophes.
code, _, err = run(PTXAS, "--input-as-string", ".version 99.99")
check(code == 255 and err.split("'")[1:2] == ["9.5"] and err.count("'") == 2, f"the newest version: {err}")
code, out, _ = run(PTXAS, "--list-version")
check(out.split()[0] == "1.0" and out.split()[-6:] == [f"9.{minor}" for minor in range(6)], f"versions: {out}")

write("bad.ptx", HEAD + ".visible .entry k()\n{\n    add.f33 %r1;\n    ret;\n}\n")
code, _, err = run(PTXAS, "-arch=sm_90", "bad.ptx", "-o", "bad.cubin")
check(code == 255 and re.search(r"^ptxas bad\.ptx, line 6; error   : .*f33", err, re.M) and
      err.count("ptxas fatal   : Ptx assembly aborted due to errors") == 1 and not (FOLDER / "bad.cubin").exists(),
      f"an error has file and line: {code} {err}")
for arguments, text in ((["-arch=sm_75", whole], "SM version specified by .target is higher"),
                        (["none.ptx"], "Input file 'none.ptx' could not be opened"),
                        (["-arch=sm_90", "--foo", whole], "Unknown option '-foo'"),
                        (["-arch=sm_90", "--fmad=no", whole], "'no': expected true or false"),
                        (["-arch=sm_9x", whole], "Value 'sm_9x' is not defined for option 'gpu-name'"),
                        (["-arch=sm_90", whole, "-o"], "argument expected"),
                        (["-arch=sm_90", whole, "-o", "/nonexistent/x"], "could not be opened")):
    code, _, err = run(PTXAS, *arguments)
    check(code == 255 and "ptxas fatal   : " in err and text in err, f"{arguments}: {code} {err}")
write("loop", "@loop")
code, _, err = run(PTXAS, "@loop", whole)
check(code == 255, "a file of options that names itself")

code, out, _ = run(OBJDUMP, "two.cubin", whole)
check(code == 0 and "sm_90" in out and "carries PTX: 2" in out and "PTX" in out, f"a listing: {out}")
code, out, _ = run(OBJDUMP, "whole.cubin")
check("at most 32 registers" in out, f"the limit of registers is kept: {out}")
code, out, _ = run(OBJDUMP, "-ptx", "two.cubin")
check(code == 0 and ".entry ask" in out and ".func (.param .b32 result) twice" in out, "texts of an image")
code, _, err = run(OBJDUMP, "options")
check(code == 1 and "no device code" in err, "no device code")

# The image has the symbol table of a cubin: LLVM's OpenMP runtime reads initial values from it.
write("data.ptx", HEAD + """
.visible .global .align 4 .u32 answer = 42;
.visible .global .align 8 .u64 place = generic(answer);
.visible .const .align 4 .u32 fixed[2] = {7, 8};
.visible .global .align 4 .u32 empty[5];
.visible .shared .align 4 .u32 scratch[3];
.global .align 1 .u8 own = 9;
.weak .func maybe() { ret; }
.extern .func missing();
.visible .entry start() { call missing; ret; }
""")
run(PTXAS, "-arch=sm_90", "-c", "data.ptx", "-o", "data.cubin")
found = symbols((FOLDER / "data.cubin").read_bytes())
check(found["answer"].content == struct.pack("<I", 42) and found["answer"].binding == "global", "an initial value")
check(found["place"].content == bytes(8), "an address in an initial value is 0")
check(found["fixed"].content == struct.pack("<2I", 7, 8), "a constant")
check(found["empty"].content is None and found["empty"].size == 20, "a variable without an initial value")
check(found["scratch"].content is None and found["scratch"].size == 12, "a shared variable")
check(found["own"].binding == "local" and found["own"].content == b"\x09", "a local variable")
check(found["maybe"].binding == "weak" and found["start"].defined, "functions")
check(not found["missing"].defined, "an undefined function")
elf = (FOLDER / "data.cubin").read_bytes()
check(elf[7:9] == b"\x33\x07" and struct.unpack_from("<I", elf, 48)[0] & 0xff == 90,
      "the header names the architecture as cubins up to CUDA 12 do")

finish()
