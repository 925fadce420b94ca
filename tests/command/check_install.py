#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command installed under a prefix: it finds its parts there, also after the prefix was moved and through a link.

usage: check_install.py BUILD SOURCE CC
"""
import json
import os
import shutil
import sys

from command import BUILD, CC, FOLDER, SOURCE, check, compile_c, finish, run, write

prefix = FOLDER / "a prefix"
code, out, err = run("cmake", "--install", BUILD, "--prefix", prefix)
if code != 0 and "cannot find" in err:
    print("this build is not complete:", err)
    raise SystemExit(77)
check(code == 0, f"install: {err}")
code, out, err = run(prefix / "bin" / "cupipe", "run", sys.executable, "-c", "print(1)")
check((code, out, err) == (0, "1\n", ""), f"a prefix with a blank: {out} {err}")
code, out, err = run(prefix / "bin" / "cupipe", "run", sys.executable, SOURCE / "tests" / "packages" / "kernel.py",
                     env={"CUPIPE_CACHE": "off"})
check((code, out) == (0, f"{prefix}/lib/cupipe/libcuda.so.1\n1 right\n"), f"a kernel: {out} {err}")
moved = FOLDER / "moved"
os.rename(prefix, moved)
link = FOLDER / "cupipe"
link.symlink_to(moved / "bin" / "cupipe")
code, out, err = run(link, "info", "--json")
check(code == 0, f"info: {err}")
facts = json.loads(out)
check(facts["library"].startswith(str(moved)), f"its own library: {facts['library']}")
outside = [part for part in facts["parts"] if part["found"] and part["name"] not in ("Python", "nvcc")
           and not part["path"].startswith(str(moved))]
check(not outside, f"no part of the build tree: {outside}")
for file in ("share/man/man1/cupipe.1", "share/bash-completion/completions/cupipe"):
    check((moved / file).exists(), f"{file} is installed")
ask = compile_c("ask", "#include <cuda.h>\nint main(void) { int n = 0; cuInit(0); cuDeviceGetCount(&n); return n; }",
                f"-L{facts['library']}", "-lcuda")
code, _, err = run(link, "run", "--devices", "3", "--trace", "t.json", ask)
check((code, err) == (3, ""), f"run: {code} {err}")
code, out, err = run(link, "trace", "t.json")
check(code == 0 and "cuInit" in out, f"trace: {code} {err}")
if shutil.which("pkg-config"):
    code, flags, err = run("pkg-config", "--cflags", "--libs", "cupipe", env={"PKG_CONFIG_PATH": moved / "lib" / "pkgconfig"})
    check(code == 0, f"pkg-config: {err}")
    write("own.c", "#include <cuda.h>\nint main(void) { return cuInit(0); }")
    code, _, err = run(CC, "own.c", "-o", "own", *flags.split())
    check(code == 0, f"a program is compiled with what pkg-config says: {err}")
    check(run(FOLDER / "own")[0] == 0, "and runs without further ado")
code, _, err = run(link, "conformance")
check(code == 125 and "not installed" in err, f"conformance is not installed: {code} {err}")
beside = moved / "bin" / "cupipe-conformance"
beside.write_text('#!/bin/sh\necho "$# $1"\n')
beside.chmod(0o755)
check(run(link, "conformance", "a b") == (0, "1 a b\n", ""), "a program beside the command is its subcommand")
code, out, err = run(link, "objdump", "ask")
check("no device code" in out, f"objdump: {out} {err}")
(moved / "lib" / "cupipe" / "libcuda.so.1").unlink()
code, _, err = run(link, "run", "true")
check(code == 125 and "not complete" in err, f"without the library: {code} {err}")
finish()
