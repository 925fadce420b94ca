#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles programs as their users do, with the compilers that are installed, and runs them on this build.

usage: check_programs.py CASE LIBRARY_FOLDER SOURCE_ROOT
tests/compilers.py says which variables name other compilers; a case for clang tries every one that is installed.
Exit status: 0 right, 1 wrong, 77 the compiler that the case needs is not installed.
"""
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from compilers import clang_version, clangs, nvcc as find_nvcc, toolkit_of  # noqa: E402

SKIP = 77
PTX = ["-gencode", "arch=compute_90,code=compute_90"]
CASE, LIBRARY, ROOT = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
SOURCES = ROOT / "tests" / "runtime" / "programs"
NVCC = find_nvcc()
WORK = Path(tempfile.mkdtemp(prefix="runtime-programs-"))


class Wrong(Exception):
    pass


class Missing(Exception):
    pass


def run(command, succeed=True, **environment):
    """Returns what the command wrote to stdout and stderr."""
    command = [str(c) for c in command]
    result = subprocess.run(command, env=dict(os.environ, **environment), cwd=WORK, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, timeout=240)
    if succeed and result.returncode:
        raise Wrong(f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}")
    if not succeed and not result.returncode:
        raise Wrong(f"{' '.join(command)} succeeds\n{result.stdout}")
    return result.stdout


def nvcc(*arguments, **environment):
    if not NVCC:
        raise Missing("nvcc is not installed")
    return run([NVCC, "-Wno-deprecated-gpu-targets", *arguments], **environment)


def start(program, *arguments, **environment):
    """Runs a program with this build's driver, and its runtime where that is shared."""
    return run([WORK / program, *arguments], LD_LIBRARY_PATH=str(LIBRARY), **environment)


def must(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text):
            raise Wrong(f"'{pattern}' is not in:\n{text}")


def links(program, library):
    return library in run(["ldd", WORK / program])


def plain(*sources, flags=()):
    """A program with the static runtime, as `nvcc a.cu` links it."""
    nvcc(*PTX, "-o", "program", *[SOURCES / s for s in sources], *flags, "-L", LIBRARY)
    return start("program")


def case_hello_static():
    must(plain("hello.cu"), "hello 189")
    if links("program", "libcudart"):
        raise Wrong("the runtime is not inside")


def case_hello_append_flags():
    """nvcc alone, with nothing but its environment changed: the architecture is its default."""
    nvcc("-o", "program", SOURCES / "hello.cu", NVCC_APPEND_FLAGS=f"-L{LIBRARY}")
    must(start("program"), "hello 189")


def toolkit_link():
    """Options with which nvcc links the toolkit's libcudart.so.13: toolkits of PyPI have no file with the linker's name."""
    if not NVCC:
        return []
    folder = toolkit_of(NVCC) / "lib"
    library = next(folder.glob("libcudart.so.*"), None)
    if not library or (folder / "libcudart.so").exists():
        return []
    (WORK / "link").mkdir(exist_ok=True)
    if not (WORK / "link" / "libcudart.so").exists():
        (WORK / "link" / "libcudart.so").symlink_to(library)
    return ["-L", WORK / "link"]


def case_hello_shared():
    """Linked with the toolkit's library, run with ours."""
    nvcc(*PTX, "-cudart", "shared", *toolkit_link(), "-o", "program", SOURCES / "hello.cu")
    if not links("program", "libcudart.so.13"):
        raise Wrong("the runtime is inside")
    must(start("program"), "hello 189")


def case_templates():
    plain("templates.cu", flags=["--extended-lambda"])


def case_variables():
    plain("variables.cu")


def case_managed():
    plain("managed.cu")


def case_texture():
    plain("texture.cu")


def case_grid_sync():
    plain("grid_sync.cu")


def case_cccl():
    """Thrust, CUB and libcu++, which PyPI has as a package of its own."""
    if NVCC and not list(toolkit_of(NVCC).glob("include/cccl/thrust")):
        raise Missing("the toolkit has no CCCL")
    plain("cccl.cu", flags=["-std=c++17"])


def case_graph_kernels():
    plain("graph_kernels.cu")


def case_separate():
    plain("linked_main.cu", "linked_other.cu", flags=["-rdc=true"])


def case_separate_eager():
    plain("linked_first.cu", "linked_other.cu", flags=["-rdc=true"])
    start("program", CUDA_MODULE_LOADING="EAGER")


def case_registration():
    run(["c++", "-I", ROOT / "runtime" / "include", "-I", ROOT / "include", "-o", WORK / "program", SOURCES / "registration.cpp",
         "-L", LIBRARY, "-lcudart"])
    start("program")


def case_older_descriptors():
    """libcudart.so.12 reads and writes the shorter structures of CUDA 12."""
    run(["c++", "-I", ROOT / "runtime" / "include", "-I", ROOT / "include", "-o", WORK / "program",
         SOURCES / "older_descriptors.cpp", "-L", LIBRARY, "-l:libcudart.so.12"])
    start("program")


def dynamic(*flags):
    """Kernels that launch kernels."""
    nvcc(*PTX, "-rdc=true", "-o", "program", SOURCES / "dynamic.cu", *flags)
    start("program")


def case_dynamic():
    dynamic("-L", LIBRARY)


def case_dynamic_toolkit():
    """The same, linked with the toolkit's libcudadevrt.a."""
    dynamic("-cudart", "shared", *toolkit_link())


def case_device_runtime():
    """What kernels call of the runtime other than launches works with either libcudadevrt.a."""
    for flags in (["-L", LIBRARY], ["-cudart", "shared", *toolkit_link()]):
        nvcc(*PTX, "-rdc=true", "-o", "program", SOURCES / "device_runtime.cu", *flags)
        must(start("program"), "device 0, no error")


def build_objects(runtime):
    for number in (1, 2):
        nvcc(*PTX, "-cudart", runtime, "-shared", "-Xcompiler", "-fPIC", f"-DNUMBER={number}", "-o", f"object_{number}.so",
             SOURCES / "object.cu", "-L", LIBRARY)
    run(["c++", "-o", WORK / "program", SOURCES / "objects.cpp", "-ldl"])
    start("program", WORK / "object_1.so", WORK / "object_2.so")


# What each case of leaks.cu leaves behind, as CUPIPE_CHECK=leaks says it.
LEFT = {"memory": "1000 bytes of device memory", "stream": "stream 0x", "retained": "context 0x",
        "retained_first": "context 0x", "library": "library 0x", "kernels": "1 pieces, 64 bytes, were allocated by kernels"}
CLEAN = ("clean", "threads", "exits", "devices", "reset", "released")


def check_leaks(program, *cases):
    for case in cases:
        result = subprocess.run([WORK / program, case], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY), CUPIPE_CHECK="leaks",
                                         CUPIPE_CHECK_EXIT="99", CUPIPE_DEVICES="2"), timeout=240)
        if result.returncode != (99 if case in LEFT else 0) or result.stdout.count("CUPIPE_CHECK: ") != 1 + (case in LEFT):
            raise Wrong(f"{case}: exit status {result.returncode}\n{result.stdout}")
        must(result.stdout, f"{1 if case in LEFT else 0} left behind", LEFT.get(case, ""))


def build_leaks(*flags):
    nvcc(*PTX, "-std=c++17", "-o", "program", SOURCES / "leaks.cu", *flags, "-L", LIBRARY, "-lcuda")
    check_leaks("program", *CLEAN, *LEFT)


def case_leaks_static():
    build_leaks()


def case_leaks_shared():
    build_leaks("-cudart", "shared")


def case_leaks_stripped():
    """The runtime is known without symbols, and where it was linked from objects."""
    build_leaks("-rdc=true", "-Xlinker", "-s")


def case_leaks_objects():
    """Each object has a runtime of its own; one is closed before the end."""
    build_objects("static")
    text = start("program", WORK / "object_1.so", WORK / "object_2.so", CUPIPE_CHECK="leaks", CUPIPE_CHECK_EXIT="99")
    must(text, "CUPIPE_CHECK: 0 left behind")


def case_memory_reports():
    """Reports of memory have plain names, source lines and threads; suppressions may name either form."""
    nvcc(*PTX, "-lineinfo", "-o", "program", SOURCES / "overrun.cu", "-L", LIBRARY)
    put, thread = r"kernel void put<int>\(int\*, long\)", r"block \(0,0,0\), thread \(5,0,0\)"
    cases = {
        "write": (put + " wrote 4 bytes at 0x.*up to 4 bytes past the end of the 1000 bytes", r"overrun\.cu:11, " + thread),
        "read": (r"kernel get\(int const\*, int\*, long\) read 4 bytes at .*up to 4 bytes past the end of the 1000 bytes",
                 r"read by kernel get\(.*overrun\.cu:16, block \(0,0,0\), thread \(0,0,0\)"),
        "guard": (put + " wrote 4 bytes at .*past the end of the 1000 bytes", r"overrun\.cu:11, " + thread),
        "before": (put + " wrote 4 bytes at ", r"overrun\.cu:11, " + thread),
        "null": (put + " wrote 4 bytes at 0x0, where there is no memory", r"overrun\.cu:11, " + thread),
        "variable": ("kernel index.int. wrote 4 bytes at .*past the end of the 40 bytes of a module's variables",
                     r"overrun\.cu:23, block \(0,0,0\), thread \(7,0,0\)"),
    }
    for mode, patterns in cases.items():
        text = start("program", mode, CUPIPE_CHECK="memory", CUPIPE_LOG="none", CUPIPE_CHECK_JSON=str(WORK / f"{mode}.json"))
        must(text, *patterns)
        if text.count("CUPIPE_CHECK: ") != 1:
            raise Wrong(f"{mode}: more than one report:\n{text}")
    if "CUPIPE_CHECK" in start("program", "", CUPIPE_CHECK="memory"):
        raise Wrong("a report of a right program")
    place = json.loads((WORK / "write.json").read_text().splitlines()[0])["places"][0]
    if (place["kernel"], place["kernel_plain"]) != ("_Z3putIiEvPT_l", "void put<int>(int*, long)"):
        raise Wrong(f"names in JSON: {place}")
    for pattern in ("_Z3putIiEvPT_l", "void?put<int>*", "*put<*"):
        (WORK / "suppressions").write_text(f"memory kernel={pattern}\n")
        text = start("program", "write", CUPIPE_CHECK="memory", CUPIPE_CHECK_SUPPRESS=str(WORK / "suppressions"))
        must(text, "1 suppressed")
        if "CUPIPE_CHECK: " in text:
            raise Wrong(f"kernel={pattern} does not suppress:\n{text}")
    start("program", "", CUPIPE_PROFILE=str(WORK / "profile.json"))
    must(run([sys.executable, ROOT / "scripts" / "profile.py", WORK / "profile.json"]), r"index\(int\)")


def case_objects_shared():
    build_objects("shared")


def case_objects_static():
    """Each object has a runtime of its own."""
    build_objects("static")


def case_fork():
    plain("fork.cu")


def case_host_function():
    plain("host_function.cu")


def case_destructors():
    must(plain("destructors.cu"), "destroyed\ndestroyed\n")


def case_destructors_shared():
    nvcc(*PTX, "-cudart", "shared", *toolkit_link(), "-o", "program", SOURCES / "destructors.cu")
    must(start("program"), "destroyed\ndestroyed\n")


def case_threads():
    plain("threads.cu", flags=["-std=c++17"])


def case_exit_busy():
    must(plain("exit_busy.cu", flags=["-std=c++17"]), "at exit")


def case_per_thread():
    plain("per_thread.cu", flags=["--default-stream", "per-thread"])


def case_machine_code():
    """Without PTX: the program is told what it has and what to compile with, once."""
    nvcc("-gencode", "arch=compute_80,code=sm_80", "-gencode", "arch=compute_90,code=sm_90", "-o", "program",
         SOURCES / "hello.cu", "-L", LIBRARY)
    text = run([WORK / "program"], succeed=False, LD_LIBRARY_PATH=str(LIBRARY))
    must(text, "no kernel image", "sm_80", "sm_90", r"-gencode arch=compute_90,code=compute_90")
    if text.count("-gencode") != 1:
        raise Wrong(f"said more than once:\n{text}")


def case_export_table():
    """A process that is refused a private table and does nothing else is told why; one that goes on is not."""
    run(["cc", "-I", ROOT / "include", "-o", WORK / "program", SOURCES / "export_table.c", LIBRARY / "libcuda.so.1"])
    text = start("program")
    must(text, "NVIDIA's CUDA runtime", "LD_LIBRARY_PATH", "-lcudart_static", "NVCC_APPEND_FLAGS")
    if text.count("\n") != 1:
        raise Wrong(f"more than one line:\n{text}")
    for text in (start("program", "go on"), start("program", CUPIPE_LOG="none")):
        if text:
            raise Wrong(f"said for nothing:\n{text}")
    # In a library of a package that is known, whatever else the process does.
    for part, name in (("cupy_backends/cuda/libs/cublas.so", "cupy"), ("xgboost/lib/libxgboost.so", "xgboost"),
                       ("warp/bin/warp.so", "warp"), ("libcudf/lib64/libcudf.so", "cudf"),
                       ("cuda/bindings/_bindings/cyruntime.so", "cuda-bindings")):
        file = WORK / "packages" / part
        file.parent.mkdir(parents=True, exist_ok=True)
        run(["cc", "-shared", "-fPIC", "-Dmain=ask", "-I", ROOT / "include", "-o", file, SOURCES / "export_table.c",
             LIBRARY / "libcuda.so.1"])
        run(["cc", "-o", "program", SOURCES / "export_table_library.c", "-ldl"])
        for words in ((), ("go on",)):
            text = start("program", file, *words)
            must(text, str(file), f"cupipe rebuild {name}\n")
            if text.count("\n") != 1:
                raise Wrong(f"more than one line:\n{text}")


def case_toolkit_runtime():
    """NVIDIA's own runtime inside a program."""
    nvcc(*PTX, "-o", "program", SOURCES / "hello.cu")
    must(run([WORK / "program"], succeed=False, LD_LIBRARY_PATH=str(LIBRARY)), "NVIDIA's CUDA runtime", "-lcudart_static")


def build_cmake(runtime):
    if not NVCC or not shutil.which("cmake"):
        raise Missing("nvcc or cmake is not installed")
    (WORK / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(hello LANGUAGES CXX CUDA)\n"
        "find_package(CUDAToolkit REQUIRED)\n"
        f"add_executable(program {SOURCES}/hello.cu)\n"
        f"set_target_properties(program PROPERTIES CUDA_RUNTIME_LIBRARY {runtime} CUDA_ARCHITECTURES 90-virtual)\n")
    run(["cmake", "-S", WORK, "-B", WORK / "build", f"-DCMAKE_CUDA_COMPILER={NVCC}", f"-DCMAKE_CUDA_FLAGS=-L{LIBRARY}",
         "-DCMAKE_CUDA_ARCHITECTURES=90-virtual"])
    run(["cmake", "--build", WORK / "build"])
    must(start("build/program"), "hello 189")
    if links("build/program", "libcudart") != (runtime == "Shared"):
        raise Wrong(f"CUDA_RUNTIME_LIBRARY {runtime} is not what was linked")


def case_cmake_static():
    build_cmake("Static")


def case_cmake_shared():
    build_cmake("Shared")


def case_cmake_find():
    """A C++ program that names FindCUDAToolkit's targets, which are told where our libraries are."""
    if not NVCC or not shutil.which("cmake"):
        raise Missing("nvcc or cmake is not installed")
    (WORK / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(hello LANGUAGES CXX)\nfind_package(CUDAToolkit REQUIRED)\n"
        f"add_executable(shared {SOURCES}/devices.cpp)\ntarget_link_libraries(shared CUDA::cudart)\n"
        f"add_executable(static {SOURCES}/devices.cpp)\ntarget_link_libraries(static CUDA::cudart_static)\n")
    run(["cmake", "-S", WORK, "-B", WORK / "build", f"-DCUDAToolkit_ROOT={toolkit_of(NVCC)}",
         f"-DCUDA_CUDART={LIBRARY}/libcudart.so", f"-DCUDA_cudart_LIBRARY={LIBRARY}/libcudart.so", f"-DCUDA_cudart_static_LIBRARY={LIBRARY}/libcudart_static.a"])
    run(["cmake", "--build", WORK / "build"])
    for kind in ("shared", "static"):
        must(start(f"build/{kind}"), "1 device, runtime 13040")
    if not links("build/shared", str(LIBRARY)) or links("build/static", "libcudart"):
        raise Wrong("other libraries were linked")


def case_host_only():
    """No toolkit at all: our headers and libraries with a host compiler."""
    run(["c++", "-I", ROOT / "runtime" / "include", "-I", ROOT / "include", "-o", WORK / "shared", SOURCES / "devices.cpp", "-L",
         LIBRARY, "-lcudart"])
    run(["c++", "-I", ROOT / "runtime" / "include", "-I", ROOT / "include", "-o", WORK / "static", SOURCES / "devices.cpp", "-L",
         LIBRARY, "-lcudart_static", "-ldl", "-lpthread", "-lrt"])
    for kind in ("shared", "static"):
        must(start(kind), "1 device, runtime 13040")


def host(source, *flags, static=False):
    """A C++ program with our headers."""
    libraries = ["-lcudart_static", "-ldl", "-lpthread", "-lrt"] if static else ["-lcudart"]
    run(["c++", *flags, "-I", ROOT / "runtime" / "include", "-I", ROOT / "include", "-o", WORK / "program", SOURCES / source,
         "-L", LIBRARY, *libraries])
    return start("program")


def both_streams(source):
    """With the shared runtime, and with the static one and the per-thread default stream."""
    host(source)
    host(source, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM", static=True)


def case_execution_contexts():
    both_streams("execution_contexts.cpp")
    start("program", CUPIPE_DEVICES="2")
    must(start("program", CUPIPE_CHECK="leaks", CUPIPE_CHECK_EXIT="99"), "0 left behind")


def case_stream_resources():
    both_streams("stream_resources.cpp")


def case_graph_queries():
    host("graph_queries.cpp")


def case_recapture():
    both_streams("recapture.cpp")


def case_newer_calls():
    both_streams("newer_calls.cpp")


def case_memset_boxes():
    both_streams("memset_boxes.cpp")


def case_newer_memory():
    host("memory_locations.cpp")
    host("video_formats.cpp")


def case_function_attributes():
    host("function_attributes.cpp")
    start("program", CUPIPE_DRIVER="13.0")


def case_versions():
    """The library is the runtime of its driver's release if that has the same major version, else its newest."""
    newest = host("versions.cpp")
    must(newest, "runtime 13040 driver 13040\n", "10 cudaErrorVersionTranslation", "227 cudaErrorInsufficientLoaderVersion",
         "919 cudaErrorFabricNotReady", "cuMemAlloc found, cuGraphGetId found", "locality -1")
    older = start("program", CUPIPE_DRIVER="13.0")
    must(older, "runtime 13000 driver 13000\n", "917 unrecognized error code", "cuMemAlloc found, cuGraphGetId not found",
         "cudaGraphGetId cudaErrorCallRequiresNewerDriver", "locality 77")
    must(start("program", CUPIPE_DRIVER="13.2"), "runtime 13020 driver 13020\n", "10 cudaErrorVersionTranslation",
         "917 cudaErrorStreamDetached", "918 unrecognized error code")
    must(start("program", CUPIPE_DRIVER="12.4"), "runtime 13040 driver 12040\n", "cuMemAlloc found, cuGraphGetId not found",
         "cudaGraphGetId cudaErrorCallRequiresNewerDriver", "locality 77")
    ask = ("import ctypes; version = ctypes.c_int(); ctypes.CDLL('libcudart.so.12').cudaRuntimeGetVersion("
           "ctypes.byref(version)); print('runtime', version.value)")
    for driver, version in (("", 12090), ("12.4", 12040), ("13.0", 12090), ("12.10", 12090)):
        must(run([sys.executable, "-c", ask], LD_LIBRARY_PATH=str(LIBRARY), CUPIPE_DRIVER=driver), f"runtime {version}\n")


def each_clang(case):
    """Runs the case with every clang that is installed, was built with NVPTX, and is able to."""
    @functools.wraps(case)
    def run_all():
        tried = []
        for clang in clangs():
            try:
                if "nvptx64" not in run([clang, "--print-targets"]):
                    raise Missing("was built without NVPTX")
                case(clang)
                tried.append(clang)
            except Missing as missing:
                print(f"{clang}: {missing}")
            except Wrong as wrong:
                raise Wrong(f"{clang}: {wrong}") from wrong
        if not tried:
            raise Missing("no clang for this case is installed")
        print("compilers:", *tried)
    return run_all


# C++ that sees our headers alone. The version is that of the PTX: clang 22 asks for 4.2 where it has no toolkit to ask.
CLANG_CUDA = ["--driver-mode=g++", "-x", "cuda", "--cuda-gpu-arch=sm_90", "--cuda-feature=+ptx80", "-O2"]
CLANG_ALONE = [*CLANG_CUDA, "-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.5", "-I",
               ROOT / "runtime" / "include", "-I", ROOT / "include", "-include", "cuda_runtime.h"]
CLANG_LIBRARIES = ["-L", LIBRARY, "-lcudart_static", "-ldl", "-lpthread", "-lrt"]


def build_clang(clang, source, *libraries, arguments=()):
    """clang with our headers alone: PTX first, then the program around it."""
    common = [clang, *CLANG_ALONE, SOURCES / source]
    run([*common, "--cuda-device-only", "-S", "-o", WORK / "a.ptx"])
    with open(WORK / "a.ptx", "ab") as text:
        text.write(b"\0")
    run([*common, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", WORK / "a.ptx", "-c", "-o", WORK / "a.o"])
    run([clang, "--driver-mode=g++", "-o", WORK / "program", WORK / "a.o", "-L", LIBRARY, "-lcudart_static", *libraries, "-ldl",
         "-lpthread", "-lrt"])
    return start("program", *arguments)


@each_clang
def case_clang_one_step(clang):
    """clang -x cuda as it is: -B names what takes the place of NVIDIA's ptxas and fatbinary."""
    for flags in (["--cuda-include-ptx=all", "-B", LIBRARY / "cupipe" / "clang"], ["-B", LIBRARY / "bin"]):
        run([clang, *CLANG_ALONE, *flags, SOURCES / "hello.cu", "-o", WORK / "program", *CLANG_LIBRARIES])
        must(start("program"), "hello 189")


@each_clang
def case_clang(clang):
    must(build_clang(clang, "hello.cu"), "hello 189")


@each_clang
def case_clang_variables(clang):
    """Variables and what clang registers of them."""
    build_clang(clang, "clang_variables.cu")


@each_clang
def case_leaks_clang(clang):
    build_clang(clang, "leaks.cu", "-lcuda", arguments=["clean"])
    check_leaks("program", "clean", "memory", "retained")


def clang_toolkit():
    """The folder of a toolkit with all that clang includes by itself, and its version."""
    folder = Path(os.environ["TOOLKIT"]) if os.environ.get("TOOLKIT") else toolkit_of(NVCC) if NVCC else None
    if not folder or not (folder / "include" / "cuda.h").exists():
        raise Missing("no toolkit is installed")
    if not (folder / "include" / "curand_mtgp32_kernel.h").exists():
        raise Missing(f"{folder} has no headers of cuRAND, which clang includes")
    version = re.search(r"#define CUDA_VERSION (\d+)", (folder / "include" / "cuda.h").read_text()).group(1)
    return folder, int(version)


@each_clang
def case_clang_toolkit(clang):
    """The headers and the device library of a toolkit, with our tools and with its own."""
    folder, version = clang_toolkit()
    if version >= 13000 and clang_version(clang) < 22:
        raise Missing("does not know the headers of CUDA 13")
    common = [clang, *CLANG_CUDA, "-std=c++17", "-Wno-unknown-cuda-version", f"--cuda-path={folder}", "-I",
              folder / "include" / "cccl"]
    # the static runtime has the structures of CUDA 13
    libraries = CLANG_LIBRARIES if version >= 13000 else ["-L", LIBRARY, "-l:libcudart.so.12"]
    sources = ["clang_math.cu"] if clang_version(clang) == 19 else ["clang_math.cu", "texture.cu", "grid_sync.cu"]
    for source in sources:  # clang 19 lacks surfaces, and templates of the runtime
        run([*common, "-B", LIBRARY / "bin", SOURCES / source, "-o", WORK / "program", *libraries])
        start("program")
    if (folder / "bin" / "fatbinary").exists():
        run([*common, "--cuda-include-ptx=all", SOURCES / "clang_math.cu", "-o", WORK / "program", *libraries])
        start("program")


def main():
    try:
        globals()["case_" + CASE]()
    except Missing as missing:
        print(missing)
        return SKIP
    except (Wrong, subprocess.TimeoutExpired) as wrong:
        print(wrong)
        return 1
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
    print("right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
