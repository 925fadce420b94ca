# SPDX-License-Identifier: MIT
"""Shared by the tests of packages: what is installed, what is in an ELF file, and what is there."""
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "command"))
from command import BUILD, CC, FOLDER, SOURCE, check, compile_c, finish, run  # noqa: E402,F401

SKIP = 77
VERSION = re.search(r"VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text().split("project(")[1]).group(1)
HOME = {"HOME": str(FOLDER / "home"), "XDG_CACHE_HOME": "", "PYTHONDONTWRITEBYTECODE": "1"}


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP)


def tree(folder):
    """Every file and link below a folder, by its path from there, with its size and time."""
    return {path.relative_to(folder).as_posix(): (path.lstat().st_size, path.lstat().st_mtime_ns)
            for path in Path(folder).rglob("*") if path.is_symlink() or not path.is_dir()}


def installed():
    """What `cmake --install` installs."""
    code, _, err = run("cmake", "--install", BUILD, "--prefix", FOLDER / "prefix")
    if code != 0 and "cannot find" in err:
        skip(f"this build is not complete: {err}")
    check(code == 0, f"install: {err}")
    return set(tree(FOLDER / "prefix"))


def objdump(path, option):
    return subprocess.run(["objdump", option, path], capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def elf_files(folder):
    return [path for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and not path.is_symlink() and path.read_bytes()[:4] == b"\x7fELF"]


def check_elf_files(folder, fewest=10):
    """They are stripped and know nothing of the build. Returns libraries from elsewhere that they need."""
    files, outside = elf_files(folder), set()
    check(len(files) >= fewest, f"libraries and programs: {files}")
    for path in files:
        head = objdump(path, "-p")
        check(str(BUILD) not in head, f"{path.name} has no path of the build")
        check(os.fsencode(BUILD) not in path.read_bytes(), f"{path.name} does not know where it was built")
        check(path.suffix == ".a" or "no symbols" in objdump(path, "-t"), f"{path.name} is stripped")
        needed = set(re.findall(r"NEEDED +(\S+)", head))
        if path.name.startswith("libcupipe-torch-"):  # loaded into a process that has these
            needed -= {"libtorch_cpu.so", "libtorch_cuda.so", "libc10_cuda.so", "libc10.so", "libstdc++.so.6", "libgcc_s.so.1"}
        outside |= needed
    return {name for name in outside - {path.name for path in files}
            if not re.match(r"(lib(c|m|dl|pthread)|ld-linux.*)\.so\.", name)}


def static_llvm():
    return "libLLVM" not in objdump(BUILD / "lib" / "libcupipe-jit.so", "-p")


def check_kernel(command, library, *words):
    """Runs a kernel, which writes its code below the user's folder alone."""
    os.makedirs(HOME["HOME"], exist_ok=True)
    code, out, err = run(*command, HERE / "kernel.py", *words, env=HOME)
    check(code == 0 and err == "", f"{command[0]}: a kernel runs: {code} {out} {err}")
    check(out.splitlines()[:1] == [str(Path(library).resolve() / "libcuda.so.1")], f"one driver, its own: {out}")
    return out
