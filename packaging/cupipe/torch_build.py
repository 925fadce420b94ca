# SPDX-License-Identifier: MIT
"""Compiles the shared object that PyTorch loads, for one version of PyTorch.

Two callers: torch/build in the source tree, for packages and for work on the sources, and torch_backend.py, at first use
of a version for which there is no object. It asks nothing of a running torch: its folder is enough, so that objects for
another Python or another processor are made the same way.
"""
import concurrent.futures
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import time

# Most of the time goes into reading torch's headers: -O1 is not faster than -O2.
FLAGS = ["-std=c++20", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-DUSE_CUDA", "-D_GNU_SOURCE"]
C_FLAGS = ["-std=gnu11", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-D_GNU_SOURCE"]
LINK_FLAGS = ["-shared", "-Wl,--no-undefined-version", "-Wl,-s", "-Wl,--as-needed", "-Wl,-z,nodelete"]
LIBRARIES = ["torch_cpu", "torch_cuda", "c10_cuda", "c10"]
SUFFIXES = (".cpp", ".c")
PRECOMPILED = "precompiled.h"  # headers of torch that many sources include, compiled once
TIMEOUT_SECONDS = 1200


class BuildError(Exception):
    """Its text says what is missing or wrong, and what to do."""


class Torch:
    """An installed or unpacked PyTorch: what its file of versions and its folders say."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        try:
            with open(os.path.join(self.folder, "version.py"), encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise BuildError(f"{self.folder} is not a folder of PyTorch: {error}") from None
        self.version = self._value(text, "__version__") or "unknown"
        self.git = self._value(text, "git_version") or ""
        self.cuda = self._value(text, "cuda")

    @staticmethod
    def _value(text, name):
        found = re.search(rf"^{name}\b[^=\n]*=\s*['\"]([^'\"]*)['\"]", text, re.M)
        return found.group(1) if found else None

    @property
    def minor(self):
        """Major and minor version: "2.15"."""
        return ".".join(self.version.split(".")[:2])

    @property
    def is_release(self):
        """A nightly version or a build from source may differ from the release of the same number."""
        return re.fullmatch(r"\d+\.\d+\.\d+(\+cu\d+)?", self.version) is not None

    @property
    def includes(self):
        """The folders of its headers. CUDA's are cupipe's own, so that one object serves every version of CUDA."""
        return [os.path.join(self.folder, below) for below in ("include", "include/torch/csrc/api/include")]

    @property
    def library(self):
        return os.path.join(self.folder, "lib")


def object_name(torch):
    """The name of the object for all releases of a minor version."""
    return f"libcupipe-torch-{torch.minor}.so"


def list_sources(folder):
    """Every source below the folder, in one order: large ones first, which take longest, C last, which takes no time."""
    found = [os.path.join(path, name) for path, _, names in os.walk(folder, followlinks=True) for name in names
             if name.endswith(SUFFIXES)]
    return sorted(found, key=lambda path: (path.endswith(".c"), -os.path.getsize(path), path))


def hash_sources(*folders):
    """A digest of every file that takes part."""
    digest = hashlib.sha256()
    for folder in folders:
        for path, below, names in os.walk(folder, followlinks=True):
            below.sort()
            for name in sorted(names):
                if name.endswith((*SUFFIXES, ".h", ".def", ".inc")):
                    with open(os.path.join(path, name), "rb") as file:
                        digest.update(f"{os.path.relpath(os.path.join(path, name), folder)}\0".encode() + file.read() + b"\0")
    return digest.hexdigest()


def find_compiler():
    """The command of a C++ compiler, as a list of words."""
    named = os.environ.get("CXX")
    if named:
        words = shlex.split(named)
        if not shutil.which(words[0]):
            raise BuildError(f"CXX names {named}, which is not in PATH")
        return words
    for name in ("g++", "clang++", "c++"):
        if shutil.which(name):
            return [name]
    raise BuildError("there is no C++ compiler (g++ 11 or newer, or clang++ 16 or newer): apt install g++, or dnf install "
                     "gcc-c++, or conda install gxx")


def describe_compiler(compiler):
    """The first line of what it says of itself."""
    try:
        result = subprocess.run([*compiler, "--version"], capture_output=True, text=True, timeout=60)
    except OSError as error:
        raise BuildError(f"{' '.join(compiler)} cannot start: {error}") from None
    return result.stdout.split("\n")[0]


def _is_fresh(target, command):
    """Whether the object is newer than all that it was made of, and was made by the same command."""
    try:
        made = os.stat(target).st_mtime_ns
        with open(target + ".command", encoding="utf-8") as file:
            if file.read() != "\0".join(command):
                return False
        with open(target + ".d", encoding="utf-8") as file:
            rule = file.read()
        needed = shlex.split(rule.split(":", 1)[1].replace("\\\n", " "))
        return all(os.stat(path).st_mtime_ns < made for path in needed)
    except (OSError, IndexError, ValueError):
        return False


def _compile(compiler, flags, source, target):
    """Compiles one file if need be. Returns what to tell, or None."""
    command = [*compiler, *flags, "-c", source, "-o", target, "-MD", "-MF", target + ".d"]
    if _is_fresh(target, command):
        return None
    start = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if result.returncode:
        raise BuildError(f"{source} does not compile:\n{shlex.join(command)}\n{result.stderr[-8000:]}")
    with open(target + ".command", "w", encoding="utf-8") as file:
        file.write("\0".join(command))
    return f"{os.path.basename(source)}: {time.monotonic() - start:.1f} s{_warnings(result.stderr)}"


def _precompile(compiler, flags, folder, work):
    """Compiles the headers that most sources include: 17 s and half a gigabyte, which saves 4 s a source. Returns the flags
    that have them taken. Without them, as on a full disk, every source compiles all the same."""
    source = os.path.join(folder, PRECOMPILED)
    header = os.path.join(work, PRECOMPILED)
    if not os.path.exists(source):
        return []
    try:
        if not os.path.exists(header) or _read(header) != _read(source):
            shutil.copyfile(source, header)
        _compile([*compiler, "-x", "c++-header"], flags, header, header + ".gch")
    except (BuildError, OSError):
        return []
    return ["-include", header]


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _warnings(text):
    return "\n" + text.rstrip() if text.strip() else ""


def _check_headers(torch):
    header = os.path.join(torch.folder, "include/c10/cuda/CUDAStream.h")
    if not os.path.exists(header):
        raise BuildError(f"PyTorch {torch.version} in {torch.folder} comes without its headers: {header} is not there. Install "
                         "PyTorch's own wheel, pip install torch")


def _flags_of(source, torch, folder, includes, more):
    if source.endswith(".c"):
        return [*C_FLAGS, *more, f"-I{folder}", *(f"-I{path}" for path in includes)]
    return [*FLAGS, *more, f"-I{folder}", *(f"-isystem{path}" for path in [*torch.includes, *includes])]


SHIM = re.compile(r"^AOTI_TORCH_EXPORT AOTITorchError (aoti_torch_cuda_(\w+))\((.*)\);", re.M)


def _write_shims(torch, work):
    """Writes the functions that packages of AOTInductor call, each by way of the dispatcher (torch/inductor/shims.h), and
    returns the file. Their names and parameters are those of this PyTorch's header; without it there are none."""
    header = "torch/csrc/inductor/aoti_torch/generated/c_shim_cuda.h"
    path = os.path.join(work, "inductor_shims.cpp")
    lines, declared = [], []
    if os.path.exists(os.path.join(torch.folder, "include", header)):
        declared = SHIM.findall(_read(os.path.join(torch.folder, "include", header)).decode())
        lines = ['#include "inductor/shims.h"', f"#include <{header}>"]
    for function, name, parameters in declared:
        values = [parameter.split()[-1].lstrip("*") for parameter in parameters.split(",")]
        lines.append(f'AOTITorchError {function}({parameters})\n{{\n    return cupipe::shim("{name}", {", ".join(values)});\n}}')
    text = "\n".join(lines) + "\n"
    if not os.path.exists(path) or _read(path).decode() != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return path


def build(torch, folder, includes, output, work, jobs=1, compiler=None, more=(), tell=lambda line: None):
    """Compiles every source below `folder` for this PyTorch and links them.

    `includes` are the folders of the headers of cupipe; `work` keeps objects between calls; `more` are more flags. `tell` receives a line
    for each file that was compiled. The output is replaced as a whole, so that another process never sees a part of it.
    """
    compiler = compiler or find_compiler()
    _check_headers(torch)
    sources = list_sources(folder)
    if not sources:
        raise BuildError(f"there are no sources in {folder}")
    os.makedirs(work, exist_ok=True)
    targets = [os.path.join(work, os.path.relpath(source, folder).replace(os.sep, "-") + ".o") for source in sources]
    sources.append(_write_shims(torch, work))
    targets.append(sources[-1] + ".o")
    ready = _precompile(compiler, _flags_of(PRECOMPILED, torch, folder, includes, more), folder, work)
    with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        waiting = [pool.submit(_compile, _driver(compiler, source),
                               _flags_of(source, torch, folder, includes, more) + ([] if source.endswith(".c") else ready),
                               source, target) for source, target in zip(sources, targets)]
        try:
            for done in concurrent.futures.as_completed(waiting):
                line = done.result()
                if line:
                    tell(line)
        except BaseException:
            for each in waiting:
                each.cancel()
            raise
    _link(torch, compiler, targets, output)


def _driver(compiler, source):
    """The compiler for C is that for C++, told so."""
    return [*compiler, "-x", "c"] if source.endswith(".c") else compiler


def _run_link(command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    if result.returncode:
        raise BuildError(f"the shared object does not link:\n{shlex.join(command)}\n{result.stderr[-8000:]}")


def _link(torch, compiler, targets, output):
    part = f"{output}.{os.getpid()}"
    command = [*compiler, *LINK_FLAGS, *targets, "-o", part, f"-L{torch.library}", "-Wl,--allow-shlib-undefined",
               f"-Wl,-soname,{os.path.basename(output)}", *(f"-l{name}" for name in LIBRARIES)]
    os.makedirs(os.path.dirname(output) or ".", exist_ok=True)
    _run_link(command)
    # Some compilers link the C++ library statically. Two of them in a process crash, so that of torch has to do.
    if b"libstdc++.so.6" not in _read(part):
        _run_link([*command, "-nodefaultlibs", "-lm", "-lc", "-lgcc"])
    os.replace(part, output)
