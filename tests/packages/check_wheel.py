#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The wheel: its list of files, its tag, and what pip makes of it in a fresh environment.

usage: check_wheel.py BUILD SOURCE CC
"""
import base64
import hashlib
import re
import shutil
import sys
import zipfile
from pathlib import Path

from packages import (BUILD, CC, FOLDER, HOME, SOURCE, VERSION, check, check_elf_files, check_kernel, compile_c, elf_files,
                      finish, installed, objdump, run, static_llvm, tree)


def check_record(archive, info):
    """Every file stands in RECORD, with its size and digest."""
    lines = archive.read(f"{info}/RECORD").decode().splitlines()
    listed = {line.rsplit(",", 2)[0]: line.rsplit(",", 2)[1:] for line in lines}
    check(set(listed) == set(archive.namelist()), "RECORD lists every file")
    for name, (digest, size) in listed.items():
        data = archive.read(name)
        expected = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        check(name.endswith("/RECORD") or (digest, int(size)) == (expected, len(data)), f"RECORD: {name}")


def check_tag(wheel, archive, info, folder):
    tag = re.search(r"^Tag: (.+)$", archive.read(f"{info}/WHEEL").decode(), re.M).group(1)
    check(wheel.name == f"cupipe-{VERSION}-{tag}.whl", f"the name has version and tag: {wheel.name} {tag}")
    versions = [tuple(map(int, found)) for path in elf_files(folder)
                for found in re.findall(r"GLIBC_(\d+)\.(\d+)", objdump(path, "-T"))]
    expected = "manylinux_%d_%d_" % max(versions) if static_llvm() else "linux_"
    check(tag.startswith("py3-none-" + expected), f"the tag is that of the files: {tag}, {expected}")


def look_into(wheel):
    info = f"cupipe-{VERSION}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(FOLDER / "unpacked")
        check_record(archive, info)
        check_tag(wheel, archive, info, FOLDER / "unpacked")
        links = [entry.filename for entry in archive.infolist() if (entry.external_attr >> 28) != 8]
        check(not links, f"files alone, no links: {links}")
        text = archive.read(f"{info}/METADATA").decode()
    check(f"\nVersion: {VERSION}\n" in text, f"METADATA has the version: {text}")
    inside = {name[len("cupipe/"):] for name in names if name.startswith("cupipe/")}
    more = {name for name in inside if "/" not in name and name.endswith(".py") or name.startswith("lib/cupipe/alias/")}
    check(inside - more == installed(), f"what is installed: {sorted((inside - more) ^ installed())}")
    needed = check_elf_files(FOLDER / "unpacked")
    check(not static_llvm() or not needed, f"nothing but the C library is needed: {needed}")


def check_versions(python, site):
    """In an environment with NVIDIA's libraries of CUDA 12 alone enable() does not load those of 13."""
    folder = site / "nvidia" / "cu12" / "lib"
    folder.mkdir(parents=True)
    for name in ("nvrtc", "nvJitLink"):
        (folder / f"lib{name}.so.12").write_text("only found, not loaded")
    code, out, err = run(python, "-c", "import cupipe, re; cupipe.enable();"
                         "print(*sorted(set(re.findall('cubin/(.*)', open('/proc/self/maps').read()))))")
    check((code, out) == (0, "libnvJitLink.so.12 libnvrtc.so.12\n"), f"libraries for CUDA 12: {out} {err}")
    shutil.rmtree(site / "nvidia")


def use(python, site):
    """The command, and enable() in a program."""
    cupipe, library = python.parent / "cupipe", site / "cupipe" / "lib" / "cupipe"
    before = tree(site)
    check(check_kernel([cupipe, "run", python], library).endswith("1 right\n"), "by the command")
    check(check_kernel([python], library, "devices=3", "memory=1G").endswith("3 right\n"), "by enable()")
    check(tree(site) == before, "the package's folder is not written to")
    check(tree(HOME["HOME"]), "compiled kernels are in the user's folder")
    code, out, err = run(cupipe, "rebuild", env=HOME)
    check(code == 0 and "  cuda-bindings " in out, f"cupipe rebuild: {code} {out} {err}")
    check(tree(site) == before, "which writes nothing, either")
    code, out, err = run(python, "-m", "cupipe", "--version")
    check((code, out) == (0, f"cupipe {VERSION}\n"), f"python -m cupipe: {out} {err}")
    code, out, err = run(python, "-c", "import cupipe; print(cupipe.__version__)")
    check((code, out) == (0, f"{VERSION}\n"), f"cupipe.__version__: {out} {err}")
    program = site / "cupipe" / "bin" / "cupipe"
    program.chmod(0o644)
    code, out, err = run(cupipe, "info")
    check((code, out) == (125, "") and f"{program} cannot be started: Permission denied" in err, f"a damaged package: {out} {err}")
    program.chmod(0o755)
    code, _, err = run(python, "-c", "import cupipe; cupipe.enable(gpus=1)")
    check("ValueError: cupipe: --gpus is not an option" in err, f"an option that is none: {err}")
    compile_c("other/libcuda.so.1", "", "-shared", "-fPIC")
    code, _, err = run(python, "-c", "import ctypes, cupipe; ctypes.CDLL('other/libcuda.so.1'); cupipe.enable()")
    check("RuntimeError" in err and "other/libcuda.so.1" in err, f"too late: {err}")
    ask = compile_c("ask", "#include <cuda.h>\nint main(void) { int n = 0; cuInit(0); cuDeviceGetCount(&n); return n; }",
                    f"-L{library}", "-lcuda", f"-I{site / 'cupipe' / 'include' / 'cupipe'}")
    check("libcuda.so.1" in objdump(ask, "-p"), "the linker takes the driver by its full name")
    code, _, err = run(cupipe, "run", "--devices", "2", ask)
    check((code, err) == (2, ""), f"a program that is linked with it: {code} {err}")
    check_versions(python, site)


def main():
    code, out, err = run(sys.executable, SOURCE / "packaging" / "wheel.py", "--fast", BUILD, FOLDER / "dist")
    if code:
        installed()  # skips the test if the build is not complete
    check(code == 0, f"wheel.py: {err}")
    wheel = Path(out.strip())
    (FOLDER / "other").mkdir()
    look_into(wheel)
    venv = FOLDER / "venv"
    code, out, err = run(sys.executable, "-m", "venv", venv)
    if code:
        print(f"not installed: this Python makes no environments (python3-venv): {out}{err}")
        finish()
    python = venv / "bin" / "python"
    empty = tree(venv)
    code, _, err = run(python, "-m", "pip", "install", "--no-index", "--no-deps", "--no-compile", wheel)
    check(code == 0, f"pip install: {err}")
    site = next(venv.glob("lib/python3*/site-packages"))
    use(python, site)
    code, _, err = run(python, "-m", "pip", "uninstall", "-y", "cupipe")
    check(code == 0, f"pip uninstall: {err}")
    left = set(tree(venv)) ^ set(empty)
    check(not {name for name in left if "__pycache__" not in name}, f"nothing is left: {left}")
    check(not (site / "cupipe").exists(), "its folder is gone")
    finish()


main()
