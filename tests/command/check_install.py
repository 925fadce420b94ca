#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command installed under a prefix: it finds its parts there, also after the prefix was moved and through a link.

usage: check_install.py BUILD SOURCE CC
"""
import json
import os
import re
import shutil
import sys

from command import BUILD, CC, CLEAN, FOLDER, NVCC, SOURCE, check, compile_c, finish, run, write
from compilers import clangs

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
outside = [part for part in facts["parts"] if part["found"] and part["name"] not in ("Python", "nvcc", "OpenBLAS")
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
    write("program.c", "#include <cuda.h>\nint main(void) { return cuInit(0); }")
    code, _, err = run(CC, "program.c", "-o", "own", *flags.split())
    check(code == 0, f"a program is compiled with what pkg-config says: {err}")
    check(run(FOLDER / "own")[0] == 0, "and runs without further ado")

if shutil.which("cmake"):
    write("project/CMakeLists.txt", """cmake_minimum_required(VERSION 3.16)
project(program C)
find_package(cupipe 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE cupipe::cuda)
add_executable(static program.c)
target_link_libraries(static PRIVATE cupipe::cudart_static cupipe::cuda)
""")
    write("project/program.c", "#include <cuda.h>\nint main(void) { return cuInit(0); }")
    cmake = ("cmake", "-S", "project", "-B", "project/build", f"-DCMAKE_C_COMPILER={CC}")
    code, out, err = run(*cmake, f"-DCMAKE_PREFIX_PATH={moved}")
    check(code == 0, f"find_package(cupipe): {out} {err}")
    code, out, err = run("cmake", "--build", "project/build")
    check(code == 0, f"a program is built with it: {out} {err}")
    check([run(FOLDER / "project" / "build" / name)[0] for name in ("program", "static")] == [0, 0], "and runs")
    write("project/CMakeLists.txt", "cmake_minimum_required(VERSION 3.16)\nproject(p C)\nfind_package(cupipe 99 REQUIRED)\n")
    code, out, err = run(*cmake, f"-DCMAKE_PREFIX_PATH={moved}")
    check(code != 0 and "99" in err, f"a version that is not this one: {code} {err}")


def commands_of(page, first_words):
    """The indented lines of a page that begin a command with one of the words, with what continues them."""
    found = []
    for block in re.findall(r"(?:^    .*\n)+", page, re.M):
        for line in re.sub(r"\\\n *", "", block).splitlines():
            if line.split()[0] in first_words:
                found.append(line.split("#")[0].strip())
    return found


def check_runtime_page():
    """What docs/RUNTIME.md and docs/CLANG.md say, done as they say it, gives programs with cupipe's runtime."""
    page = "\n".join((SOURCE / "docs" / name).read_text() for name in ("RUNTIME.md", "CLANG.md"))
    folders = {}
    for row, prefix in (("make install", moved), ("Debian", "/usr")):
        cells = re.search(rf"^\| [^|]*{row}[^|]*\| `([^`]+)` \| `([^`]+)` \|", page, re.M).groups()
        folders[row] = [cell.replace("/opt/cupipe", str(prefix)) for cell in cells]
    library, include = folders["make install"]
    check((library, include) == (facts["library"], str(moved / "include" / "cupipe")), f"the folders of a prefix: {folders}")
    check(folders["Debian"] == ["/usr/lib/cupipe", "/usr/include/cupipe"], f"the folders of the packages: {folders}")
    tools = FOLDER / "tools"
    tools.mkdir()
    clang = clangs()[-1:]
    if clang:
        (tools / "clang++").symlink_to(clang[0])
    env = {"LIB": library, "INCLUDE": include, "PATH": f"{tools}:{os.path.dirname(NVCC or '/bin/sh')}:{CLEAN['PATH']}"}
    write("a.cu", '__global__ void k(int *p) { *p = 42; }\nint main() { int *p, h = 0; cudaMalloc((void **)&p, 4);'
          "k<<<1, 1>>>(p); cudaMemcpy(&h, p, 4, cudaMemcpyDefault); return h; }\n")
    write("a.cpp", "#include <cuda_runtime.h>\nint main() { return cudaFree(nullptr) ? 1 : 42; }\n")
    commands = commands_of(page, ("nvcc", "clang++", "c++"))
    check(len(commands) >= 4, f"the commands of the page: {commands}")
    for command in commands:
        word = command.split()[0]
        if (word == "nvcc" and not NVCC) or (word == "clang++" and not clang) or "a.o" in command or "FOLDER" in command:
            continue
        program = "a" if "-o a " in command else "a.out"
        code, _, err = run("sh", "-c", command, env=env)
        check(code == 0 and (FOLDER / program).exists(), f"{command}: {code} {err}")
        if not (FOLDER / program).exists():
            continue
        sections, needed = run("readelf", "-SW", program)[1], run("ldd", program, env={"LD_LIBRARY_PATH": library})[1]
        check(".note.cupipe.runtime" in sections or f"{library}/libcudart.so" in needed, f"{command} links cupipe's runtime")
        code, _, err = run("sh", "-c", f"LD_LIBRARY_PATH=$LIB ./{program}", env=env)
        check(code == 42, f"{command}: the program runs: {code} {err}")
        (FOLDER / program).unlink()


check_runtime_page()
code, out, err = run(link, "run", "nvidia-smi", "-L")
check(code == 0 and out.startswith("GPU 0: "), f"nvidia-smi under run: {out} {err}")
code, _, err = run(link, "conformance")
check(code == 125 and "not installed" in err, f"conformance is not installed: {code} {err}")
beside = moved / "bin" / "cupipe-conformance"
beside.write_text('#!/bin/sh\necho "$# $1"\n')
beside.chmod(0o755)
check(run(link, "conformance", "a b") == (0, "1 a b\n", ""), "a program beside the command is its subcommand")
code, out, err = run(link, "objdump", "ask")
check("no device code" in out, f"objdump: {out} {err}")
code, out, err = run(link, "rebuild")
check(code == 0 and "  cuda-bindings " in out, f"rebuild: {code} {out} {err}")
(moved / "lib" / "cupipe" / "libcuda.so.1").unlink()
code, _, err = run(link, "run", "true")
check(code == 125 and "not complete" in err, f"without the library: {code} {err}")
finish()
