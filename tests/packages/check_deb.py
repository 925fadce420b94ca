#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages: their files, their dependencies, and what dpkg makes of them below a root of their own.

usage: check_deb.py BUILD SOURCE CC
"""
import os
import re
import shutil
import sys

from packages import (BUILD, FOLDER, SOURCE, VERSION, check, check_elf_files, check_kernel, finish, installed, run, skip,
                      static_llvm, tree)

PACKAGES = ["cupipe", "cupipe-dev", "cupipe-libraries"]
# All that the packages may write to; nothing of it is NVIDIA's, and no loader searches there.
OWN = re.compile(r"usr/(bin/cupipe|lib/cupipe/.+|include/cupipe/.+|lib/pkgconfig/cupipe\.pc|lib/cmake/cupipe/[\w-]+\.cmake"
                 r"|share/doc/cupipe(-dev|-libraries)?/.+"
                 r"|share/man/man1/cupipe(-\w+)?\.1|share/bash-completion/completions/cupipe"
                 r"|share/vulkan/implicit_layer\.d/VkLayer_cupipe\.json)")


def field(package, name):
    return run("dpkg-deb", "-f", package, name)[1].strip()


def look_into(packages, root):
    architecture = run("dpkg", "--print-architecture")[1].strip()
    files = {}
    for package in packages:
        check(field(package, "Architecture") == architecture, f"{package.name}: {field(package, 'Architecture')}")
        check(field(package, "Version") == VERSION, f"{package.name}: {field(package, 'Version')}")
        code, _, err = run("dpkg-deb", "-x", package, FOLDER / package.stem)
        check(code == 0, f"{package.name} unpacks: {err}")
        files[package] = set(tree(FOLDER / package.stem))
        shutil.copytree(FOLDER / package.stem, root, symlinks=True, dirs_exist_ok=True)
        control = run("dpkg-deb", "-I", package)
        check(not re.search(r"postinst|prerm|shlibs", control[1]), f"{package.name} runs no scripts: {control[1]}")
    library, headers, libraries = packages
    names = set().union(*files.values())
    check(len(names) == sum(map(len, files.values())), "no file is in two of them")
    check(names == {"usr/" + name for name in installed()}, f"what is installed: {names}")
    foreign = [name for name in names if not OWN.fullmatch(name)]
    check(not foreign, f"nothing is outside of its own folders: {foreign}")
    check("usr/include/cupipe/cuda.h" in files[headers], "headers are in cupipe-dev")
    depends = field(library, "Depends")
    check("libc6 (>=" in depends, f"it depends on the C library: {depends}")
    check(not static_llvm() or "," not in depends, f"and on nothing else: {depends}")
    check(field(headers, "Depends") == f"cupipe (= {VERSION})", f"cupipe-dev: {field(headers, 'Depends')}")
    check("usr/lib/cupipe/libcublas.so.13" in files[libraries], "cuBLAS is in cupipe-libraries")
    depends = field(libraries, "Depends")
    check(depends.startswith(f"cupipe (= {VERSION}), libopenblas0"), f"cupipe-libraries: {depends}")
    check_elf_files(FOLDER / library.stem)
    check_elf_files(FOLDER / libraries.stem, fewest=9)


def install_and_remove(packages, root):
    """With dpkg, below a root that has nothing else in it."""
    if os.getuid() != 0:
        print("not installed with dpkg: that needs root")
        return
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers"):
        os.makedirs(root / folder)
    (root / "var/lib/dpkg/status").touch()
    dpkg = ("dpkg", f"--root={root}", f"--log={root}/var/lib/dpkg/log", "--force-depends")
    code, _, err = run(*dpkg, "-i", *packages)
    check(code == 0, f"dpkg -i: {err}")
    check_kernel([root / "usr" / "bin" / "cupipe", "run", sys.executable], root / "usr" / "lib" / "cupipe")
    code, out, err = run(root / "usr" / "bin" / "cupipe", "rebuild")
    check(code == 0 and "  cuda-bindings " in out, f"cupipe rebuild: {code} {out} {err}")
    code, _, err = run(*dpkg, "-P", *PACKAGES)
    check(code == 0, f"dpkg -P: {err}")
    left = [name for name in tree(root) if not name.startswith("var/lib/dpkg/")]
    check(not left and not (root / "usr").exists(), f"nothing is left: {left}")


def main():
    for tool in ("dpkg", "dpkg-deb", "dpkg-shlibdeps"):
        if not shutil.which(tool):
            skip(f"{tool} is not here (package dpkg-dev)")
    installed()
    code, out, err = run(sys.executable, SOURCE / "packaging" / "deb.py", "--fast", BUILD, FOLDER)
    check(code == 0, f"deb.py: {out} {err}")
    packages = sorted(FOLDER.glob("*.deb"), key=lambda path: path.name.split("_")[0])
    check([path.name.split("_")[0] for path in packages] == PACKAGES, f"the packages: {packages}")
    if len(packages) == len(PACKAGES):
        root = FOLDER / "root"
        root.mkdir()
        look_into(packages, root)
        check_kernel([root / "usr" / "bin" / "cupipe", "run", sys.executable], root / "usr" / "lib" / "cupipe")
        install_and_remove(packages, FOLDER / "clean")
    finish()


main()
