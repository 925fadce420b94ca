#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a wheel of a build: the module cupipe with a whole prefix inside it, as `cmake --install` makes it.

usage: wheel.py [--fast] BUILD FOLDER        prints the path of the wheel; --fast compresses little, for tests

Its platform tag is read from the files: the machine of their ELF headers, and the newest version of glibc that one of
them asks for. A build whose libraries need more than the C library and each other gets the tag linux_MACHINE, with
which pip installs it but no index takes it, and a warning.
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from built import arguments, is_elf, machine_of, version_of  # noqa: E402

SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux[-\w]*\.so\.\d")
# What is loaded into a process of PyTorch needs PyTorch's libraries, which are there, and what those need.
OF_TORCH = re.compile(r"lib(torch\w*|c10\w*|stdc\+\+|gcc_s)\.so(\.\d+)?")
LAST_WITHOUT_MORE = (2, 17)  # older ones have no manylinux tag of this form
METADATA = """Metadata-Version: 2.1
Name: cupipe
Version: {version}
Summary: CUDA without a GPU: run CUDA programs on the processor
License: MIT, with parts of LLVM (Apache-2.0 WITH LLVM-exception), zlib and zstd (BSD-3-Clause)
Platform: linux
Requires-Python: >=3.8
Provides-Extra: libraries
Requires-Dist: scipy-openblas32; extra == "libraries"
Requires-Dist: onednn-cpu-gomp <2023; extra == "libraries" and platform_machine == "x86_64"
Requires-Dist: pillow; extra == "libraries"
Description-Content-Type: text/markdown

# cupipe

CUDA in software: a driver, `libcuda.so.1`, a runtime, `libcudart`, and NVML, whose devices are the
processors of the machine. Programs run unchanged:

    cupipe run python app.py

or, in a program, before anything loads CUDA:

    import cupipe
    cupipe.enable()

Nothing outside of this package is changed. `cupipe --help` lists commands and options.
"""
WHEEL = """Wheel-Version: 1.0
Generator: cupipe packaging/wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


def platform_tag(files):
    """The tag, and what stands against a manylinux tag: pairs of a file and a library."""
    machines, newest, foreign = set(), LAST_WITHOUT_MORE, []
    own = {path.name for path in files}
    for path in files:
        machines.add(machine_of(path))
        for needed in re.findall(r"\(NEEDED\).*\[(.+)\]", readelf(path, "-d")):
            there = path.name.startswith("libcupipe-torch-") and OF_TORCH.fullmatch(needed)
            if needed not in own and not SYSTEM.fullmatch(needed) and not there:
                foreign.append((path.name, needed))
        for version in re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf(path, "-V")):
            newest = max(newest, tuple(map(int, version)))
    if len(machines) != 1:
        raise SystemExit(f"wheel.py: files for {len(machines)} kinds of machine")
    machine = machines.pop()
    return ("linux" if foreign else "manylinux_%d_%d" % newest) + "_" + machine, foreign


def stage(build, root):
    """Installs the build below `root`, with the Python files; links become scripts for the linker."""
    prefix = root / "cupipe"
    for options in ([], ["--component", "wheel"]):
        subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--strip", *options], check=True,
                       stdout=subprocess.DEVNULL)
    for path in [path for path in prefix.rglob("*") if path.is_symlink()]:
        target = os.readlink(path)
        path.unlink()
        path.write_text(f"INPUT({target})\n")
    for source in sorted((HERE / "cupipe").glob("*.py")):
        (prefix / source.name).write_bytes(source.read_bytes())


def record(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write(wheel, root, extra, info, level):
    """Writes all files of `root` and the extra ones, in one order and with one time, and the list of their digests."""
    files = [(path.relative_to(root).as_posix(), path.read_bytes(), path.stat().st_mode & 0o111)
             for path in sorted(root.rglob("*")) if path.is_file()]
    files += [(f"{info}/{name}", text.encode(), 0) for name, text in extra.items()]
    lines = "".join(record(name, data) for name, data, _ in files) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data, executable in [*files, (f"{info}/RECORD", lines.encode(), 0)]:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data, compresslevel=level)


def main():
    options = arguments(__doc__)
    version = version_of(options.build)
    info = f"cupipe-{version}.dist-info"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        stage(options.build, root)
        platform, foreign = platform_tag([path for path in root.rglob("*") if path.is_file() and is_elf(path)])
        for file, library in foreign:
            print(f"wheel.py: {file} needs {library}: the wheel is for this machine only", file=sys.stderr)
        tag = f"py3-none-{platform}"
        licence = (root / "cupipe" / "share" / "doc" / "cupipe" / "copyright").read_text()
        wheel = options.folder / f"cupipe-{version}-{tag}.whl"
        write(wheel, root, {"METADATA": METADATA.format(version=version), "WHEEL": WHEEL.format(tag=tag),
                            "entry_points.txt": (HERE / "entry_points.txt").read_text(), "licenses/LICENSE": licence}, info,
              1 if options.fast else 9)
    print(wheel)


if __name__ == "__main__":
    main()
