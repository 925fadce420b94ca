#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe run: arguments, status and signals of the program are its own; what cannot run is said in one or two
sentences, with the exit codes of shells.

usage: check_run.py BUILD SOURCE CC
"""
import os
import re
import signal
import subprocess
import sys
import time

from command import (BUILD, CLEAN, CUBIN, CUPIPE, FOLDER, LIBRARY, NVCC, PTX, SOURCE, check, compile_c, cubin_with, cupipe,
                     fatbin, finish, run, with_device_code, write)


def preloaded_libraries(version):
    """The files that are preloaded into Python for that version of CUDA, in order, without their folders."""
    rows = re.findall(r'^CUDA_LIBRARY\(\w+, "[^"]*", "(\w+)", (\d+), (\d+),\s+"(\w+)"',
                      (SOURCE / "libraries/libraries.def").read_text(), re.MULTILINE)
    check(len(rows) > 3, f"the list of libraries is read: {rows}")
    return ([f"lib{name}.so.{version}" for name in ("nvrtc", "nvJitLink", "cudart")] +
            [f"lib{row[0]}.so.{row[version - 11]}" for row in rows])


def check_refused(words, status, *parts):
    """The program is not run; the message has the parts and at most two sentences."""
    code, out, err = cupipe("run", *words)
    check(code == status, f"{words}: {status}, not {code}: {err}")
    check(out == "", f"{words} is not run: {out}")
    check(err.startswith("cupipe: ") and err.count("\n") == 1, f"{words}: one line: {err}")
    for part in parts:
        check(part in err, f"{words}: says {part}: {err}")


def check_passing():
    show = write("show", '#!/bin/sh\nprintf "<%s>" "$0" "$@"\nexit 41\n', 0o755)
    code, out, err = cupipe("run", "--devices", "2", show, "--devices", "a b", "", "*")
    check((code, out, err) == (41, f"<{show}><--devices><a b><><*>", ""), f"arguments and status: {code} {out} {err}")
    code, out, _ = cupipe("run", "--", "sh", "-c", 'echo "$1"; cat', "sh", "-x", input="from stdin")
    check((code, out) == (0, "-x\nfrom stdin"), f"--, input: {out}")
    plain = write("plain", "echo $1; exit 7\n", 0o755)
    check(cupipe("run", plain, "x")[:2] == (7, "x\n"), "a script without #! is run by sh, as shells do")
    check(cupipe("run", "sh", "-c", "kill -TERM $$")[0] == -signal.SIGTERM, "death by a signal is seen from outside")
    # The process that gets signals is the program itself.
    child = subprocess.Popen([CUPIPE, "run", "sh", "-c", 'trap "exit 9" USR1; echo ready; while :; do sleep 0.05; done'],
                             stdout=subprocess.PIPE, env=CLEAN)
    child.stdout.readline()
    child.send_signal(signal.SIGUSR1)
    check(child.wait(60) == 9, "the program receives signals")
    child.stdout.close()
    name = compile_c("name", "#include <stdio.h>\nint main(int c, char **v) { puts(v[0]); (void)c; return 0; }")
    code, out, _ = cupipe("run", "name", env={"PATH": f"{FOLDER}:{CLEAN['PATH']}"})
    check(out == "name\n", f"argv[0] is the name that was given: {out}")
    check(name.exists(), "it was found in PATH")


LOADED = """
import ctypes, os
for version in (12, 13):
    library = ctypes.CDLL("libnvJitLink.so.%d" % version, os.RTLD_NOW | os.RTLD_NOLOAD)
    for name in ("libnvrtc", "libcudart"):
        ctypes.CDLL("%s.so.%d" % (name, version), os.RTLD_NOW | os.RTLD_NOLOAD)
    major, minor = ctypes.c_uint(), ctypes.c_uint()
    library.nvJitLinkVersion(ctypes.byref(major), ctypes.byref(minor))
    print(version, major.value)
"""


XLA_FLAGS = f"--xla_gpu_cuda_data_dir={LIBRARY} --xla_gpu_autotune_level=0 --xla_gpu_enable_triton_gemm=false"


def check_settings():
    code, out, _ = cupipe("run", "--gpu", "a100", "--devices=3", "--memory", "8G", "--schedule", "random:7",
                          "--check", "memory,leaks", "--trace", "t.json", "env", env={"TRITON_OVERRIDE_ARCH": "sm89",
                                                                                      "LD_LIBRARY_PATH": "/mine",
                                                                                      "PYTHONPATH": "/mine"})
    have = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    wanted = {"CUPIPE_GPU": "a100", "CUPIPE_DEVICES": "3", "CUPIPE_MEMORY": "8G", "CUPIPE_SCHEDULE": "random:7",
              "CUPIPE_CHECK": "memory,leaks", "CUPIPE_TRACE": os.path.realpath(FOLDER / "t.json"),
              "LD_LIBRARY_PATH": f"{LIBRARY}/cubin:{LIBRARY}:/mine", "TRITON_OVERRIDE_ARCH": "sm89",
              "TRITON_PTXAS_PATH": f"{LIBRARY}/bin/ptxas", "TRITON_LIBCUDA_PATH": str(LIBRARY),
              "MODULAR_NVPTX_COMPILER_PATH": f"{LIBRARY}/bin/ptxas",
              "PYTHONPATH": f"/mine:{LIBRARY}/python", "XLA_FLAGS": XLA_FLAGS,
              "PATH": f"{LIBRARY}/bin:{CLEAN['PATH']}"}
    for name, value in wanted.items():
        check(have.get(name) == value, f"{name} is {value}: {have.get(name)}")
    for gpu, arch in (("a100", False), ("h200", False), ("rtx5090", True), ("t4,b200", False), ("b200,a100", True)):
        out = cupipe("run", "--gpu", gpu, "env")[1]
        check(("TRITON_OVERRIDE_ARCH=sm80\n" in out) == arch, f"Triton on {gpu}")
    # Python packages load these by path, from wheels for CUDA 12 or 13; what is loaded already comes first, and of two
    # versions the newer, so that the newer is not loaded where the environment has the older alone.
    script = write("script", f"#!{sys.executable}\nimport os\nprint(os.environ['LD_PRELOAD'].replace(':', ' '))\n", 0o755)
    for versions, loaded in (((12, 13), (12, 13)), ((12,), (12,)), ((13,), (12, 13))):
        for version in (12, 13):
            for name in preloaded_libraries(version):
                path = write(f"packages/nvidia/cu{version}/lib/{name}", "only found, not loaded")
                if version not in versions:
                    path.unlink()
        environment = {"PYTHONPATH": str(FOLDER / "packages")}
        listed = [f"{LIBRARY}/{'cubin/' if name.startswith(('libnvrtc', 'libnvJitLink')) else ''}{name}" for version in reversed(loaded)
                  for name in preloaded_libraries(version)]
        listed = [f"{LIBRARY}/libcupipe-preload.so", *dict.fromkeys(listed)]  # libcurand.so.10 is that of both
        for command in ([script], [sys.executable, script]):
            code, out, err = cupipe("run", *command, env=environment)
            check((code, out.split()) == (0, listed), f"libraries for CUDA {versions}: {out} {err}")
        code, out, err = cupipe("env", f"--python={sys.executable}", env=environment)
        check(code == 0 and f"export LD_PRELOAD='{':'.join(listed)}'\n" in out, f"the same in cupipe env: {out} {err}")
        code, out, err = cupipe("run", sys.executable, "-c", LOADED.replace("(12, 13)", str(loaded)), env=environment)
        check((code, out) == (0, "".join(f"{version} {version}\n" for version in loaded)), f"they are loaded: {out} {err}")
    check("LD_PRELOAD" not in have, "nothing is preloaded into other programs than Python")
    code, again, _ = cupipe("run", CUPIPE, "run", "env")
    code, once, _ = cupipe("run", "env")
    ignored = ("_=", "OLDPWD=", "SHLVL=")
    check([line for line in again.splitlines() if not line.startswith(ignored)] ==
          [line for line in once.splitlines() if not line.startswith(ignored)], "within itself it changes nothing more")
    code, out, err = run("sh", "-c", f'eval "$({CUPIPE} env --devices 2)" && env', env={"XLA_FLAGS": "it's=$HOME"})
    check("CUPIPE_DEVICES=2\n" in out and f"XLA_FLAGS={XLA_FLAGS} it's=$HOME\n" in out,
          f"cupipe env can be evaluated: {out} {err}")
    check(f"LD_PRELOAD={LIBRARY}/libcupipe-preload.so:{LIBRARY}/cubin/libnvrtc.so.13" in cupipe("env", "--python")[1].replace("'", ""), "env --python")


BY_PATH = """
import ctypes, os, sys
for path in sys.argv[1:]:
    library, before = ctypes.CDLL(path, os.RTLD_NOW | os.RTLD_GLOBAL), ctypes.CDLL(os.path.basename(path), os.RTLD_NOW | os.RTLD_NOLOAD)
    print(library._handle == before._handle)
"""

# A library that opens another by its name, which only its own run path leads to.
OPENS = "#include <dlfcn.h>\nint opens(void) { return dlopen(\"libfound.so\", RTLD_NOW) != 0; }"


def check_by_path():
    names = ["libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcurand.so.10"]
    paths = [write(f"wheels/nvidia/{name}", "not a library") for name in names]
    code, out, err = cupipe("run", sys.executable, "-c", BY_PATH, *paths)
    check((code, out) == (0, "True\n" * len(names)), f"libraries of wheels that are opened by path are cupipe's: {out} {err}")
    other = write("wheels/nvidia/libother.so.1", "not a library")
    code, _, err = cupipe("run", sys.executable, "-c", BY_PATH, other)
    check(code == 1 and str(other) in err, f"libraries of other names are those of the path: {err}")
    compile_c("libfound.so", "int found;", "-shared", "-fPIC")
    (FOLDER / "beside").mkdir()
    (FOLDER / "libfound.so").rename(FOLDER / "beside" / "libfound.so")
    opens = compile_c("libopens.so", OPENS, "-shared", "-fPIC", "-Wl,-rpath,$ORIGIN/beside", "-Wl,--enable-new-dtags")
    code, out, err = cupipe("run", sys.executable, "-c", f"import ctypes; print(ctypes.CDLL({str(opens)!r}).opens())")
    check((code, out) == (0, "1\n"), f"the run path of a library that opens another counts: {out} {err}")


LAYERS = """
import ctypes
try:
    vulkan = ctypes.CDLL("libvulkan.so.1")
except OSError:
    print("no Vulkan")
    raise SystemExit
count = ctypes.c_uint32()
vulkan.vkEnumerateInstanceLayerProperties(ctypes.byref(count), None)
layers = (ctypes.c_char * (520 * count.value))()
vulkan.vkEnumerateInstanceLayerProperties(ctypes.byref(count), layers)
print([layers[520 * i:520 * i + 256].split(b"\\0")[0].decode() for i in range(count.value)])
"""


NVML = """
import ctypes
nvml, count = ctypes.CDLL("libnvidia-ml.so.1"), ctypes.c_uint()
print(nvml.nvmlInit_v2(), nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)), count.value)
"""


def check_nvml():
    code, out, err = cupipe("run", "--devices", "2", sys.executable, "-c", NVML)
    check((code, out, err) == (0, "0 0 2\n", ""), f"NVML is found: {out} {err}")


SMI = """
import subprocess
print(subprocess.run(["nvidia-smi", "--query-gpu=name,count", "--format=csv,noheader"], capture_output=True, text=True).stdout)
"""


def check_smi():
    """Programs find a nvidia-smi, also where PATH has another one."""
    write("nvidia-smi", "#!/bin/sh\necho the real one\n", 0o755)
    wanted = "NVIDIA A100-SXM4-40GB (cupipe), 2\n" * 2
    for path in (CLEAN["PATH"], f"{FOLDER}:{CLEAN['PATH']}"):
        out = cupipe("run", "--gpu", "a100", "--devices", "2", sys.executable, "-c", SMI, env={"PATH": path})[1]
        check(out.strip() == wanted.strip(), f"nvidia-smi in a program: {out}")
        code, out, err = cupipe("run", "--gpu", "a100", "--devices", "2", "nvidia-smi", "--query-gpu=name,count",
                                "--format=csv,noheader", env={"PATH": path})
        check((code, out, err) == (0, wanted, ""), f"nvidia-smi itself: {code} {out} {err}")
    (FOLDER / "nvidia-smi").unlink()


def check_layer():
    if not (BUILD / "share/vulkan/implicit_layer.d/VkLayer_cupipe.json").exists():
        return
    code, out, err = cupipe("run", sys.executable, "-c", LAYERS)
    check(code == 0 and ("VK_LAYER_CUPIPE_external_semaphore" in out or "no Vulkan" in out),
          f"Vulkan finds the layer: {out} {err}")


def check_device():
    ask = compile_c("ask", "#include <cuda.h>\n#include <stdio.h>\nint main(void) { int count = 0; cuInit(0);"
                    "cuDeviceGetCount(&count); printf(\"%d\", count); return count; }",
                    f"-L{LIBRARY}", "-lcuda")
    code, out, err = cupipe("run", "--devices", "2", ask)
    check((code, out, err) == (2, "2", ""), f"a program of the driver API runs: {code} {out} {err}")


def check_without_cuda():
    nothing = compile_c("nothing", "int main(void) { return 3; }")
    code, _, err = cupipe("run", nothing)
    check(code == 3 and err.count("\n") == 1 and "linked to nothing of CUDA" in err, f"runs, with a note: {code} {err}")
    for name, text in (("loads", "#include <dlfcn.h>\nint main(void) { return dlopen(\"none\", 1) ? 1 : 4; }"),
                       ("starts", "#include <stdlib.h>\nint main(void) { return system(\"exit 4\") >> 8; }")):
        code, _, err = cupipe("run", compile_c(name, text, "-ldl"))
        check((code, err) == (4, ""), f"of a program that {name} others nothing is said: {code} {err}")


def check_what_cannot_run():
    check_refused(["no-such-program"], 127, "there is no program no-such-program in PATH")
    check_refused(["./no-such-program"], 127, "there is no program ./no-such-program")
    check_refused([FOLDER], 126, "is a folder")
    write("here", "#!/bin/sh\n", 0o755)
    check_refused(["here"], 127, "./here")
    check_refused([write("app.py", "print(1)\n")], 126, "cupipe run python3")
    check_refused([write("data", "x")], 126, "chmod +x")
    check_refused([write("source.cu", "int main() {}\n")], 126, "CUDA source file", "nvcc", f"-L{LIBRARY}")
    check_refused(["source.cu"], 126, "CUDA source file")
    check_refused([write("lost", "#!/no/such/interpreter -x\n", 0o755)], 126, "/no/such/interpreter")
    foreign = bytearray((FOLDER / "ask").read_bytes())
    foreign[18:20] = b"\x08\x00"  # MIPS
    check_refused([write("foreign", bytes(foreign), 0o755)], 126, "another processor (mips)")
    check_refused([], 125, "usage")
    check_refused(["--no-such-option", "true"], 125, "--no-such-option")
    check_refused(["--devices"], 125, "--devices needs a value")
    check_refused(["--devices=", "true"], 125, "--devices needs a value")


# A wrong value of each option, and what is said of it.
WRONG = (
    ("--gpu", "rtx9090", "h200"), ("--gpu", "h200,", "h200"), ("--gpu", "h200,,a100", "h200"),
    ("--devices", "0", "1 to 64"), ("--devices", "65", "1 to 64"), ("--devices", "two", "1 to 64"),
    ("--memory", "4", "32M to 64T"), ("--memory", "8GB", "32M to 64T"), ("--memory", "-1G", "32M to 64T"),
    ("--schedule", "foo", "eager, lazy or random:SEED"), ("--schedule", "random", "random:SEED"),
    ("--check", "foo", "leaks"), ("--check", "memory,", "comma"), ("--check", "all,foo", "leaks"),
    ("--threads", "0", "1 to 1024"), ("--topology", "ring", "all, none or pairs"),
    ("--fail", "cuFoo:1", "not a function of the driver"), ("--fail", "cuMemAlloc:p=2", "p=FRACTION"),
    ("--log", "loud", "none, error, warning"), ("--log", "debug:/no/such/folder/log", "cannot be written"),
    ("--trace", "/no/such/folder/t.json", "cannot be written"), ("--profile", "/no/such/folder/p.json", "cannot be written"),
    ("--trace", "/", "folder"), ("--profile", str(FOLDER), "folder"),
)


def check_wrong_values():
    """A wrong value stops the command before the program starts; cupipe env says the same."""
    for option, value, part in WRONG:
        check_refused([option, value, "echo", "it runs"], 125, option, part)
        check_refused([f"{option}={value}", "echo", "it runs"], 125, option, part)
        check(cupipe("env", option, value)[:2] == (125, ""), f"env {option} {value}")
    for option, value in (("--check", "all"), ("--fail", "cuMem*:p=0.5,seed=1;stream:3"), ("--log", "debug"),
                          ("--memory", "64m"), ("--gpu", "H200,a100"), ("--schedule", "random:0")):
        check(cupipe("run", option, value, "echo", "it runs")[1] == "it runs\n", f"{option} {value} is right")
    check("--profile FILE" in cupipe("--help")[1], "--profile is in the help")


def check_all_checks():
    """--check all is every check: a leak and a write past the end are both found."""
    faulty = compile_c("faulty", "#include <cuda.h>\nint main(void) { CUcontext c; CUdeviceptr p; cuInit(0);"
                       "cuDevicePrimaryCtxRetain(&c, 0); cuCtxSetCurrent(c); cuMemAlloc(&p, 1000); cuMemsetD8(p, 0, 1004);"
                       "return 0; }", f"-L{LIBRARY}", "-lcuda")
    err = cupipe("run", "--check", "all", faulty)[2]
    check("past the end of the 1000 bytes" in err and "were never freed" in err, f"--check all: {err}")


def check_images():
    """Programs as nvcc would make them, without nvcc."""
    main = "int main(void) { return 5; }\n"
    registers = "void __cudaRegisterFatBinary(void);\nint main(void) { __cudaRegisterFatBinary(); return 0; }\n"
    shared = [f"{LIBRARY}/libcudart.so.13", f"-Wl,-rpath-link,{LIBRARY}"]
    sass = compile_c("sass", with_device_code(fatbin(2, CUBIN, 90)) + registers, *shared)
    check_refused([sass], 126, "machine code for GPUs alone (sm_90)", "compute_90")
    for kind, flags, code in ((7, 0, 0), (1, 6, 126), (8, 3, 126)):  # a note; code; variables
        holds = compile_c(f"holds{kind}", with_device_code(fatbin(2, cubin_with(kind, flags), 75)) + registers, *shared)
        check(cupipe("run", holds)[0] == code, f"a cubin with a section of type {kind} and flags {flags}")
    both = compile_c("both", with_device_code(fatbin(2, CUBIN, 90) + fatbin(1, PTX, 80)) + main, "-Wl,--no-as-needed", *shared)
    check(cupipe("run", both)[0] == 5, "PTX beside machine code runs")
    inside = compile_c("inside", with_device_code(fatbin(1, PTX, 80)) + main)
    run("strip", inside)
    check_refused([inside], 126, "NVIDIA's CUDA runtime linked in", "-L" + str(LIBRARY))
    check(cupipe("run", "--force", inside)[0] == 5, "--force runs it")
    named = compile_c("named", "int cudaMalloc(void);\nint cudaMalloc(void) { return 0; }\n" + main)
    check_refused([named], 126, "NVIDIA's CUDA runtime linked in")
    ours = compile_c("ours", with_device_code(fatbin(1, PTX, 80)) + "int cudaFree(void *);\n"
                     "int main(void) { return cudaFree(0) ? 1 : 6; }\n", f"-L{LIBRARY}", "-lcudart_static", "-lpthread",
                     "-ldl", "-lrt")
    run("strip", ours)
    code, _, err = cupipe("run", ours)
    check((code, err) == (6, ""), f"cupipe's runtime linked in is known, stripped too: {code} {err}")
    # Damaged files are run, not examined to death.
    good = (FOLDER / "inside").read_bytes()
    for offset in list(range(40, 64)) + list(range(len(good) - 640, len(good), 24)):
        damaged = bytearray(good)
        damaged[offset:offset + 8] = b"\xff" * 8
        code = cupipe("doctor", write("damaged", bytes(damaged), 0o755))[0]
        check(code in (0, 126), f"doctor of a file damaged at {offset}: {code}")


def check_nvcc():
    source = write("k.cu", "__global__ void k(int *p) { *p = 42; }\nint main() { int *p, h = 0; cudaMalloc(&p, 4);"
                   "k<<<1, 1>>>(p); cudaMemcpy(&h, p, 4, cudaMemcpyDefault); return h; }\n")
    for name, options, status, part in (
            ("static", [], 126, "NVIDIA's CUDA runtime linked in"),
            ("only_sass", ["-cudart", "shared", "-gencode", "arch=compute_90,code=sm_90"], 126, "machine code"),
            ("shared", ["-cudart", "shared"], 42, ""),
            ("with_ours", [f"-L{LIBRARY}"], 42, "")):
        code, _, err = run(NVCC, source, "-o", name, *options)
        check(code == 0, f"nvcc: {err}")
        code, _, err = cupipe("run", f"./{name}")
        check(code == status and part in err and (part or not err), f"{name}: {code} {err}")


def check_time():
    """It costs a few milliseconds. The best of many runs counts, so that a busy machine does not decide."""
    def best(*command):
        times = []
        for _ in range(20):
            start = time.monotonic()
            subprocess.run(command, stderr=subprocess.DEVNULL, env=CLEAN, check=True)
            times.append(time.monotonic() - start)
        return min(times)
    more = best(CUPIPE, "run", "true") - best("true")
    print(f"cupipe run true takes {more * 1e3:.1f} ms more than true")


check_passing()
check_settings()
check_by_path()
check_nvml()
check_smi()
check_layer()
check_device()
check_without_cuda()
check_what_cannot_run()
check_wrong_values()
check_all_checks()
check_images()
if NVCC:
    check_nvcc()
check_time()
finish()
