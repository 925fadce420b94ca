#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a wheel, a source archive and a Debian package of the conformance kit, the component `conformance` of a build.

usage: conformance.py BUILD FOLDER        prints their paths

They are for any machine: the kit carries its recorders as source. Made twice, they have the same bytes. Without
dpkg-deb the Debian package is left out.
"""
import argparse
import gzip
import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from pathlib import Path

import wheel

NAME = "cupipe_conformance"
ENTRY = "[console_scripts]\ncupipe-conformance = cupipe_conformance.__main__:main\n"
WHEEL = """Wheel-Version: 1.0
Generator: cupipe packaging/conformance.py
Root-Is-Purelib: true
Tag: py3-none-any
"""
METADATA = """Metadata-Version: 2.1
Name: cupipe-conformance
Version: {version}
Summary: Holds any implementation of CUDA against the recorded answers of an H200
License: MIT
Platform: linux
Requires-Python: >=3.8
Description-Content-Type: text/markdown

# cupipe-conformance

Asks a CUDA driver, runtime or library questions, and compares the answers with those that NVIDIA's
gave on an H200:

    cupipe-conformance run /path/to/libcuda.so.1

It needs a C compiler, and for the questions to the runtime nvcc.
"""
CONTROL = """Package: cupipe-conformance
Version: {version}
Section: utils
Priority: optional
Architecture: all
Maintainer: The cupipe authors <cupipe@users.noreply.invalid>
Installed-Size: {kilobytes}
Depends: python3, gcc | c-compiler, libc6-dev, binutils
Suggests: cupipe, libegl-dev, libgl-dev
Description: compares an implementation of CUDA with an H200
 Asks a CUDA driver, runtime or library some 110,000 questions, each in a
 process that may crash or hang, and compares the answers with those recorded
 from NVIDIA's on an H200.
"""
FIRST_DATE = 315532800  # 1980: what a wheel's files have
PROJECT = """[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "cupipe-conformance"
version = "{version}"
description = "Holds any implementation of CUDA against the recorded answers of an H200"
requires-python = ">=3.8"
license = {{text = "MIT"}}

[project.scripts]
cupipe-conformance = "cupipe_conformance.__main__:main"

[tool.setuptools]
packages = ["cupipe_conformance"]
include-package-data = false

[tool.setuptools.package-data]
cupipe_conformance = ["VERSION", "data/**/*"]
"""


def install(build, prefix):
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", "conformance"], check=True,
                   stdout=subprocess.DEVNULL)


def stage(build, root):
    """The module with what it carries, below `root`."""
    prefix = root / "prefix"
    install(build, prefix)
    module, = prefix.rglob(NAME)
    module.rename(root / NAME)
    shutil.rmtree(prefix)


def write_deb(build, folder, version):
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "root"
        install(build, root / "usr")
        files = [path for path in root.rglob("*") if path.is_file()]
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN" / "control").write_text(
            CONTROL.format(version=version, kilobytes=sum(path.stat().st_size for path in files) // 1024))
        for path in [root, *root.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
            os.utime(path, (FIRST_DATE, FIRST_DATE))
        deb = folder / f"cupipe-conformance_{version}_all.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, deb], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "SOURCE_DATE_EPOCH": str(FIRST_DATE)})
    return deb


def write_wheel(path, info, files, extra):
    """A zip of {name: bytes}, with one time, and the list of their digests."""
    files = {**files, **{f"{info}/{name}": text.encode() for name, text in extra.items()}}
    lines = "".join(wheel.record(name, data) for name, data in sorted(files.items())) + f"{info}/RECORD,,\n"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*sorted(files.items()), (f"{info}/RECORD", lines.encode())]:
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            archive.writestr(entry, data)


def write_archive(path, top, files):
    """A tar of {name: bytes}, without owners and times."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    version = wheel.version_of(options.build)
    licence = (wheel.HERE.parent / "LICENSE").read_text()
    metadata = METADATA.format(version=version)
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        stage(options.build, root)
        path = options.folder / f"{NAME}-{version}-py3-none-any.whl"
        files = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}
        write_wheel(path, f"{NAME}-{version}.dist-info", files, {
            "METADATA": metadata, "WHEEL": WHEEL, "entry_points.txt": ENTRY, "licenses/LICENSE": licence})
    files.update({"PKG-INFO": metadata.encode(), "pyproject.toml": PROJECT.format(version=version).encode(),
                  "LICENSE": licence.encode()})
    archive = options.folder / f"{NAME}-{version}.tar.gz"
    write_archive(archive, f"{NAME}-{version}", files)
    print(path, archive, sep="\n")
    if shutil.which("dpkg-deb"):
        print(write_deb(options.build, options.folder, version))


if __name__ == "__main__":
    main()
