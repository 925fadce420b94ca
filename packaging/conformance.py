#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a wheel and a source archive of the conformance kit, from the component `conformance` of a build.

usage: conformance.py BUILD FOLDER        prints their paths

Both are for any machine: the kit carries its recorders as source. Made twice, they have the same bytes.
"""
import argparse
import gzip
import io
import subprocess
import tarfile
import tempfile
from pathlib import Path

import wheel

NAME = "cupipe_conformance"
ENTRY = "[console_scripts]\ncupipe-conformance = cupipe_conformance.__main__:main\n"
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


def stage(build, root):
    """The module with what it carries, below `root`."""
    prefix = root / "prefix"
    subprocess.run(["cmake", "--install", build, "--prefix", prefix, "--component", "conformance"], check=True,
                   stdout=subprocess.DEVNULL)
    module, = prefix.rglob(NAME)
    module.rename(root / NAME)
    subprocess.run(["rm", "-r", prefix], check=True)


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
        wheel.write(path, root, {"METADATA": metadata, "WHEEL": wheel.WHEEL.format(tag="py3-none-any").replace(
            "Root-Is-Purelib: false", "Root-Is-Purelib: true"), "entry_points.txt": ENTRY, "licenses/LICENSE": licence},
            f"{NAME}-{version}.dist-info")
        files = {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    files.update({"PKG-INFO": metadata.encode(), "pyproject.toml": PROJECT.format(version=version).encode(),
                  "LICENSE": licence.encode()})
    archive = options.folder / f"{NAME}-{version}.tar.gz"
    write_archive(archive, f"{NAME}-{version}", files)
    print(path, archive, sep="\n")


if __name__ == "__main__":
    main()
