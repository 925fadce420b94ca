#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold a libcudart.so.13 against the recorded answers of NVIDIA's runtime (CUDA 13.0 on an H200).

Builds the recorders of this folder with nvcc and links them with the library; ../conformance.py asks
and compares. Further arguments are those of conformance.py. Exit status: 0 as expected, 1 not, 77 no
nvcc.
"""
import argparse
import concurrent.futures
import glob
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.dirname(os.path.dirname(HERE))]
import conformance  # noqa: E402
from compilers import nvcc as find_nvcc  # noqa: E402

SKIPPED = 77
RECORDING = os.path.join(conformance.RECORDED, "h200-cudart13.golden.gz")
SHARED = ("harness.c", "pattern.c", "tables.c")  # of the folder above


def compile_commands(nvcc, build):
    """(source, object, command) for every part of the recorder."""
    toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    include = next(d for d in (os.path.join(toolkit, "include"), "/usr/local/cuda/include")
                   if os.path.exists(os.path.join(d, "cuda_runtime_api.h")))
    cuda = [nvcc, "-std=c++17", "-O1"]
    plain = ["-gencode", "arch=compute_75,code=compute_75"]
    linked = ["-rdc=true", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"]
    host = ["g++", "-std=gnu++17", "-O1", "-fno-strict-aliasing", "-Wno-deprecated-declarations", "-I" + include]
    special = {"kernels.cu": cuda + plain + ["--extended-lambda"],
               "kernels_clusters.cu": cuda + ["-gencode", "arch=compute_90,code=compute_90"],
               "kernels_per_thread.cu": cuda + plain + ["--default-stream", "per-thread"],
               "linked_program.cu": cuda + linked, "linked_part.cu": cuda + linked}
    parts = [(name, name[:-3] + ".o", command) for name, command in special.items()]
    parts += [(os.path.basename(p), os.path.basename(p)[:-4] + ".o", host)
              for p in sorted(glob.glob(os.path.join(HERE, "*.cpp")))]
    parts.append(("answers_zero_arguments.cpp", "answers_zero_arguments_per_thread.o",
                  host + ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]))
    parts += [("../" + name, name[:-2] + ".o", ["gcc", "-std=gnu11", "-O1"]) for name in SHARED]
    return [(os.path.join(HERE, s), os.path.join(build, o), c) for s, o, c in parts], cuda + linked, toolkit


def build_recorder(nvcc, library, build, jobs):
    os.makedirs(build, exist_ok=True)
    parts, link_device, toolkit = compile_commands(nvcc, build)
    header = max(os.path.getmtime(p) for p in [os.path.join(HERE, "..", "harness.h"), os.path.join(HERE, "..", "pattern.h")] +
                 glob.glob(os.path.join(HERE, "*.hpp")) + glob.glob(os.path.join(HERE, "*.def")))

    def compile_part(part):
        source, output, command = part
        if os.path.exists(output) and os.path.getmtime(output) > max(header, os.path.getmtime(source)):
            return
        subprocess.run(command + ["-c", source, "-o", output], check=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(compile_part, parts))
    in_build = lambda name: os.path.join(build, name)
    subprocess.run(link_device + ["-dlink", in_build("linked_program.o"), in_build("linked_part.o"), "-lcudadevrt", "-o",
                                  in_build("linked.o")], check=True)
    runtime = os.path.join(library, "libcudart.so.13")
    tail = [runtime, "-ldl", "-lpthread", "-lm", "-Wl,-z,lazy", "-Wl,--no-as-needed"]
    shared = [in_build(name[:-2] + ".o") for name in SHARED] + [in_build("runtime.o")]
    program = [o for _, o, _ in parts if os.path.basename(o).startswith(("answers_", "kernels"))]
    subprocess.run(["g++", "-o", in_build("recorder")] + shared + program + tail, check=True)
    devrt = next((p for d in ("lib64", "lib", "targets/*/lib")
                  for p in glob.glob(os.path.join(toolkit, d, "libcudadevrt.a"))), None)
    subprocess.run(["g++", "-o", in_build("recorder-linked")] + shared +
                   [in_build(n) for n in ("linked_program.o", "linked_part.o", "linked.o")] + ([devrt] if devrt else []) + tail,
                   check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--library", required=True, help="folder with libcudart.so.13 and libcuda.so.1")
    parser.add_argument("--build", required=True, help="folder to build the recorders in")
    parser.add_argument("--built", action="store_true", help="the recorders are in the build folder already")
    parser.add_argument("--build-only", action="store_true", help="build, and ask nothing")
    options, further = parser.parse_known_args()
    library, build = os.path.abspath(options.library), os.path.abspath(options.build)
    if not options.built:
        nvcc = find_nvcc()
        if not nvcc:
            print("no nvcc: the recorder cannot be built")
            return SKIPPED
        build_recorder(nvcc, library, build, os.cpu_count() or 1)
    if options.build_only:
        return 0
    arguments = ["--library", os.path.join(library, "libcudart.so.13"), "--linked", "--recording", RECORDING]
    for recorder in ("recorder", "recorder-linked"):
        arguments += ["--recorder", os.path.join(build, recorder)]
    for name in ("exceptions", "pending", "not-comparable"):
        arguments += ["--" + name, os.path.join(HERE, name + ".txt")]
    # Many groups look at time or at free memory.
    return conformance.main(arguments + ["--quiet", "*"] + further)


if __name__ == "__main__":
    sys.exit(main())
