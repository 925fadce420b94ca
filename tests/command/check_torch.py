#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How PyTorch finds cupipe, with a package that has no more of PyTorch than what this takes: libraries with an rpath to
NVIDIA's wheels, a version, entry points, and calls that wait for the first use of cuda.

usage: check_torch.py BUILD SOURCE CC
"""
import shutil
import subprocess
import sys

from command import BUILD, CLEAN, FOLDER, check, compile_c, finish, run, write

TORCH = '''
import ctypes, os
from importlib.metadata import entry_points
from torch import cuda, version
__version__ = version.__version__
libraries = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", "libtorch_cuda.so"))
if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD", "1") == "1":
    for entry in entry_points(group="torch.backends"):
        entry.load()()
'''
TORCH_CUDA = '''
calls = []
def _lazy_call(call):
    calls.append(call)
def init():
    for call in calls:
        call()
def is_initialized():
    return False
'''
# What the runtime answers that the libraries have taken: NVIDIA's of this test always 77.
USE = "import torch; print('runtime', torch.libraries.probe(), flush=True); torch.cuda.init(); print('used')"
INSTALL = '''#include <stdio.h>
#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) const char *cupipe_torch_install(void)
{
    puts("installed");
    fflush(stdout);
    return %s;
}
'''
PACKAGES = FOLDER / "packages"
PREFIX = FOLDER / "prefix"
CACHE = FOLDER / "cache"
OBJECTS = PREFIX / "lib" / "cupipe" / "torch"
PYTHON = {"PYTHONPATH": str(PACKAGES), "CUPIPE_CACHE": str(CACHE), "PYTHONDONTWRITEBYTECODE": "1"}


def set_version(version, cuda="13.2"):
    write("packages/torch/version.py", f"__version__ = '{version}'\ncuda: str = {cuda!r}\ngit_version = 'abc'\n")


def make_torch():
    """The package, with libraries that need libcudart.so.13 and would find NVIDIA's first."""
    (PACKAGES / "nvidia/cu13/lib").mkdir(parents=True)
    (PACKAGES / "torch/lib").mkdir(parents=True)
    compile_c("packages/nvidia/cu13/lib/libcudart.so.13", "int cudaGetDeviceCount(int *n);\n"
              "int cudaGetDeviceCount(int *n) { *n = 77; return 0; }\n", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.13")
    for name in ("torch_cpu", "c10_cuda", "c10"):
        compile_c(f"packages/torch/lib/lib{name}.so", "", "-shared", "-fPIC")
    compile_c("packages/torch/lib/libtorch_cuda.so", "int cudaGetDeviceCount(int *n);\nint probe(void);\n"
              "int probe(void) { int n = -1; cudaGetDeviceCount(&n); return n; }\n", "-shared", "-fPIC",
              PACKAGES / "nvidia/cu13/lib/libcudart.so.13", f"-Wl,-rpath,{PACKAGES}/nvidia/cu13/lib", "-Wl,--disable-new-dtags")
    write("packages/torch/__init__.py", TORCH)
    write("packages/torch/cuda.py", TORCH_CUDA)
    write("packages/torch/include/c10/cuda/CUDAStream.h", "")


def make_cupipe():
    """An installation with one source, which any compiler compiles, and a ready object for version 9.9."""
    code, _, err = run("cmake", "--install", BUILD, "--prefix", PREFIX)
    if code != 0 and "cannot find" in err:
        print("skipped: this build is not complete:", err)
        raise SystemExit(77)
    check(code == 0, f"install: {err}")
    for path in OBJECTS.glob("*.so"):
        path.unlink()
    shutil.rmtree(OBJECTS / "source", ignore_errors=True)
    write("prefix/lib/cupipe/torch/source/part.cpp", INSTALL % "nullptr")
    compile_c("ready", INSTALL % "0", "-shared", "-fPIC")
    shutil.copy(FOLDER / "ready", OBJECTS / "libcupipe-torch-9.9.so")


def use(env=None, command=("run", sys.executable, "-c", USE), prefix=PREFIX):
    return run(prefix / "bin" / "cupipe", *command, env={**PYTHON, **(env or {})})


def check_ready():
    """The object of the minor version is loaded as torch is imported, in processes of cupipe alone."""
    for version in ("9.9.0", "9.9.3+cu132"):
        set_version(version)
        result = use()
        check(result == (0, "installed\nruntime 1\nused\n", ""), f"{version}: {result}")
    inside = {"PYTHONPATH": f"{PACKAGES}:{PREFIX}/lib/cupipe/python"}
    result = run(sys.executable, "-c", USE, env=inside)
    check(result == (0, "runtime 77\nused\n", ""), f"without cupipe nothing happens: {result}")
    # A driver of others is neither asked nor initialised.
    compile_c("driver/libcuda.so.1", "int cuInit(unsigned f);\nvoid abort(void);\nint cuInit(unsigned f) { abort(); return (int)f; }\n"
              "int cuGetExportTable(void);\nint cuGetExportTable(void) { abort(); return 0; }\n", "-shared", "-fPIC")
    for code in (USE, f"import ctypes; ctypes.CDLL('{FOLDER}/driver/libcuda.so.1'); " + USE):
        result = run(sys.executable, "-c", code, env={**inside, "LD_LIBRARY_PATH": str(FOLDER / "driver")})
        check(result == (0, "runtime 77\nused\n", ""), f"another driver: {result}")
    result = run(sys.executable, "-c", USE, env={**inside, "LD_LIBRARY_PATH": str(PREFIX / "lib" / "cupipe")})
    check(result[:2] == (0, "runtime 77\nused\n") and "RuntimeWarning" in result[2] and "cupipe run" in result[2],
          f"NVIDIA's runtime on cupipe's driver is said: {result}")
    enable = f"import sys; sys.path.insert(0, '{PREFIX}/lib/cupipe/python'); import cupipe; cupipe.enable(devices=2); "
    result = run(sys.executable, "-c", enable + USE, env=PYTHON)
    check(result == (0, "installed\nruntime 2\nused\n", ""), f"enable(): {result}")
    result = use({"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    check(result == (0, "runtime 1\nused\n", ""), f"autoload is off: {result}")


def check_starters():
    """Scripts that installers write, and programs that start Python."""
    code = f"\nimport sys\nexec({USE!r})\n"
    shutil.copytree(PACKAGES.parent / "packages", FOLDER / "a folder" / "packages")
    (FOLDER / "a folder" / "python").symlink_to(sys.executable)
    direct = write("direct", f"#!{sys.executable}{code}", 0o755)
    blank = write("blank", f"#!/bin/sh\n'''exec' \"{FOLDER}/a folder/python\" \"$0\" \"$@\"\n' '''{code}", 0o755)
    plain = write("plain", f"#!/bin/sh\n'''exec' {sys.executable} \"$0\" \"$@\"\n' '''{code}", 0o755)
    beside = write("a folder/beside", "#!/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/'python' \"$0\" \"$@\"\n"
                   f"' '''{code}", 0o755)
    for script in (direct, blank, plain, beside):
        result = use(command=["run", script])
        check(result == (0, "installed\nruntime 1\nused\n", ""), f"{script.name}: {result}")
    starts = write("starts", f"#!/bin/sh\n{sys.executable} -c \"$CODE\"\n", 0o755)
    for option in ("--python", f"--python={sys.executable}"):
        result = use({"CODE": USE}, ["run", option, starts])
        check(result == (0, "installed\nruntime 1\nused\n", ""), f"{option}: {result}")


def check_compiled():
    """For another version the object is compiled at the first use, once, and kept."""
    set_version("9.8.1")
    result = use()
    check(result[:2] == (0, "runtime 1\ninstalled\nused\n"), f"compiled at first use: {result}")
    check("compiling the operators for PyTorch 9.8.1" in result[2] and "compiled in" in result[2], f"said so: {result[2]}")
    kept = list((CACHE / "torch").glob("libcupipe-torch-9.8.1-*.so"))
    check(len(kept) == 1, f"kept: {kept}")
    result = use()
    check(result == (0, "installed\nruntime 1\nused\n", ""), f"taken from the cache: {result}")
    result = use({"PATH": "/nowhere"})
    check(result == (0, "installed\nruntime 1\nused\n", ""), f"without a compiler, too: {result}")
    set_version("9.9.0a0+git1234")
    check("compiling" in use()[2], "a version that is no release gets an object of its own")
    write("prefix/lib/cupipe/torch/source/part.cpp", INSTALL % "nullptr" + "\n")
    set_version("9.8.1")
    check("compiling" in use()[2], "changed sources are compiled again")
    set_version("9.7.0")
    both = [subprocess.Popen([PREFIX / "bin" / "cupipe", "run", sys.executable, "-c", USE], env={**CLEAN, **PYTHON},
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    texts = [each.communicate(timeout=120) for each in both]
    check(all(out.endswith("used\n") for out, _ in texts), f"two at once: {texts}")
    check(sum("compiled in" in err for _, err in texts) == 1, f"one of them compiles: {texts}")
    (FOLDER / "tmp").mkdir()
    for cache in ("off", "/proc/nowhere"):
        set_version("9.6.0")
        result = use({"CUPIPE_CACHE": cache, "TMPDIR": str(FOLDER / "tmp")})
        check(result[0] == 0 and ("compiling" in result[2]) == (cache == "off"), f"CUPIPE_CACHE={cache}: {result}")


def check_wrong():
    """What is wrong is an error at the first use, never at import, and says what to do."""
    set_version("9.5.0")
    result = use({"PATH": "/nowhere"})
    check(result[:2] == (1, "runtime 1\n") and "no C++ compiler" in result[2] and "apt install g++" in result[2]
          and "9.9" in result[2], f"no compiler: {result}")
    result = use({"CXX": "no-such-compiler"})
    check("CXX names no-such-compiler" in result[2], f"a compiler that is not there: {result}")
    shutil.move(PACKAGES / "torch/include", PACKAGES / "torch/without")
    result = use()
    check(result[:2] == (1, "runtime 1\n") and "comes without its headers" in result[2], f"no headers: {result}")
    shutil.move(PACKAGES / "torch/without", PACKAGES / "torch/include")
    write("prefix/lib/cupipe/torch/source/broken.cpp", "no C++\n")
    result = use()
    check(result[:2] == (1, "runtime 1\n") and "broken.cpp does not compile" in result[2], f"does not compile: {result}")
    (OBJECTS / "source/broken.cpp").unlink()
    set_version("9.4.0")
    ready = write("prefix/lib/cupipe/torch/libcupipe-torch-9.4.so", "no library")
    code, out, err = use({"PATH": "/nowhere"})
    check((code, out) == (1, "runtime 1\n") and "does not fit" in err and "no C++ compiler" in err, f"does not fit: {code} {out} {err}")
    code, out, err = use()
    check((code, out) == (0, "runtime 1\ninstalled\nused\n") and "compiled in" in err, f"one that fits is made: {code} {out} {err}")
    check(use() == (0, "installed\nruntime 1\nused\n", ""), "and taken from then on")
    set_version("9.3.9")
    compile_c("refuses", INSTALL % '"the driver is too old"', "-shared", "-fPIC")
    shutil.move(ready, OBJECTS / "libcupipe-torch-9.3.so")
    shutil.copy(FOLDER / "refuses", OBJECTS / "libcupipe-torch-9.3.so")
    code, out, err = use()
    check((code, out) == (1, "installed\nruntime 1\n") and "libcupipe-torch-9.3.so: the driver is too old" in err,
          f"refuses: {code} {out} {err}")
    (OBJECTS / "libcupipe-torch-9.3.so").unlink()
    set_version("9.9.0", None)
    result = use()
    check(result == (0, "runtime 1\nused\n", ""), f"a PyTorch without CUDA is left alone: {result}")


def check_doctor():
    def doctor(status, *parts, env=None, prefix=PREFIX):
        code, out, err = use(env, ["doctor", sys.executable], prefix)
        check(code == status and err == "", f"doctor ends with {status}: {code} {out} {err}")
        check(("nothing stands in its way" in out) == (status == 0), f"doctor: {out}")
        for part in parts:
            check(part in out, f"doctor says {part}: {out}")

    set_version("9.9.1")
    doctor(0, f"PyTorch 9.9.1 in {PACKAGES}/torch:", "ok: libcudart.so.13 is cupipe's",
           f"ok: its operators are in {OBJECTS}/libcupipe-torch-9.9.so")
    doctor(126, "problem: TORCH_DEVICE_BACKEND_AUTOLOAD=0", "Unset it", env={"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})
    set_version("9.3.0")
    doctor(0, "note: its operators are compiled with", "ready for PyTorch 9.9")
    doctor(126, "problem: for PyTorch 9.3.0 the operators have to be compiled", "no C++ compiler", "9.9", env={"PATH": "/nowhere"})
    set_version("9.9.0+cpu", None)
    doctor(126, "problem: PyTorch 9.9.0+cpu is built without CUDA")
    set_version("9.9.0", "11.8")
    doctor(126, "built with CUDA 11.8", "CUDA 12 and 13")
    set_version("9.9.0")
    shutil.copytree(PREFIX, FOLDER / "a prefix", symlinks=True)
    doctor(126, "is not preloaded", "its path has a blank", prefix=FOLDER / "a prefix")
    (PACKAGES / "torch/version.py").unlink()
    doctor(126, "is not a folder of PyTorch")


if sys.version_info < (3, 10) or not shutil.which("c++"):
    print("skipped: this needs Python 3.10 and a C++ compiler")
    raise SystemExit(77)
make_torch()
make_cupipe()
check_ready()
check_starters()
check_compiled()
check_wrong()
check_doctor()
finish()
