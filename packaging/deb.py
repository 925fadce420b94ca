#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the Debian packages of a build, of what `cmake --install` installs for each of its components.

usage: deb.py [--fast] BUILD FOLDER        prints the paths of the packages; --fast compresses little, for tests

The prefix is /usr; libraries and headers are in folders of their own below it, which neither the loader nor a compiler
searches, so that nothing collides with NVIDIA's packages or hides their libraries. The same build gives the same
bytes: dpkg-deb sorts names, and no file is younger than SOURCE_DATE_EPOCH or, without it, 1980.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from built import arguments, is_elf, machine_of, version_of  # noqa: E402

MAINTAINER = "The cupipe authors <cupipe@users.noreply.invalid>"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
FIRST_DATE = 315532800  # 1980: what a wheel's files have
# Component of the install rules: fields of the package, whose name it is unless it says otherwise.
PACKAGES = {
    "cupipe": {
        "Package": "cupipe",
        "Section": "libs",
        # What libraries open when a program needs it.
        "Recommends": "libzstd1, python3",
        "Suggests": "libdeflate0, liblz4-1, libsnappy1v5, cupipe-dev",
        "Description": """CUDA without a GPU
A CUDA driver, runtime and monitoring library whose devices are the processors
of the machine, and the command cupipe, which runs programs on them. Nothing is
installed where NVIDIA's libraries are.""",
    },
    "libraries": {
        "Package": "cupipe-libraries",
        "Section": "libs",
        "Depends": "cupipe (= {version}), libopenblas0-pthread | libopenblas0",
        "Recommends": "libdnnl2, libjpeg62-turbo | libjpeg-turbo8",
        "Suggests": "libucx0",
        "Description": """CUDA without a GPU: cuBLAS, cuDNN, cuFFT and others
CUDA's libraries by those of the processor: cuBLAS, cuBLASLt and cuSOLVER over
OpenBLAS, cuDNN, cuSPARSE, cuFFT, cuRAND, nvJPEG over libjpeg-turbo, and NPP.
The command cupipe, which runs programs, finds them.""",
    },
    "dev": {
        "Package": "cupipe-dev",
        "Section": "libdevel",
        "Depends": "cupipe (= {version})",
        "Description": """CUDA without a GPU: headers and static libraries
What is needed to compile programs against cupipe: headers, the static runtime,
files for CMake and pkg-config, and tools for clang.""",
    },
}


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode:
        raise SystemExit(f"deb.py: {command[0]} fails with {result.returncode}: {result.stderr or result.stdout}")
    return result.stdout


def needed(stage, elf_files, scratch):
    """What the libraries and programs of the package need, as dpkg-shlibdeps sees it."""
    if not shutil.which("dpkg-shlibdeps"):
        raise SystemExit("deb.py: there is no dpkg-shlibdeps, which finds dependencies: apt-get install dpkg-dev")
    (scratch / "debian").mkdir()
    (scratch / "debian" / "control").write_text("Source: cupipe\n\nPackage: cupipe\nArchitecture: any\n")
    text = run("dpkg-shlibdeps", "-O", "--ignore-missing-info", f"-l{stage / 'usr' / 'lib' / 'cupipe'}", *elf_files, cwd=scratch)
    found = re.search(r"shlibs:Depends=([^\n]+)", text)
    if not found:
        raise SystemExit(f"deb.py: dpkg-shlibdeps says {text!r}, which names no dependencies")
    return found.group(1)


def control(component, stage, version, scratch):
    files = sorted(path for path in stage.rglob("*") if path.is_file() and not path.is_symlink())
    elf_files = [path for path in files if is_elf(path)]
    fields = {"Version": version, "Priority": "optional", "Maintainer": MAINTAINER,
              "Installed-Size": str(sum((path.stat().st_size + 1023) // 1024 for path in files)), **PACKAGES[component]}
    machines = {ARCHITECTURES[machine_of(path)] for path in elf_files}
    fields["Architecture"] = machines.pop() if machines else run("dpkg", "--print-architecture").strip()
    if component == "cupipe":
        # What PyTorch alone loads needs PyTorch's libraries, which it brings.
        fields["Depends"] = needed(stage, [path for path in elf_files if not path.name.startswith("libcupipe-torch-")], scratch)
    fields["Depends"] = fields["Depends"].format(version=version)
    fields["Description"] = fields["Description"].replace("\n", "\n ")
    sums = "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(stage)}\n" for path in files)
    folder = stage / "DEBIAN"
    folder.mkdir()
    (folder / "control").write_text("".join(f"{name}: {text}\n" for name, text in fields.items()))
    (folder / "md5sums").write_text(sums)
    return f"{fields['Package']}_{version}_{fields['Architecture']}.deb"


def set_modes(stage, date):
    """The modes and times of a package, whatever the umask and the day."""
    for path in [stage, *stage.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
        os.utime(path, (date, date), follow_symlinks=False)


def make(component, options, version, date):
    with tempfile.TemporaryDirectory() as scratch:
        stage = Path(scratch) / "stage"
        run("cmake", "--install", options.build, "--prefix", stage / "usr", "--component", component, "--strip")
        name = control(component, stage, version, Path(scratch))
        set_modes(stage, date)
        compression = ("-Zgzip", "-z1") if options.fast else ("-Zxz",)
        run("dpkg-deb", "--root-owner-group", *compression, "--build", stage, options.folder / name,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(date)})
        return options.folder / name


def main():
    options = arguments(__doc__)
    version = version_of(options.build)
    date = int(os.environ.get("SOURCE_DATE_EPOCH") or FIRST_DATE)
    for component in PACKAGES:
        print(make(component, options, version, date), flush=True)


if __name__ == "__main__":
    main()
