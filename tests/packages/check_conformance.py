#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The packages of the conformance kit: their files, that they are the same when made twice, and that they work alone.

usage: check_conformance.py BUILD SOURCE CC
"""
import json
import re
import shutil
import sys
import tarfile
import zipfile

from packages import BUILD, CC, FOLDER, SOURCE, VERSION, check, finish, run

DATA = "cupipe_conformance/data/"
NAMES = {f"cupipe_conformance-{VERSION}-py3-none-any.whl", f"cupipe_conformance-{VERSION}.tar.gz"}
NEEDED = {DATA + "include/cuda.h", DATA + "tests/conformance/harness.c", DATA + "tools/conformance/launcher.c",
          DATA + "tests/conformance/recorded/h200-driver580.golden.gz", DATA + "tests/libraries/recorded/h200-cuda13.txt.gz",
          DATA + "tests/conformance/runtime/kernels.cu", "cupipe_conformance/VERSION", "cupipe_conformance/__main__.py"}
# A driver that refuses everything, as the toolkit's stub does.
DRIVER = "int cuInit(unsigned flags) { return 100; }\nint cuMemAlloc_v2(void *to, unsigned long size) { return 3; }\n"


def make(folder):
    code, out, err = run(sys.executable, SOURCE / "packaging" / "conformance.py", BUILD, FOLDER / folder)
    check(code == 0, f"the packages are made: {out} {err}")
    return {path.name: path for path in sorted((FOLDER / folder).iterdir())}


def check_use(env, *command):
    """The kit from elsewhere, with nothing of the source tree."""
    code, out, err = run(*command, "list", env=env)
    check(code == 0 and re.search(r"driver +1\d{4} lines", out), f"{command}: list: {code} {out} {err}")
    code, out, err = run(*command, "--version", env=env)
    check(out.strip().endswith(VERSION), f"{command}: version: {out} {err}")
    (FOLDER / "refuses.c").write_text(DRIVER)
    run(CC, "-shared", "-fPIC", "-w", "refuses.c", "-o", "libcuda.so.1")
    code, out, err = run(*command, "run", "libcuda.so.1", "--suite", "unseen", "--summary", "--json", "out.json", "--cache", "cache",
                         "kfault-unseen-cuMemAlloc*", env={**env, "CC": CC})
    check(code == 1, f"{command}: run: {code} {out} {err}")
    if code == 1:
        total = json.loads((FOLDER / "out.json").read_text())["suites"][0]["total"]
        check(total["judged"] > 0 and total["agree"] == 0, f"{command}: what a driver that refuses agrees in: {total}")


def main():
    first, second = make("first"), make("second")
    names = NAMES | ({f"cupipe-conformance_{VERSION}_all.deb"} if shutil.which("dpkg-deb") else set())
    check(set(first) == names, f"the packages: {sorted(first)}")
    for name, path in first.items():
        check(path.read_bytes() == second[name].read_bytes(), f"{name} has the same bytes when it is made again")
    wheel, archive = (first[name] for name in sorted(NAMES))
    with zipfile.ZipFile(wheel) as opened:
        files = set(opened.namelist())
        opened.extractall(FOLDER / "wheel")
    with tarfile.open(archive) as opened:
        inside = {name.split("/", 1)[1] for name in opened.getnames()}
    check(NEEDED <= files, f"the wheel lacks {sorted(NEEDED - files)}")
    check(NEEDED | {"pyproject.toml", "PKG-INFO", "LICENSE"} <= inside, f"the archive lacks {sorted(NEEDED - inside)}")
    check(not [name for name in files if name.endswith((".o", ".so", "__pycache__"))], "nothing in it is built")
    check_use({"PYTHONPATH": str(FOLDER / "wheel")}, sys.executable, "-m", "cupipe_conformance")
    for name in names - NAMES:
        code, _, err = run("dpkg-deb", "-x", first[name], FOLDER / "deb")
        check(code == 0 and (FOLDER / "deb/usr/share/man/man1/cupipe-conformance.1").exists(), f"the package: {err}")
        check_use({}, FOLDER / "deb" / "usr" / "bin" / "cupipe-conformance")
    finish()


main()
