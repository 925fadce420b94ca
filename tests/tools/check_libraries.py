#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which libraries of NVIDIA's libnvrtc and libnvJitLink take: the caller's own first, the next newer one where an input or
an option is newer. The libraries are made here (fake_nvrtc.c, fake_nvjitlink.c); their versions are above those of any
that the machine may have. Each question is asked in a process of its own, since the search is made once.

usage: check_libraries.py LIBRARY_FOLDER [ask QUESTION VALUE]
"""
import ctypes
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from tools import FOLDER, LIBRARY, Driver, check, finish, run, write

HERE = Path(__file__).resolve().parent
NEWER = 5  # NVRTC_ERROR_INVALID_OPTION
PACKAGES = f"lib/python{sysconfig.get_python_version()}/site-packages"


class Nvrtc:
    def __init__(self):
        self.library = ctypes.CDLL(str(LIBRARY / "cubin" / "libnvrtc.so.13"))

    def version(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        result = self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return "none" if result else str(minor.value)

    def fetch(self, program, what):
        size = ctypes.c_size_t()
        check(getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) == 0, f"the size of {what}")
        room = ctypes.create_string_buffer(size.value)
        check(getattr(self.library, f"nvrtcGet{what}")(program, room) == 0, what)
        return room.raw

    def compile(self, option):
        """What a kernel that was compiled with that option stores, and what the program was made of."""
        program, one = ctypes.c_void_p(), ctypes.c_char_p * 1
        self.library.nvrtcCreateProgram(ctypes.byref(program), b"source", b"name", 1, one(b"header"), one(b"h.h"))
        self.library.nvrtcAddNameExpression(program, b"expression")
        result = self.library.nvrtcCompileProgram(program, 2, (ctypes.c_char_p * 2)(b"-arch=sm_90", option.encode()))
        log = self.fetch(program, "ProgramLog").rstrip(b"\0").decode()
        answer = Driver().ask(self.fetch(program, "CUBIN")) if result == 0 else f"error {result}"
        handle = ctypes.c_void_p(program.value)
        check(self.library.nvrtcDestroyProgram(ctypes.byref(program)) == 0 and not program, "destroy")
        check(self.library.nvrtcGetPTXSize(handle, ctypes.byref(ctypes.c_size_t())) == 4, "a program that has ended")
        return f"{answer}: {log}"


class NvJitLink:
    def __init__(self):
        self.library = ctypes.CDLL(str(LIBRARY / "cubin" / "libnvJitLink.so.13"))

    def version(self):
        major, minor = ctypes.c_uint(), ctypes.c_uint()
        check(self.library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor)) == 0, "version")
        return str(minor.value)

    def link(self, data, *options):
        words = (ctypes.c_char_p * (len(options) + 2))(b"-arch=sm_90", b"-lto", *[option.encode() for option in options])
        handle, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.library.nvJitLinkCreate(ctypes.byref(handle), len(words), words)
        data = b"\xedCN\x7f" + data.encode()
        self.library.nvJitLinkAddData(handle, 3, data, ctypes.c_size_t(len(data)), b"input")
        result = self.library.nvJitLinkComplete(handle)
        self.library.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value + 1)
        self.library.nvJitLinkGetErrorLog(handle, log)
        answer = f"error {result}"
        if result == 0:
            self.library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size))
            image = ctypes.create_string_buffer(size.value)
            self.library.nvJitLinkGetLinkedCubin(handle, image)
            answer = Driver().ask(image.raw)
        self.library.nvJitLinkDestroy(ctypes.byref(handle))
        return f"{answer}: {log.value.decode()}"


def answer_question(question, value):
    answers = {"versions": lambda: f"{Nvrtc().version()} {NvJitLink().version()}",
               "compile": lambda: Nvrtc().compile(value),
               "link": lambda: NvJitLink().link(value),
               "option": lambda: NvJitLink().link("", value)}
    print(answers[question]())
    finish()


CLEAN = {name: value for name, value in os.environ.items()
         if not name.startswith(("CUPIPE_", "CUDA_", "LD_", "PYTHON", "VIRTUAL_ENV", "CONDA"))}
CLEAN["PYTHONNOUSERSITE"] = "1"


def make(folder, minor, names=("nvrtc", "nvJitLink")):
    """Puts libraries of that version into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        code, _, err = run("cc", "-shared", "-fPIC", "-D_GNU_SOURCE", f"-DMINOR={minor}", HERE / f"fake_{name.lower()}.c", "-o",
                           folder / f"lib{name}.so.13", f"-Wl,-soname,lib{name}.so.13")
        check(code == 0, f"the library compiles: {err}")
    return folder


def ask(python, question, value="-", **variables):
    code, out, err = run(python, Path(__file__).resolve(), LIBRARY, "ask", question, value, env={**CLEAN, **variables})
    lines = out.splitlines()
    check(code == 0 and lines, f"{question} {value} {variables}: {code} {out} {err}")
    return "\n".join(lines[:-1])


def expect(python, versions, **variables):
    answer = ask(python, "versions", **variables)
    check(answer == versions, f"{versions}, not {answer}: {variables}")


def venv(name, *options):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", *options, FOLDER / name], check=True)
    return FOLDER / name / "bin" / "python"


def check_order():
    """Each rule comes before those after it; all libraries that are made stay."""
    python = venv("env")
    home, path, listed = make(FOLDER / "home/lib64", 61), make(FOLDER / "path/lib", 62), make(FOLDER / "listed", 63)
    variables = {"CUDA_PATH": str(path.parent)}
    expect(python, "62 62", **variables)
    variables["CUDA_HOME"] = str(home.parent)
    expect(python, "61 61", **variables)
    variables["LD_LIBRARY_PATH"] = f"{LIBRARY}/cubin:{listed}"
    expect(python, "63 63", **variables)
    make(FOLDER / "other" / PACKAGES / "nvidia/cu13/lib", 64)
    variables["VIRTUAL_ENV"] = str(FOLDER / "other")
    expect(python, "64 64", **variables)
    make(FOLDER / "env" / PACKAGES / "nvidia/cuda_nvrtc/lib", 65, ["nvrtc"])
    make(FOLDER / "env" / PACKAGES / "nvidia/nvjitlink/lib", 65, ["nvJitLink"])
    expect(python, "65 65", **variables)
    make(FOLDER / "env" / PACKAGES / "nvidia/cu13/lib", 51)
    expect(python, "51 51", **variables)
    make(FOLDER / "first/nvidia/cu13/lib", 66)
    variables["PYTHONPATH"] = str(FOLDER / "first")
    expect(python, "66 66", **variables)
    variables["CUPIPE_NVRTC"] = str(home / "libnvrtc.so.13")
    expect(python, "61 66", **variables)
    check(ask(python, "compile", "needs13.66", **variables).startswith(f"error {NEWER}"), "no other than the named one")
    variables["CUPIPE_NVRTC"] = str(FOLDER / "none")
    check(ask(python, "versions", **variables).startswith("none "), "one that is not there")
    # What is there but does not load is passed over.
    (FOLDER / "first/nvidia/cu13/lib/libnvrtc.so.13").write_text("no library")
    variables.pop("CUPIPE_NVRTC")
    expect(python, "51 66", **variables)


def check_environments():
    """Other kinds of environment: started through PATH, with the packages of the user, and conda's."""
    expect("python", "51 51", PATH=f"{FOLDER}/env/bin:{CLEAN['PATH']}")
    sees = venv("sees", "--system-site-packages")
    make(FOLDER / "user" / PACKAGES / "nvidia/cu13/lib", 67)
    user = {"PYTHONUSERBASE": str(FOLDER / "user"), "PYTHONNOUSERSITE": ""}
    expect(sees, "67 67", **user)
    expect(FOLDER / "env/bin/python", "51 51", **user)
    make(FOLDER / "sees" / PACKAGES / "nvidia/cu13/lib", 52)
    expect(sees, "52 52", **user)
    make(FOLDER / "conda/lib", 68)
    (FOLDER / "conda/conda-meta").mkdir()
    expect(venv("bare"), "68 68", CONDA_PREFIX=str(FOLDER / "conda"), CUDA_HOME=str(FOLDER / "home"))


def check_loaded():
    """A program that is not Python: the packages that it has loaded libraries from, or itself lies in."""
    packages = FOLDER / "loaded" / PACKAGES
    make(packages / "nvidia/cu13/lib", 69)
    source = write("ask.c", "#include <dlfcn.h>\n#include <stdio.h>\nint main(int n, char **words) { int a, b = 0;\n"
                   "int (*f)(int *, int *) = (int (*)(int *, int *))dlsym(dlopen(words[1], RTLD_NOW), \"nvrtcVersion\");\n"
                   "(void)n; f(&a, &b); printf(\"%d\\n\", b); return 0; }\n")
    (packages / "program").mkdir()
    for folder, minor in ((packages / "program", "69"), (FOLDER, "61")):
        code, _, err = run("cc", source, "-o", folder / "ask", "-ldl")
        check(code == 0, f"the program compiles: {err}")
        code, out, _ = run(folder / "ask", LIBRARY / "cubin/libnvrtc.so.13", env={**CLEAN, "CUDA_HOME": str(FOLDER / "home")})
        check(code == 0 and out.strip() == minor, f"{folder}: {minor}, not {out}")


def check_newer():
    python = FOLDER / "env/bin/python"
    variables = {"CUDA_HOME": str(FOLDER / "home"), "CUDA_PATH": str(FOLDER / "path")}
    (FOLDER / "env" / PACKAGES / "nvidia/cuda_nvrtc/lib/libnvrtc.so.13").unlink()
    (FOLDER / "env" / PACKAGES / "nvidia/nvjitlink/lib/libnvJitLink.so.13").unlink()
    made_of = "source name header h.h expression"
    for needed, minor in (("needs13.51", 51), ("needs13.60", 61), ("needs13.62", 62)):
        answer = ask(python, "compile", needed, **variables)
        check(answer == f"{minor}: {made_of}", f"NVRTC, {needed}: {answer}")
        for question in ("link", "option"):
            value = f"-Xptxas={needed}" if question == "option" else needed
            answer = ask(python, question, value, **variables)
            check(answer == f"{minor}: ", f"nvJitLink, {question} {needed}: {answer}")
    check(ask(python, "compile", "needs13.999", **variables) == f"error {NEWER}: {made_of}", "an option that none knows")
    answer = ask(python, "link", "needs13.999", **variables)
    check(answer.startswith("error 14: may need newer version than 13.62") and "no newer library was found" in answer and
          "path/lib/libnvJitLink.so.13 (CUDA 13.62)" in answer and "13.61" not in answer, f"LTO-IR that none reads: {answer}")


def check_toolkit():
    """Of wheels cupipe-toolkit makes a folder with the names that a toolkit has."""
    wheels, folder = FOLDER / "env" / PACKAGES / "nvidia/cu13", FOLDER / "made"
    code, _, err = run(LIBRARY / "bin/cupipe-toolkit", folder, wheels)
    check(code == 1 and "so it is no toolkit" in err, f"no toolkit: {code} {err}")
    (wheels / "include").mkdir()
    for _ in range(2):  # the second time the folder is there
        code, out, err = run(LIBRARY / "bin/cupipe-toolkit", folder, wheels)
        check(code == 0, f"a toolkit of wheels: {code} {out} {err}")
    for name in ("libnvrtc.so", "libnvrtc.so.13", "libnvJitLink.so"):
        check((folder / "lib64" / name).is_file(), f"the toolkit has {name}")
        check(len(list(folder.glob(f"targets/*-linux/lib/{name}"))) == 1, f"a platform of the toolkit has {name}")
    check(len(list(folder.glob("targets/*-linux/include"))) == 1, "a platform has headers")
    check((folder / "include").is_dir() and (folder / "bin/ptxas").resolve() == (LIBRARY / "bin/ptxas").resolve(), "the rest")
    expect(venv("made_with"), "51 51", CUDA_PATH=str(folder))


if len(sys.argv) > 2:
    answer_question(*sys.argv[3:5])
check_order()
check_environments()
check_loaded()
check_newer()
check_toolkit()
finish()
