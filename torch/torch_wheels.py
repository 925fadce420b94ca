# SPDX-License-Identifier: MIT
"""Gets what is needed of PyTorch's wheels to compile for them: the headers, and the names that the libraries export.

Both are kept in a folder; a wheel, of half a gigabyte, is not. In place of each library of a gigabyte lies one that exports
the same names and has nothing else, so that the linker finds what is missing.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from cupipe.torch_build import LIBRARIES, BuildError, Torch

PYTHON = "3.12"  # any that has wheels of all versions: what is needed is the same for all
TAG = "manylinux_2_28"
TIMEOUT_SECONDS = 3600


def _download(version, machine, folder):
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--quiet",
               f"--python-version={PYTHON}", f"--platform={TAG}_{machine}", f"--dest={folder}", f"torch=={version}"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    wheels = list(Path(folder).glob("torch-*.whl"))
    if result.returncode or len(wheels) != 1:
        lines = [line for line in result.stderr.splitlines() if line.startswith("ERROR")]
        raise BuildError(f"pip finds no wheel: {lines[-1] if lines else result.stderr.strip()[-200:]}")
    return wheels[0]


def exported(library):
    """The names that a library exports, and their kinds."""
    listing = subprocess.run(["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^ *\d+: [0-9a-f]+ +\w+ (\w+) +(?:GLOBAL|WEAK|UNIQUE) +\w+ +(?!UND)\w+ (\S+)$", listing, re.M)
    return sorted({(name.split("@")[0], kind) for kind, name in found})


def _write_stub(library, stub, compiler):
    """A library of this name with the same names in it."""
    names = exported(library)
    kinds = {"FUNC": "%function", "OBJECT": "%object", "TLS": "%tls_object"}
    lines = [".data"]
    for name, kind in names:
        lines.append(f'.globl "{name}"\n.type "{name}", {kinds.get(kind, "%notype")}')
        if kind != "TLS":
            lines.append(f'"{name}":')
    lines.append(".byte 0\n.section .tdata,\"awT\",%progbits")
    lines += [f'"{name}":' for name, kind in names if kind == "TLS"]
    lines.append('.byte 0\n.section .note.GNU-stack,"",%progbits\n')
    source = stub.with_suffix(".s")
    source.write_text("\n".join(lines))
    command = [*compiler, "-shared", "-nostdlib", source, "-o", stub, f"-Wl,-soname,{stub.name}"]
    result = subprocess.run(command, capture_output=True, text=True)
    source.unlink()
    if result.returncode:
        raise BuildError(f"{stub.name} of the names in PyTorch's library is not made: {result.stderr[-2000:]}")


def _unpack(wheel, folder, compiler):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(folder, [name for name in names if name.startswith("torch/include/") or name == "torch/version.py"])
        libraries = [f"torch/lib/lib{name}.so" for name in LIBRARIES]
        if not set(libraries) <= set(names):
            return  # without CUDA
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            for name in libraries:
                archive.extract(name, scratch)
                stub = folder / name
                stub.parent.mkdir(parents=True, exist_ok=True)
                _write_stub(Path(scratch) / name, stub, compiler)
                (Path(scratch) / name).unlink()


def get(version, machine, cache, compiler):
    """The PyTorch of this version for this machine, in a folder of the cache. Raises BuildError if it has no CUDA."""
    folder = Path(cache) / f"{version}-{machine}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            part = Path(scratch) / "part"
            part.mkdir()
            _unpack(_download(version, machine, scratch), part, compiler)
            shutil.move(str(part), str(folder))
    torch = Torch(folder / "torch")
    if not torch.cuda:
        raise BuildError(f"the wheel of {torch.version} for {machine} is built without CUDA")
    return torch
