#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cupipe doctor: names what stands in the way of a program and what to do.

usage: check_doctor.py BUILD SOURCE CC
"""
import subprocess
import sys
import sysconfig

from command import (CLEAN, CUBIN, FOLDER, LIBRARY, PTX, SOURCE, check, compile_c, cupipe, fatbin, fatbins, finish, run,
                     with_device_code, write)

MAIN = "int main(void) { return 5; }\n"


def diagnose(program, status, *parts):
    code, out, err = cupipe("doctor", program)
    check(code == status, f"{program}: {status}, not {code}: {out}{err}")
    for part in parts:
        check(part in out + err, f"{program}: says {part}: {out}{err}")
    return out


diagnose("no-such-program", 127, "there is no program no-such-program")
diagnose(write("data", "x"), 126, "chmod +x")
diagnose(compile_c("nothing", MAIN), 0, "linked to nothing of CUDA", "nothing stands in its way")
diagnose(compile_c("loads", "#include <dlfcn.h>\nint main(void) { return !dlopen(\"none\", 1); }", "-ldl"), 0,
         "if it loads libcuda.so.1 as it runs")
ask = compile_c("ask", "#include <cuda.h>\nint main(void) { return cuInit(0); }", f"-L{LIBRARY}", "-lcuda")
diagnose(ask, 0, "libcuda.so.1 is cupipe's", "CUDA runtime: none linked")
diagnose(compile_c("static", MAIN, "-static"), 126, "linked statically")

# A library that is not there, one of NVIDIA's, and a runtime that is too old.
for name, hint in (("libother.so.3", "Install the package"), ("libnvshmem_host.so.3", "It is NVIDIA's"),
                   ("libcublas.so.5", "CUDA 12 or 13"), ("libcudart.so.11.0", "CUDA 12 or 13")):
    write("part.c", "int part(void);\nint part(void) { return 1; }\n")
    run("cc", "-shared", "-fPIC", "part.c", "-o", name, f"-Wl,-soname,{name}")
    needs = compile_c("needs", "int part(void);\nint main(void) { return part(); }\n", f"./{name}")
    (FOLDER / name).unlink()
    diagnose(needs, 126, f"{name} is missing", hint)

# An rpath that leads to another driver.
run("cc", "-shared", "-fPIC", "-x", "c", "-", "-o", "libcuda.so.1", "-Wl,-soname,libcuda.so.1",
    input="int cuInit(unsigned f);\nint cuInit(unsigned f) { return (int)f; }\n")
diagnose(compile_c("elsewhere", "int cuInit(unsigned);\nint main(void) { return cuInit(0); }\n", "./libcuda.so.1",
                   f"-Wl,-rpath,{FOLDER},--disable-new-dtags"), 126, "not from cupipe", "rpath")

sass = compile_c("sass", with_device_code(fatbin(2, CUBIN, 90)) + MAIN, "-Wl,--no-as-needed",
                 f"{LIBRARY}/libcudart.so.13")
diagnose(sass, 126, "device code: 0 PTX, 1 machine code", "machine code for GPUs alone (sm_90)", "libcudart.so.13 is cupipe's")
newer = compile_c("newer", with_device_code(fatbin(1, PTX, 120)) + MAIN, "-Wl,--no-as-needed",
                  f"{LIBRARY}/libcudart.so.13")
diagnose(newer, 126, "compute capability 12.0 and above; the devices have 9.0", "--gpu rtx50")
check(cupipe("doctor", newer, env={"CUPIPE_GPU": "a100,RTX5090"})[0] == 0, "a GPU that is new enough")
both = compile_c("both", with_device_code(fatbins((2, CUBIN, 90), (1, PTX, 120))) + MAIN, "-Wl,--no-as-needed",
                 f"{LIBRARY}/libcudart.so.13")
check(cupipe("doctor", both)[0] == 0, "machine code for the device, and PTX for a newer one")
check(cupipe("doctor", both, env={"CUPIPE_GPU": "a100"})[0] == 126, "the same for another device")
check(cupipe("run", newer)[0] == 126 and cupipe("run", "--gpu", "rtx5090", newer)[0] == 5, "run knows it, too")
diagnose(compile_c("inside", with_device_code(fatbin(1, PTX, 80)) + MAIN), 126, "NVIDIA's, linked in")

# The same in a library that the program is linked with.
compile_c("libwith.so", with_device_code(fatbin(2, CUBIN, 90)) + "int part(void);\nint part(void) { return 1; }\n",
          "-shared", "-fPIC", "-Wl,--no-as-needed", f"{LIBRARY}/libcudart.so.13")
diagnose(compile_c("linked", "int part(void);\nint main(void) { return part(); }\n", "./libwith.so",
                   f"-Wl,-rpath,{FOLDER},-rpath-link,{LIBRARY}"), 126, "libwith.so has its kernels as machine code")
diagnose(write("script", "#!/bin/sh\n", 0o755), 0, "is a script")
diagnose(write("lost", "#!/no/such/interpreter\n", 0o755), 126, "/no/such/interpreter")
# Files that are no programs, by their contents or names, in a folder or in this one.
for name, contents, parts in (
        ("app.cu", "int main() {}\n", ("CUDA source file", "nvcc", f"-L{LIBRARY}", "cupipe run", "clang")),
        ("app.cpp", "int main() {}\n", ("source file of C or C++", "-lcudart")),
        ("kernels.ptx", PTX[:-1], ("is PTX", "cache warm")), ("kernels.txt", PTX[:-1], ("is PTX",)),
        ("kernels.cubin", CUBIN, ("is a cubin", "cupipe objdump")), ("kernels.fatbin", fatbin(1, PTX, 80), ("is a fatbin",)),
        ("app.py", "print(1)\n", ("cupipe run python3",)), ("empty", "", ("is empty",)),
        ("t.json", '[{"name":"cuInit","ph":"X"}]', ("cupipe trace",)), ("p.json", '{"kernels": []}', ("cupipe profile",)),
        ("r.json", '{"pid":1,"id":1,"check":"leaks"}\n', ("CUPIPE_CHECK_JSON",))):
    for mode in (0o644, 0o755):
        diagnose(write(name, contents, mode), 126, *parts)
        diagnose(name, 126, *parts)
diagnose(FOLDER, 126, "is a folder")
run("cc", "-c", "-x", "c", "-", "-o", "part.o", input="int part;\n")
diagnose("part.o", 126, "is an object file", f"-L{LIBRARY}")
run("ar", "rc", "libpart.a", "part.o")
diagnose("libpart.a", 126, "is an archive")
diagnose(LIBRARY / "libcudart.so.13", 0, "is a shared library")
foreign = bytearray(ask.read_bytes())
foreign[18:20] = b"\xf3\x00"
diagnose(write("foreign", bytes(foreign), 0o755), 126, "another processor (riscv)")
# Which of NVIDIA's libraries a program in Python uses: of its environment, with its version, and which others there are.
subprocess.run([sys.executable, "-m", "venv", "--without-pip", FOLDER / "env"], check=True)
python, packages = FOLDER / "env/bin/python", f"env/lib/python{sysconfig.get_python_version()}/site-packages"
for folder, minor in ((f"{packages}/nvidia/cu13/lib", 51), ("toolkit/lib64", 62)):
    (FOLDER / folder).mkdir(parents=True)
    for name in ("nvrtc", "nvJitLink"):
        compile_c(f"{folder}/lib{name}.so.13", (SOURCE / f"tests/tools/fake_{name.lower()}.c").read_text(), "-shared", "-fPIC",
                  f"-I{SOURCE}/tests/tools", "-D_GNU_SOURCE", f"-DMINOR={minor}")
taken = f"{FOLDER}/{packages}/nvidia/cu13/lib/%s.so.13, CUDA 13.51, found by the Python environment {FOLDER}/env\n"
other = f"not taken: {FOLDER}/toolkit/lib64/%s.so.13, CUDA 13.62, found by CUDA_HOME\n"
write("script.py", f"#!{python}\n", 0o755)
write("shim/python", "#!/bin/sh\nexec " + str(python) + ' "$@"\n', 0o755)
write("shim/tool", "#!/usr/bin/env python\n", 0o755)
found = {"CUDA_HOME": str(FOLDER / "toolkit"), "PATH": f"{FOLDER}/shim:{CLEAN['PATH']}"}
for program in (python, FOLDER / "script.py", "python", "tool"):
    code, out, err = cupipe("doctor", program, env=found)
    check(code == 0 and f"NVIDIA's libraries that {python} uses:" in out, f"{program}: {code} {out} {err}")
    for name in ("libnvrtc", "libnvJitLink"):
        check(taken % name in out and other % name in out and out.index(taken % name) < out.index(other % name),
              f"{program}: {name}: {out}")
code, out, _ = cupipe("doctor", python, env={**found, "CUPIPE_NVRTC": "/nonexistent"})
check("CUPIPE_NVRTC names /nonexistent, which cannot be read" in out, f"one that is not there: {out}")
write(f"{packages}/nvidia/cu13/lib/libnvrtc.so.13", "no library")
code, out, _ = cupipe("doctor", python, env=found)
check("libnvrtc.so.13, found by the Python environment" in out and "does not load" in out and
      f"{FOLDER}/toolkit/lib64/libnvrtc.so.13, CUDA 13.62" in out, f"a broken one: {out}")
check("NVIDIA's libraries" not in cupipe("doctor", ask)[1], "a program that uses none of them")
check(cupipe("doctor")[0] == 125, "a program must be named")
finish()
