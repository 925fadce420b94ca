# SPDX-License-Identifier: MIT
"""Builds recorders, with the C compiler and, for the runtime's, nvcc.

Recorders lie in a folder named after everything that goes into them, so that another version of the
kit or of the compiler has others. Those of the driver load the library under test by themselves; those
of the runtime and of CUDA's libraries are shared objects that the launcher loads behind it.
"""
import concurrent.futures
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

from . import suites
from .suites import CONFORMANCE, ROOT

C_FLAGS = ["-std=gnu11", "-O1", "-w", "-fno-strict-aliasing", "-D_GNU_SOURCE"]
LIBRARIES = ["-ldl", "-lpthread", "-lm"]
LAUNCHER = "tools/conformance/launcher.c"


class CannotBuild(Exception):
    """Why a recorder cannot be built here."""


def in_root(*paths):
    return [os.path.join(ROOT, path) for path in paths]


def include_options(folders):
    return [option for folder in in_root(*folders) for option in ("-I", folder)]


def c_compiler():
    """The compiler and the options that $CC names, or cc."""
    words = os.environ.get("CC", "cc").split()
    if not words or not shutil.which(words[0]):
        raise CannotBuild("no C compiler: install gcc or clang, or set CC")
    return words


def run(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode != 0:
        raise CannotBuild("%s failed:\n%s" % (" ".join(command[:1] + ["..."] + command[-1:]), result.stdout[-2000:]))


def run_all(commands, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(run, commands))


def fingerprint(words):
    """Of the words, of the compilers named among them, and of every carried source."""
    digest = hashlib.sha256("\0".join(words).encode())
    for folder in (CONFORMANCE, suites.LIBRARIES, "include", *suites.LIBRARY_HEADERS):
        for path in sorted(glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True)):
            if path.endswith((".c", ".h", ".cpp", ".hpp", ".cu", ".def")):
                with open(path, "rb") as file:
                    digest.update(file.read())
    with open(in_root(LAUNCHER)[0], "rb") as file:
        digest.update(file.read())
    return digest.hexdigest()[:16]


def has_header(compiler, header):
    source = "#include <%s>\n" % header
    return subprocess.run([*compiler, "-fsyntax-only", "-x", "c", "-"], input=source, text=True, capture_output=True,
                          check=False).returncode == 0


def build_c(suite, folder, jobs):
    """A recorder of C. Those for libraries are shared objects."""
    compiler = c_compiler()
    if suite.needs and not has_header(compiler, suite.needs):
        raise CannotBuild("the header %s is not installed" % suite.needs)
    is_shared = suite.kind == "libraries"
    headers = ["include", CONFORMANCE] + (suites.LIBRARY_HEADERS if is_shared else [])
    options = [*C_FLAGS, *suite.flags, *include_options(headers), *(["-fPIC"] if is_shared else [])]
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts = [(source, os.path.join(scratch, "%d.o" % i)) for i, source in enumerate(suite.source_files())]
        run_all([[*compiler, *options, "-c", source, "-o", output] for source, output in parts], jobs)
        objects = [output for _, output in parts]
        program = os.path.join(folder, "conformance_" + suite.name)
        if is_shared:
            link_shared(compiler, objects, program)
        else:
            run([*compiler, *objects, "-o", program, *LIBRARIES])
    return [program]


def link_shared(compiler, objects, program, libraries=()):
    """The recorder as PROGRAM.so, the launcher as PROGRAM, and what the launcher may need besides."""
    run([*compiler, "-shared", "-Wl,-z,lazy", *objects, *libraries, *LIBRARIES, "-o", program + ".so"])
    run([*c_compiler(), "-std=gnu11", "-O1", "-D_GNU_SOURCE", *in_root(LAUNCHER), "-o", program, "-ldl"])
    listed = subprocess.run(["readelf", "-rW", program + ".so"], capture_output=True, text=True, check=True).stdout
    taken = set(re.findall(r"_(?:GLOB_DAT|64|ABS64) +0+ +(cu\w+)", listed))
    registering = set(re.findall(r" (__cuda(?:Un)?[Rr]egister\w+|__cudaInitModule)\b", listed))
    build_functions(program + ".stubs", taken, "_exit(127);")
    build_functions(program + ".registration", registering, "return 0;")


def build_functions(program, names, body):
    """A shared object with functions of these names."""
    with open(program + ".c", "w") as file:
        file.write("#include <unistd.h>\n" + "".join("long %s(void) { %s }\n" % (name, body) for name in sorted(names)))
    run([*c_compiler(), "-w", "-shared", "-fPIC", program + ".c", "-o", program + ".so"])


def find_nvcc():
    """The path of nvcc, or None."""
    return shutil.which(os.environ.get("NVCC") or "nvcc") or (
        None if os.environ.get("NVCC") else shutil.which("/usr/local/cuda/bin/nvcc"))


def runtime_parts(nvcc, build):
    """(source, object, command) for every part of the runtime's recorders, and the command that links device code."""
    here = in_root(CONFORMANCE + "/runtime")[0]
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    include = next((d for d in (os.path.join(toolkit, "include"), "/usr/local/cuda/include")
                    if os.path.exists(os.path.join(d, "cuda_runtime_api.h"))), None)
    if not include:
        raise CannotBuild("no cuda_runtime_api.h beside %s" % nvcc)
    cuda = [nvcc, "-std=c++17", "-O1", "-Xcompiler", "-fPIC"]
    plain = ["-gencode", "arch=compute_75,code=compute_75"]
    linked = ["-rdc=true", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
    host = ["g++", "-std=gnu++17", "-O1", "-fPIC", "-fno-strict-aliasing", "-Wno-deprecated-declarations", "-I" + include]
    special = {"kernels.cu": cuda + plain + ["--extended-lambda"],
               "kernels_clusters.cu": cuda + ["-gencode", "arch=compute_90,code=compute_90"],
               "kernels_per_thread.cu": cuda + plain + ["--default-stream", "per-thread"],
               "linked_program.cu": cuda + linked, "linked_part.cu": cuda + linked}
    parts = [(name, name[:-3] + ".o", command) for name, command in special.items()]
    parts += [(os.path.basename(p), os.path.basename(p)[:-4] + ".o", host)
              for p in sorted(glob.glob(os.path.join(here, "*.cpp")))]
    parts.append(("answers_zero_arguments.cpp", "answers_zero_arguments_per_thread.o",
                  host + ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]))
    parts += [("../" + name, name[:-2] + ".o", ["gcc", "-std=gnu11", "-O1", "-fPIC"])
              for name in ("harness.c", "pattern.c", "tables.c")]
    return [(os.path.join(here, s), os.path.join(build, o), c) for s, o, c in parts], cuda + linked, toolkit


def build_runtime(folder, jobs):
    """The two recorders of the runtime: one of whole programs, one of separately compiled device code."""
    nvcc = find_nvcc()
    if not nvcc:
        raise CannotBuild("no nvcc: the runtime's recorder has kernels")
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        parts, link_device, toolkit = runtime_parts(nvcc, scratch)
        run_all([[*command, "-c", source, "-o", output] for source, output, command in parts], jobs)
        of = lambda name: os.path.join(scratch, name)
        run([*link_device, "-dlink", of("linked_program.o"), of("linked_part.o"), "-lcudadevrt", "-o", of("linked.o")])
        shared = [of(name) for name in ("harness.o", "pattern.o", "tables.o", "runtime.o")]
        whole = [o for _, o, _ in parts if os.path.basename(o).startswith(("answers_", "kernels"))]
        device_runtime = [p for d in ("lib64", "lib", "targets/*/lib")
                          for p in glob.glob(os.path.join(toolkit, d, "libcudadevrt.a"))][:1]
        programs = [os.path.join(folder, "conformance_runtime"), os.path.join(folder, "conformance_runtime_linked")]
        link_shared(["g++"], shared + whole, programs[0])
        link_shared(["g++"], shared + [of(n) for n in ("linked_program.o", "linked_part.o", "linked.o")], programs[1],
                    device_runtime)
    return programs


def build(suite, cache, jobs):
    """The recorders of a suite, built unless they are there. Raises CannotBuild."""
    compiler = find_nvcc() or "" if suite.kind == "runtime" else " ".join(c_compiler())
    names = ["conformance_" + suite.name] + (["conformance_runtime_linked"] if suite.kind == "runtime" else [])
    folder = os.path.join(cache, "%s-%s" % (suite.name, fingerprint([suite.name, compiler, *suite.flags])))
    programs = [os.path.join(folder, name) for name in names]
    if not all(map(os.path.exists, programs)):
        os.makedirs(cache, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            (build_runtime(scratch, jobs) if suite.kind == "runtime" else build_c(suite, scratch, jobs))
            os.makedirs(folder, exist_ok=True)
            for name in os.listdir(scratch):  # whoever comes second brings the same
                os.replace(os.path.join(scratch, name), os.path.join(folder, name))
    return programs
